/** A worker that is a member of the team. */
import { answer } from './calls.js';
import { join } from './election-member.js';

/** @type {Awaited<ReturnType<typeof join>>} */
let member;

answer({
  join: async (id) => { member = await join(id); },
  leads: () => member.leads(),
  ask: () => member.ask(),
  relinquish: () => member.relinquish(),
});
