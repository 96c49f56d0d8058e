/** A member of a tab-election team, in a page or in a worker: each wants to lead, and the one that does answers all calls. */
import { Tab } from 'tab-election';

/** Resolves once this member is in the queue. @param {string} id */
export const join = async (id) => {
  const tab = new Tab('team');
  let answered = 0;
  tab.waitForLeadership(() => ({
    ask: () => ({ leader: id, answered: ++answered }),
  }));
  await navigator.locks.query();
  return {
    leads: () => tab.isLeader,
    ask: () => tab.call('ask'),
    relinquish: () => tab.relinquishLeadership(),
  };
};
