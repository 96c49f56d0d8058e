/** The accounts that the page shows and the tests use. Many tabs move money between them at once, in three ways, and none may be lost. */
import { LockedTransaction } from './transaction.js';
import { openStorage } from './storage.js';
import { openDatabase, result } from './promises.js';
import { lockAroundTransactions, transactionAroundLock } from './recipes.js';

export const ACCOUNTS = ['ada', 'bob', 'cid'];
export const EACH = 100;

/** @param {string[]} list */
const draw = (list) => list[Math.floor(Math.random() * list.length)];

const drawTransfer = () => {
  const from = draw(ACCOUNTS);
  return { from, to: draw(ACCOUNTS.filter((account) => account !== from)), amount: 1 + Math.floor(Math.random() * 10) };
};

/** Work other than IndexedDB. */
const think = () => new Promise((resolve) => setTimeout(resolve, Math.random() * 4));

/**
 * @typedef {object} Bank
 * @property {string} title
 * @property {() => Promise<void>} move some money from one account to another
 * @property {() => Promise<number[]>} the balances of all accounts at one moment
 */

/** A lock around transactions: each account has its own database, and no IndexedDB transaction spans two databases. */
export const openFirstBank = async () => {
  const name = (/** @type {string} */ account) => `first bank: ${account}`;
  const opened = await Promise.all(ACCOUNTS.map((account) => openDatabase(name(account), ['balance'])));
  const begin = (/** @type {string} */ account, /** @type {IDBTransactionMode} */ mode) =>
    opened[ACCOUNTS.indexOf(account)].transaction('balance', mode);

  /** @param {string} account @param {number} amount */
  const add = (account, amount) => {
    const transaction = begin(account, 'readwrite');
    const store = transaction.objectStore('balance');
    store.get('now').onsuccess = ({ target }) => store.put((/** @type {any} */ (target).result ?? EACH) + amount, 'now');
    return transaction;
  };

  return {
    title: 'A lock around transactions',
    async move() {
      const { from, to, amount } = drawTransfer();
      await lockAroundTransactions([name(from), name(to)], 'exclusive', () => [add(from, -amount), add(to, amount)]);
    },
    async balances() {
      /** @type {number[]} */
      const all = [];
      await lockAroundTransactions(ACCOUNTS.map(name), 'shared', () => ACCOUNTS.map((account, index) => {
        const transaction = begin(account, 'readonly');
        transaction.objectStore('balance').get('now').onsuccess = ({ target }) => {
          all[index] = /** @type {any} */ (target).result ?? EACH;
        };
        return transaction;
      }));
      return all;
    },
  };
};

/** A transaction around a lock: it stays open while other work is done under the lock. */
export const openSecondBank = async () => {
  const database = await openDatabase('second bank', ['balances']);
  return {
    title: 'A transaction around a lock',
    async move() {
      const { from, to, amount } = drawTransfer();
      const transaction = database.transaction('balances', 'readwrite');
      const store = transaction.objectStore('balances');
      await transactionAroundLock(transaction, 'second bank', async (active) => {
        const before = await Promise.all([from, to].map((account) => result(store.get(account))));
        await think();
        await active();
        store.put((before[0] ?? EACH) - amount, from);
        store.put((before[1] ?? EACH) + amount, to);
      });
    },
    async balances() {
      const store = database.transaction('balances').objectStore('balances');
      const all = await Promise.all(ACCOUNTS.map((account) => result(store.get(account))));
      return all.map((balance) => balance ?? EACH);
    },
  };
};

/** The sketch: each account is a store, and a transaction's scope is the two stores that it needs. */
export const openThirdBank = async () => {
  const storage = await openStorage('third bank');
  return {
    title: 'A transaction that is a scoped lock',
    async move() {
      const { from, to, amount } = drawTransfer();
      const transaction = new LockedTransaction('third bank', storage, [from, to], 'readwrite');
      const before = await Promise.all([from, to].map((account) => transaction.get(account, 'balance')));
      void transaction.put(from, 'balance', (before[0] ?? EACH) - amount);
      void transaction.put(to, 'balance', (before[1] ?? EACH) + amount);
      await transaction.complete;
    },
    async balances() {
      const transaction = new LockedTransaction('third bank', storage, ACCOUNTS, 'readonly');
      const all = await Promise.all(ACCOUNTS.map((account) => transaction.get(account, 'balance')));
      return all.map((balance) => balance ?? EACH);
    },
  };
};

/** @type {(() => Promise<Bank>)[]} */
export const banks = [openFirstBank, openSecondBank, openThirdBank];
