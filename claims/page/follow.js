// Keeps the status page as it would be if it were loaded now. Changes come in bursts, so it is fetched at most twice a second.
let due;

async function load() {
  due = undefined;
  const page = await (await fetch('/')).text();
  document.querySelector('main').replaceWith(new DOMParser().parseFromString(page, 'text/html').querySelector('main'));
}

const soon = () => {
  due ??= setTimeout(load, 500);
};

const events = new EventSource('/v1/events');
for (const name of ['waiting', 'active', 'released', 'expired', 'revoked', 'aborted', 'withdrawn', 'reset']) {
  events.addEventListener(name, soon);
}
// Durations grow without an event.
setInterval(soon, 5000);
