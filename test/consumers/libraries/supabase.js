/** A page with a supabase session, which lies in IndexedDB and is refreshed under supabase's own lock. The test server plays supabase's. */
import { GoTrueClient, navigatorLock } from '@supabase/auth-js';

const KEY = 'session';

/** @param {IDBTransactionMode} mode @param {(store: IDBObjectStore) => IDBRequest} task @returns {Promise<any>} */
const inStore = async (mode, task) => {
  const database = await new Promise((resolve, reject) => {
    const opening = indexedDB.open('supabase', 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore('store');
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
  });
  const transaction = database.transaction('store', mode);
  const request = task(transaction.objectStore('store'));
  await new Promise((resolve, reject) => {
    transaction.oncomplete = resolve;
    transaction.onabort = () => reject(transaction.error);
  });
  database.close();
  return request.result;
};

/** Chromium's localStorage is a cache in each process: what one tab writes before it releases a lock, the next holder need not see. */
const storage = {
  /** @param {string} key */
  getItem: async (key) => (await inStore('readonly', (store) => store.get(key))) ?? null,
  /** @param {string} key @param {string} value */
  setItem: (key, value) => inStore('readwrite', (store) => store.put(value, key)),
  /** @param {string} key */
  removeItem: (key) => inStore('readwrite', (store) => store.delete(key)),
};

/** How long, in milliseconds, the server takes for an answer to this page. */
let slow = 20;

const client = new GoTrueClient({
  url: 'http://auth', storageKey: KEY, storage, autoRefreshToken: false, detectSessionInUrl: false, lock: navigatorLock,
  lockAcquireTimeout: 60000,
  fetch: async (_, { body }) => {
    const answer = await (await fetch(`/log?wait=${slow}`, { method: 'POST', body: String(body) })).json();
    const status = answer.access_token ? 200 : 400;
    return new Response(JSON.stringify(answer), { status, headers: { 'Content-Type': 'application/json' } });
  },
});

self.supabase = {
  /** A session that expired long ago. @param {string} token */
  expire: (token) => storage.setItem(KEY, JSON.stringify({
    access_token: 'expired', refresh_token: token, token_type: 'bearer', expires_in: 1, expires_at: 1, user: { id: 'one' },
  })),

  /** The session, refreshed if it has expired. */
  async session() {
    const { data, error } = await client.getSession();
    if (error) throw error;
    return { access: data.session?.access_token ?? null, refresh: data.session?.refresh_token ?? null };
  },

  beSlow(milliseconds) { slow = milliseconds; },
};
