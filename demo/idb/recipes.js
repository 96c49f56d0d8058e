/**
 * The explainer's two ways of combining IndexedDB with locks. Do not mix them for the same names: one takes the lock first and then the
 * stores, the other takes the stores first. Together they can deadlock.
 */
import { requestAutoReleaseLock } from '../../dist/drafts.mjs';
import { complete, waitUntil } from './promises.js';

/**
 * "To wrap a lock around a transaction, use: lock.waitUntil(tx.complete)". The lock is held from before the transaction begins until it has
 * committed. So one lock can cover several transactions, in several databases, and other work, too.
 *
 * @param {string | string[]} scope
 * @param {'exclusive' | 'shared'} mode
 * @param {() => IDBTransaction[]} begin
 */
export const lockAroundTransactions = async (scope, mode, begin) => {
  const lock = await requestAutoReleaseLock(scope, { mode });
  for (const transaction of begin()) lock.waitUntil(complete(transaction)).catch(() => {});
  return lock.released;
};

/**
 * "To wrap a transaction around a lock, use: tx.waitUntil(lock.released)". The transaction begins before the lock is requested, and does
 * not commit before the lock is released. If the work under the lock fails, so does the transaction. Request the lock only when the
 * transaction has begun: if it held the lock while it waits for its stores, it would deadlock with transactions that have the stores and
 * wait for the lock.
 *
 * @param {IDBTransaction} transaction a new one
 * @param {string | string[]} scope
 * @param {(active: () => Promise<void>) => Promise<any>} work runs under the lock; the transaction is active when it is called, and again
 *   whenever the promise of active() is fulfilled
 */
export const transactionAroundLock = async (transaction, scope, work) => {
  const done = complete(transaction);
  /** @type {(value?: any) => void} */
  let begin = () => {};
  const begun = new Promise((resolve) => { begin = resolve; });
  const active = waitUntil(transaction, begun.then(async () => {
    const lock = await requestAutoReleaseLock(scope);
    return lock.waitUntil(active().then(() => work(active)));
  }));
  begin(active());
  return done;
};
