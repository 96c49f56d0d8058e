/** The surroundings of the samples of the other pages in docs/, by their names, and the expected results. */

/** @typedef {import('./places.js').Surroundings} Surroundings */

const SLEEP = 'const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));';
/** Another request holds a lock meanwhile. @param {string} name */
const held = (name) => `
import { locks as others } from 'lockkeeper';
let letGo;
await new Promise((resolve) => { others.request('${name}', () => new Promise((end) => { letGo = end; resolve(); })).catch(() => {}); });`;

/** @type {Record<string, Surroundings>} */
const RECIPES = {
  'debug option': {
    in: 'node', gives: /^lockkeeper\[reports\] .* \(new\) #1 exclusive "daily": requested\n(.*\n)*.*: released after \d+ ms\n$/,
  },
  'leader tab': {
    in: 'node', gives: 'leads 1\nleads 1\nleads 0\nleads no more: AbortError\n',
    replace: {
      '// open the one web socket, poll the one server': 'await show(); const next = lead(stop); await show();',
      'resign();\n': 'resign(); (await next)();\n',
    },
    before: 'const show = async () => console.log("leads", (await locks.query()).held.length);',
    after: `
await locks.request('leader', () => {});
await show();
await lead(stop);
await locks.request('leader', { steal: true }, () => {});`,
  },
  'one sync': {
    in: 'node', gives: '[true,false]\nsynced 1\n',
    before: SLEEP,
    after: `
let synced = 0;
const sync = async () => { synced++; await sleep(50); };
console.log(JSON.stringify(await Promise.all([syncOnce(sync), syncOnce(sync)])));
console.log('synced', synced);`,
  },
  'one refresh': {
    in: 'node', gives: 'refreshed 1 [1,1,1]\n',
    before: SLEEP,
    after: `
let stored = { number: 0, expires: 0 };
let refreshed = 0;
const read = async () => stored;
const refresh = async () => { await sleep(20); return (stored = { number: ++refreshed, expires: Date.now() + 60000 }); };
const tokens = await Promise.all([1, 2, 3].map(() => getToken({ read, refresh })));
console.log('refreshed', refreshed, JSON.stringify(tokens.map(({ number }) => number)));`,
  },
  cache: {
    in: 'node', gives: '["get","get","set","get"] 2\n',
    before: SLEEP,
    after: `
const order = [];
let inside = 0;
let most = 0;
const enter = async (what) => { order.push(what); most = Math.max(most, ++inside); await sleep(20); inside--; };
const store = { get: () => enter('get'), set: () => enter('set') };
await Promise.all([readEntry(store, 'a'), readEntry(store, 'a'), writeEntry(store, 'a', 1), readEntry(store, 'a')]);
console.log(JSON.stringify(order), most);`,
  },
  migrations: {
    in: 'node', gives: 'migrated 1, worked with 2,2,2, old: This page is older than the data. Reload it.\n',
    before: SLEEP,
    after: `
let version = 1;
let migrated = 0;
const data = { version: async () => version };
const migrate = async () => { await sleep(20); version = 2; migrated++; };
const versions = await Promise.all([1, 2, 3].map(() => withData(data, 2, migrate, () => data.version())));
const old = await withData(data, 1, migrate, () => 'works').catch((error) => error.message);
console.log(\`migrated \${migrated}, worked with \${versions}, old: \${old}\`);`,
  },
  'several names': {
    in: 'node', gives: '{"ada":100,"bob":100}\n',
    after: `
const accounts = { ada: 100, bob: 100 };
await Promise.all([1, 2, 3, 4].flatMap(() => [transfer(accounts, 'ada', 'bob', 10), transfer(accounts, 'bob', 'ada', 10)]));
console.log(JSON.stringify(accounts));`,
  },
  pool: {
    in: 'node', gives: 'done 8, at most 3 at once\n',
    before: SLEEP,
    after: `
let inside = 0;
let most = 0;
const task = async () => { most = Math.max(most, ++inside); await sleep(20); inside--; return 1; };
const done = await Promise.all(Array.from({ length: 8 }, () => withSlot(task)));
console.log(\`done \${done.length}, at most \${most} at once\`);`,
  },
  // A thread that waits for its own lock has nothing else that keeps it alive; the signal's timer does not.
  'timeout by signal': {
    in: 'node', before: `${held('printer')}
const busy = setInterval(() => {}, 1000);`, after: 'letGo(); clearInterval(busy);', gives: 'another tab is printing\n',
  },
  'timeout by the manager': { in: 'node', before: held('printer'), after: 'letGo();', gives: 'TimeoutError\n' },
  lease: { in: 'node', gives: 'TimeoutError\n' },
  'who is stuck': {
    in: 'node', before: held('sync') + SLEEP, gives: '["sync"] number\n[]\n',
    after: `
await sleep(30);
const [{ names, seconds }] = await longHeld(10);
console.log(JSON.stringify(names), typeof seconds);
console.log(JSON.stringify(await longHeld(60000)));
letGo();`,
  },
  recovery: {
    in: 'node', gives: '["AbortError","taken over","AbortError",0]\n',
    after: `
const stuck = () => {
  let begun;
  const ready = new Promise((resolve) => { begun = resolve; });
  const ended = locks.request('sync', () => (begun(), new Promise(() => {}))).catch(({ name }) => name);
  return { ready, ended };
};
const first = stuck();
await first.ready;
const task = await takeOver(() => 'taken over');
const second = stuck();
await second.ready;
await unblock();
console.log(JSON.stringify([await first.ended, task, await second.ended, (await locks.query()).held.length]));`,
  },
  fences: { in: 'node', gives: '204\n409\n' },
  claims: { in: 'node', gives: /^nightly-report, fence \d+\n$/ },
};

