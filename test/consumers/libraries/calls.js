/** Calls from a page to its workers, one message each way. */

/** In a worker: answers calls of these methods. @param {Record<string, (...values: any[]) => any>} methods */
export const answer = (methods) => {
  self.onmessage = async ({ data: { call, name, values } }) => {
    try {
      self.postMessage({ call, value: await methods[name](...values) });
    } catch (error) {
      self.postMessage({ call, error: String(error && error.stack || error) });
    }
  };
};

/**
 * In a page: a worker with methods that can be called.
 * @param {string} script
 * @returns {(name: string, ...values: any[]) => Promise<any>}
 */
export const startWorker = (script) => {
  const worker = new Worker(script);
  /** @type {Map<number, {resolve: (value: any) => void, reject: (error: Error) => void}>} */
  const calls = new Map();
  let last = 0;
  worker.onmessage = ({ data: { call, value, error } }) => {
    const { resolve, reject } = calls.get(call);
    calls.delete(call);
    if (error === undefined) resolve(value);
    else reject(new Error(error));
  };
  worker.onerror = ({ message }) => {
    for (const { reject } of calls.values()) reject(new Error(message));
  };
  return (name, ...values) => new Promise((resolve, reject) => {
    calls.set(++last, { resolve, reject });
    worker.postMessage({ call: last, name, values });
  });
};
