/** What the drafts' types have to do with the DOM's. Compiled by the tests, never run. */
import { acquire, requestExplicitLock } from '../../../types/drafts.js';

export const withDom = async (): Promise<void> => {
  await acquire(['a'], { signal: AbortSignal.timeout(1000) }, (lock) => fetch('/', { signal: lock.signal }));
  await using handle = await requestExplicitLock('a', { signal: new AbortController().signal });
  handle.signal.addEventListener('abort', () => {});
};
