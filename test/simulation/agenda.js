/**
 * All that is going to happen in a simulated world, in the order of time.
 *
 * @typedef {'message' | 'storage' | 'timer' | 'user' | 'world'} Sort of a happening. A page that Chromium has frozen still gets messages.
 *
 * @typedef {object} Happening
 * @property {number} time
 * @property {number} turn orders happenings of the same time
 * @property {import('./context.js').SimulatedContext | undefined} context the context to which it happens
 * @property {Sort} sort
 * @property {any} subject by which a test may know it: the message, or the change of the register
 * @property {() => void} run
 */

/** @param {Happening} a @param {Happening} b */
const isBefore = (a, b) => a.time < b.time || (a.time === b.time && a.turn < b.turn);

/** A binary heap. */
export class Agenda {
  constructor() {
    /** @type {Happening[]} */
    this.heap = [];
  }

  /** @returns {Happening | undefined} */
  get next() {
    return this.heap[0];
  }

  /** @param {Happening} happening */
  add(happening) {
    const { heap } = this;
    let index = heap.push(happening) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(happening, heap[parent])) break;
      heap[index] = heap[parent];
      index = parent;
    }
    heap[index] = happening;
  }

  /** @returns {Happening | undefined} */
  take() {
    const { heap } = this;
    const first = heap[0];
    const last = /** @type {Happening} */ (heap.pop());
    if (!heap.length) return first;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1], heap[child])) child++;
      if (!isBefore(heap[child], last)) break;
      heap[index] = heap[child];
      index = child;
    }
    heap[index] = last;
    return first;
  }
}
