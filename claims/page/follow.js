// Keeps the status page as it would be if it were loaded now. Changes come in bursts, so it is fetched at most twice a second.
const KEY = 'claims-token';
const note = document.querySelector('#note');
let due;
let events;

async function load() {
  due = undefined;
  const token = sessionStorage.getItem(KEY);
  try {
    const response = await fetch('/', { headers: { Accept: 'text/html', ...(token && { Authorization: `Bearer ${token}` }) } });
    if (response.status === 401 && token) return refuse();
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    if (!response.ok) throw new Error(`the service answers ${response.status}`);
    document.querySelector('main').replaceWith(page.querySelector('main'));
    note.textContent = '';
    follow(token);
  } catch (error) {
    // What there was stays.
    note.textContent = `Not up to date: ${error.message}.`;
  }
}

function refuse() {
  sessionStorage.removeItem(KEY);
  location.reload();
}

// Events cannot bring a token; then the page is fetched every few seconds.
function follow(token) {
  if (events || token) return;
  events = new EventSource('/v1/events');
  for (const name of ['waiting', 'active', 'released', 'expired', 'revoked', 'aborted', 'withdrawn', 'reset']) {
    events.addEventListener(name, soon);
  }
}

function soon() {
  due ??= setTimeout(load, 500);
}

document.addEventListener('submit', (event) => {
  if (event.target.id !== 'sign-in') return;
  event.preventDefault();
  sessionStorage.setItem(KEY, new FormData(event.target).get('token').trim());
  void load();
});
const signIn = document.querySelector('#sign-in');
if (!signIn) follow();
else if (sessionStorage.getItem(KEY)) void load();
// Durations grow without an event.
setInterval(() => {
  if (!document.querySelector('#sign-in')) soon();
}, 5000);
