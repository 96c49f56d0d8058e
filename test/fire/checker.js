/**
 * Judges the logs of contexts under fire, in the order of arrival. A context logs its entry into a callback after it has entered
 * and its exit before it leaves. So between the two it certainly holds the lock: every violation found here has happened.
 *
 * Entries: {event, context, ...} with
 *   asked      {request, name, mode, stealable}
 *   enter      {request}   the callback runs
 *   exit       {request}   it is about to end
 *   ended      {request, outcome}   the promise is settled: done, unavailable, or an error's name
 *   condemned  {contexts}  written by the driver before it ends them: from now on nothing is known about them
 */

/** How many of the last entries a violation is reported with. */
const MEMORY = 40;

/** The possible ends of a request that was never let in. */
const WITHOUT_ENTRY = ['unavailable', 'AbortError'];

export class Checker {
  constructor() {
    /** @type {Map<string, {context: string, name: string, mode: string, stealable: boolean, entered: boolean, inside: boolean}>} */
    this.open = new Map();
    /** @type {Map<string, Set<string>>} by name, the requests that are certainly inside */
    this.inside = new Map();
    this.condemned = new Set();
    /** Requests that a thief has ended; what their callbacks still log may come later. */
    this.robbed = new Set();
    /** @type {string[]} */
    this.violations = [];
    this.grants = 0;
    /** How many requests ended how. @type {Record<string, number>} */
    this.outcomes = {};
    this.recent = [];
  }

  add(entry) {
    this.recent.push(entry);
    if (this.recent.length > MEMORY) this.recent.shift();
    if (entry.event === 'condemned') this.condemn(entry.contexts);
    else if (!this.condemned.has(entry.context)) this[entry.event]?.(entry);
  }

  condemn(contexts) {
    for (const context of contexts) this.condemned.add(context);
    for (const [request, { context, name }] of this.open) {
      if (!this.condemned.has(context)) continue;
      this.open.delete(request);
      this.inside.get(name)?.delete(request);
    }
  }

  asked({ request, context, name, mode, stealable = false }) {
    if (this.open.has(request)) this.violate(`${request} is asked for twice`);
    this.open.set(request, { context, name, mode, stealable, entered: false, inside: false });
  }

  enter({ request }) {
    const state = this.open.get(request);
    if (!state) {
      if (!this.robbed.has(request)) this.violate(`${request} enters after its end`);
      return;
    }
    if (state.entered) this.violate(`${request} enters twice`);
    this.grants++;
    state.entered = state.inside = true;
    const others = this.inside.get(state.name) ?? new Set();
    this.inside.set(state.name, others);
    for (const other of state.stealable ? [] : others) {
      if (state.mode === 'exclusive' || this.open.get(other).mode === 'exclusive') {
        this.violate(`${request} (${state.mode}) enters "${state.name}", where ${other} (${this.open.get(other).mode}) is`);
      }
    }
    others.add(request);
  }

  exit({ request }) {
    if (this.robbed.delete(request)) return;
    const state = this.open.get(request);
    if (!state?.inside) {
      this.violate(`${request} leaves, and was not inside`);
      return;
    }
    state.inside = false;
    this.inside.get(state.name).delete(request);
  }

  ended({ request, outcome }) {
    const state = this.open.get(request);
    if (!state) {
      this.violate(`${request} ends twice`);
      return;
    }
    this.open.delete(request);
    this.outcomes[outcome] = (this.outcomes[outcome] ?? 0) + 1;
    this.inside.get(state.name)?.delete(request);
    if (state.stealable && outcome === 'AbortError') {
      if (!state.entered || state.inside) this.robbed.add(request);
      return;
    }
    if (state.inside) this.violate(`${request} ends (${outcome}) while its callback runs`);
    if (state.entered && outcome !== 'done') this.violate(`${request} was let in, and ends with ${outcome}`);
    if (!state.entered && !WITHOUT_ENTRY.includes(outcome)) this.violate(`${request} ends with ${outcome}, and was never let in`);
  }

  violate(text) {
    this.violations.push(`${text}\n${this.recent.map((entry) => `    ${JSON.stringify(entry)}`).join('\n')}`);
  }

  /** Requests of contexts that live and have not ended. */
  hanging() {
    return [...this.open].map(([request, { name, mode, entered, inside }]) =>
      `${request} (${mode} "${name}"${inside ? ', let in' : entered ? ', about to leave' : ''})`);
  }
}
