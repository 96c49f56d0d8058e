/** A page that is a member of the team, and has a worker that is another one. */
import { startWorker } from './calls.js';
import { join } from './election-member.js';

const worker = startWorker('election-worker.js');
/** @type {Awaited<ReturnType<typeof join>>} */
let member;

self.election = {
  async join(id) {
    member = await join(id);
    await worker('join', `${id}'s worker`);
  },

  /** What the page's member and the worker's say. @param {'leads' | 'ask' | 'relinquish'} method */
  both: (method) => Promise.all([member[method](), worker(method)]),
};
