/** The page: each bank's accounts, a button that moves money, and the lock manager's own report. */
import { inspect } from '../../dist/lockkeeper.mjs';
import { ACCOUNTS, banks, EACH } from './bank.js';

const TOTAL = ACCOUNTS.length * EACH;

/** @param {string} name @param {string} text @param {Element[]} children */
const element = (name, text, ...children) => {
  const created = document.createElement(name);
  created.textContent = text;
  created.append(...children);
  return created;
};

/** @param {string} id @returns {any} */
const byId = (id) => document.getElementById(id);

/** @param {number} time */
const age = (time) => `${((Date.now() - time) / 1000).toFixed(1)} s`;

/** @param {import('./bank.js').Bank} bank */
const show = (bank) => {
  const button = element('button', 'Move money');
  const balances = ACCOUNTS.map(() => element('output', ''));
  const total = element('output', '');
  const moves = element('output', '0');
  let moving = false;
  let moved = 0;

  const look = async () => {
    const all = await bank.balances();
    all.forEach((balance, index) => { balances[index].textContent = String(balance); });
    const sum = all.reduce((one, other) => one + other, 0);
    total.textContent = String(sum);
    total.className = sum === TOTAL ? '' : 'wrong';
  };

  button.addEventListener('click', async () => {
    moving = !moving;
    button.textContent = moving ? 'Stop' : 'Move money';
    while (moving) {
      await bank.move();
      moves.textContent = String(++moved);
    }
  });
  const again = () => look().then(() => setTimeout(again, 500));
  void again();

  /** @param {string} term @param {Element} value */
  const row = (term, value) => element('div', '', element('dt', term), element('dd', '', value));
  const accounts = ACCOUNTS.map((account, index) => row(account, balances[index]));
  const rows = [...accounts, row('total', total), row('moved here', moves)];
  byId('banks').append(element('section', '', element('h2', bank.title), element('dl', '', ...rows), button));
};

/** @param {string} client */
const short = (client) => client.slice(0, 8);

const report = async () => {
  const { leader, members, deadlocks } = await inspect();
  /** @param {string} client @param {string} does @param {{names: string[], mode: string, since: number}} request */
  const row = (client, does, { names, mode, since }) => element('tr', '', ...[
    `${short(client)}${client === leader ? ' (leads)' : ''}`, does, names.join(', '), mode, age(since),
  ].map((text) => element('td', text)));
  byId('requests').replaceChildren(...members.flatMap(({ client, held, pending }) => [
    ...held.map((lock) => row(client, 'holds', lock)), ...pending.map((request) => row(client, 'waits for', request)),
  ]));
  byId('deadlocks').textContent = deadlocks.map((group) => group.map(short).join(' and ')).join('; ') || 'none';
  setTimeout(report, 250);
};

for (const open of banks) show(await open());
void report();
