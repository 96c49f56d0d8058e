/** A page of a bundler: the ponyfill and the drafts, which have to be the same manager. */
import { inspect, install, locks } from 'lockkeeper';
import { acquire } from 'lockkeeper/drafts';

const page = async () => {
  const before = await locks.request('first', async ({ name, mode }) => [name, mode]);
  const held = await acquire(['second', 'third'], async () => (await locks.query()).held.map(({ name }) => name));
  const members = (await inspect()).members.length;
  const native = navigator.locks !== locks;
  return { before, held, members, native, installed: install({ force: true }) === locks && navigator.locks === locks };
};

self.result = page();
