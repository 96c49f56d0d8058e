/** One member of etcd for the tests of a suite; without etcd they are skipped. */
import { after, before } from 'mocha';
import { hasEtcd } from './etcd-cluster.js';
import { startSingle } from './etcd-single.js';

/**
 * To be called in a suite.
 * @returns {() => Awaited<ReturnType<typeof startSingle>>} the member, for its tests
 */
export function useEtcd() {
  let etcd;
  before(async function () {
    if (!hasEtcd) this.skip();
    etcd = await startSingle();
  });
  after(() => etcd?.stop());
  return () => etcd;
}