/** @type {Record<string, Surroundings>} */
const NODE = {
  'a thread that dies': { in: 'node', gives: 'granted\n' },
  keepAlive: { in: 'node', after: 'locks.query().then(() => console.log("asked"));', gives: /^(asked\n)?$/ },
  host: { in: 'node', gives: 'alone on this host\n' },
  // In a page: in Node there is no leader.
  'who holds what': {
    in: 'bundled', gives: ['0 0', 'true 1 0'],
    before: 'const lines = []; const console = { log: (...values) => lines.push(values.join(" ")) };', after: 'self.result = lines;',
  },
};

/** @type {Record<string, Surroundings>} */
const DRAFTS = {
  'drafts import': {
    in: 'node', gives: 'function function function function function function function\n',
    after: `console.log(...[acquire, queryState, forceRelease, requestFlag, requestExplicitLock, requestAutoReleaseLock, requestScopedLock]
      .map((each) => typeof each));`,
  },
  'drafts of a manager': { in: 'node', gives: '2\n' },
  scopes: {
    in: 'node', gives: '["accounts/ada","accounts/bob"] exclusive true\nprinted\n',
    before: `import { acquire } from 'lockkeeper/drafts';
      const { signal } = new AbortController();
      const print = () => console.log('printed');`,
    replace: { "  lock.mode;    // 'exclusive'": '  console.log(JSON.stringify(lock.scope), lock.mode, Object.isFrozen(lock.scope));' },
  },
  'drafts signal and fence': {
    in: 'node', gives: /^PUT body \d+\n$/,
    before: `import { acquire } from 'lockkeeper/drafts';
      const body = 'body';
      const fetch = async (address, how) => {
        const { method, signal, headers, body } = how;
        if (signal.aborted || address !== '/accounts/ada') throw signal.reason;
        console.log(method, body, headers['X-Fence']);
      };`,
  },
  'stepping aside': {
    in: 'node', gives: 'stepped aside, the other one has it\n',
    before: `import { requestExplicitLock } from 'lockkeeper/drafts';
      import { locks } from 'lockkeeper';
      let asked = false;
      let other;
      const syncSome = async () => {
        other = other || locks.request('sync', () => 'the other one has it');
        await new Promise((resolve) => setTimeout(resolve, 5));
        return true;
      };`,
    after: 'console.log("stepped aside,", await other);',
  },
};

