/**
 * The explainer's two ways of composing IndexedDB with locks. Do not mix them under the same names: one takes the lock first and then
 * the stores, the other the stores first, and two that have one each wait for each other.
 */
import { requestAutoReleaseLock } from '../../dist/drafts.mjs';
import { complete, waitUntil } from './promises.js';

/**
 * "To wrap a lock around a transaction, use: lock.waitUntil(tx.complete)". The lock is there before the transaction begins and until it
 * has committed. So one lock can be around several, in several databases, and around other work too.
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
 * "To wrap a transaction around a lock, use: tx.waitUntil(lock.released)". The transaction is there before the lock and does not commit
 * before the lock is released; if what is done under the lock fails, so does the transaction. The lock is asked for only once the
 * transaction has begun: one that still waits for its stores and has the lock would stop those that have the stores and want the lock.
 *
 * @param {IDBTransaction} transaction a new one
 * @param {string | string[]} scope
 * @param {(active: () => Promise<void>) => Promise<any>} work done under the lock; the transaction is active when it is called, and
 *   again whenever what active() gives is fulfilled
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