/** @type {Record<string, Surroundings>} */
const PATTERNS = {
  'patterns import': {
    in: 'node', gives: 'function function function function function\n',
    after: 'console.log(...[elect, semaphore, tryAcquire, isLocked, withTimeout].map((each) => typeof each));',
  },
  'patterns elect': {
    in: 'node', gives: 'synced\ntrue\nfalse\n',
    before: `let tell = () => {};
      const begun = new Promise((resolve) => { tell = () => resolve(0); });
      const syncOnce = ({ signal }) => new Promise((resolve) => {
        console.log('synced');
        tell();
        signal.addEventListener('abort', resolve);
      });`,
    replace: { 'election.isLeader; ': 'await begun; console.log(election.isLeader);' },
    after: 'console.log(election.isLeader);',
  },
  'patterns semaphore': {
    in: 'node', gives: 'slot 0 of 3\ndownloaded\n', before: "const download = async ({ signal }) => signal.aborted ? '' : 'downloaded';",
    after: 'console.log(text);',
  },
  'patterns try': {
    in: 'node', gives: 'syncing false\nfalse\n', before: "const sync = async ({ signal }) => console.log('syncing', signal.aborted);",
  },
  'patterns timeout': { in: 'node', gives: 'holding printer\n' },
};

/** @type {Record<string, Surroundings>} */
const COMING_FROM = {
  'coming from browser-tabs-lock': {
    in: 'node', gives: 'syncing false\n', before: "const sync = async ({ signal }) => console.log('syncing', signal.aborted);",
  },
  'coming from broadcast-channel': {
    in: 'node', gives: 'leads\ntrue\nfalse\n',
    before: `let tell = () => {};
      const begun = new Promise((resolve) => { tell = () => resolve(0); });
      const startSync = ({ signal }) => {
        console.log('leads');
        tell();
        return new Promise((resolve) => signal.addEventListener('abort', resolve));
      };
      const logoutButton = new EventTarget();`,
    after: `await begun; console.log(election.isLeader); logoutButton.dispatchEvent(new Event('click')); await election.ended;
      console.log(election.isLeader);`,
  },
  'coming from async-mutex': {
    in: 'node', gives: 'saved downloaded\n',
    before: "const saveSettings = async () => 'saved'; const download = async () => 'downloaded';",
  },
  'coming from proper-lockfile': { in: 'node', gives: 'written\n', before: "const writeData = async () => console.log('written');" },
};

const CLAIMS_CLIENT = {
  in: 'node', gives: 'made with fence number\n',
  replace: { 'https://claims.example': '<claims>' },
  before: 'const makeReport = async ({ signal, fence }) => console.log(`made with fence ${signal.aborted || typeof fence}`);',
};

/** @type {Record<string, Surroundings>} */
const ELSEWHERE = {
  'claims walk-through': { because: 'run as it stands by test/claims/walk-through.test.js' },
  'claims shell client': { because: 'test/claims/shell.test.js runs with-claim.sh against a service' },
  'claims on etcd': { because: 'needs three machines; test/claims/etcd.test.js runs it with three etcds on one' },
  'drafts hunt': {
    because: 'takes minutes; test/drafts/hunt.test.js, test/drafts/threads.test.js and test/browsers/drafts.test.js run it short',
  },
  'publish dry run': { because: 'it publishes; test/build/package.test.js runs the dry run, on the packed tarball' },
};

/** @type {Record<string, Surroundings>} */
export const PROGRAMS = {
  ...RECIPES, ...NODE, ...DRAFTS, ...PATTERNS, ...COMING_FROM,
  'claims service': { in: 'served', replace: { 8470: '<port>', '/var/lib/claims': '<folder>/claims-data' }, look: '/healthz', gives: 200 },
  'claims client': CLAIMS_CLIENT,
  core: { in: 'node', gives: 'granted 1\n2 exclusive disk held\n3 shared disk pending\n' },
  ...Object.fromEntries(Object.entries(ELSEWHERE).map(([name, surroundings]) => [name, { in: 'elsewhere', ...surroundings }])),
};
