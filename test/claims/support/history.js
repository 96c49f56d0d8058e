/**
 * The answers that clients got, and whether all can be true. Every answer was true at some moment between its request and its arrival. A
 * claim is active in one stretch of time. So a resource had two owners if the answers leave no way to put one stretch after the other.
 *
 * @typedef {object} Told of one claim
 * @property {string} path
 * @property {string} resource
 * @property {number} fence 0 while no answer has shown it active
 * @property {number} activeBy it has been active at this time at the latest
 * @property {number} activeAt it was still active at this time or later
 * @property {number} overBy it has not been active from this time on
 * @property {string | undefined} final the final status that was acknowledged
 * @property {boolean} missed
 */

export function createHistory() {
  /** @type {Map<string, Told>} */
  const claims = new Map();
  const find = (path, resource) => {
    const known = claims.get(path);
    if (known) return known;
    const made = { path, resource, fence: 0, activeBy: Infinity, activeAt: -Infinity, overBy: Infinity, final: undefined, missed: false };
    claims.set(path, made);
    return made;
  };

  /** The told events, by their ids. @type {Map<string, {path: string, status: string, resource: string, fence: number | null}>} */
  const events = new Map();
  const listed = [];

  return {
    claims,
    events,

    /**
     * A list: all of it is true at one moment.
     * @param {any[]} bodies
     * @param {number} asked
     * @param {number} answered
     */
    listed(bodies, asked, answered) {
      const owners = new Map();
      for (const body of bodies) {
        this.shown(body, asked, answered);
        if (body.status !== 'active') continue;
        const { resource, url } = body;
        if (owners.has(resource)) listed.push(`a list shows two owners of ${resource}: ${owners.get(resource)} and ${url}`);
        owners.set(resource, url);
      }
    },

    /**
     * @param {string} id the same at every server
     * @param {any} body
     */
    told(id, body) {
      const event = { path: new URL(body.url).pathname, status: body.status, resource: body.resource, fence: body.fence };
      const known = events.get(id);
      if (known && JSON.stringify(known) !== JSON.stringify(event)) listed.push(`event ${id} is not the same at two servers`);
      events.set(id, event);
    },

    /**
     * An answer that shows a claim.
     * @param {any} body
     * @param {number} asked
     * @param {number} answered
     */
    shown(body, asked, answered) {
      const claim = find(new URL(body.url).pathname, body.resource);
      if (body.status === 'active') {
        claim.activeBy = Math.min(claim.activeBy, answered);
        claim.activeAt = Math.max(claim.activeAt, asked);
        claim.fence = body.fence;
      } else if (body.status !== 'waiting') {
        claim.overBy = Math.min(claim.overBy, answered);
        claim.final = body.status;
      }
    },

    /**
     * A claim was ended by its client, and that was acknowledged.
     * @param {string} path
     * @param {string} status
     * @param {number} answered
     */
    ended(path, status, answered) {
      const claim = claims.get(path);
      claim.overBy = Math.min(claim.overBy, answered);
      claim.final = status;
    },

    /**
     * Its session was ended, and that was acknowledged; or the other way round, it was still listed as active.
     * @param {string} path
     * @param {{asked?: number, answered: number}} when [asked]: it was listed in an answer to a question of then
     */
    inSession(path, { asked, answered }) {
      const claim = claims.get(path);
      if (!claim) return;
      if (asked === undefined) claim.overBy = Math.min(claim.overBy, answered);
      else Object.assign(claim, { activeAt: Math.max(claim.activeAt, asked), activeBy: Math.min(claim.activeBy, answered) });
    },

    /**
     * A claim was acknowledged when it was made, and an answer said later that it does not exist.
     * @param {string} path
     */
    missed(path) {
      claims.get(path).missed = true;
    },

    /** @returns {string[]} what cannot be true */
    contradictions() {
      const found = [...listed, ...contradictionsOf(events)];
      const byResource = new Map();
      for (const claim of claims.values()) {
        if (claim.missed) found.push(`${claim.path} was acknowledged, and then said not to be there`);
        if (claim.activeAt > claim.overBy) found.push(`${claim.path} was active after its end was acknowledged`);
        if (claim.fence > 0) byResource.set(claim.resource, [...(byResource.get(claim.resource) ?? []), claim]);
      }
      for (const [resource, owners] of byResource) {
        owners.sort((one, other) => one.fence - other.fence);
        for (const [place, owner] of owners.entries()) {
          for (const later of owners.slice(place + 1)) {
            if (owner.fence === later.fence) found.push(`${owner.path} and ${later.path} have one fence`);
            if (owner.activeAt > later.activeBy) {
              found.push(`${resource} had two owners: ${owner.path} at ${owner.activeAt}, and ${later.path} from ${later.activeBy} on`);
            }
          }
        }
      }
      return found;
    },
  };
}

/**
 * Events in their order: a resource's fences grow, and a claim's statuses follow each other. Some events may be missing.
 * @param {Map<string, {path: string, status: string, resource: string, fence: number | null}>} events
 */
function contradictionsOf(events) {
  const found = [];
  const order = [...events].map(([id, event]) => ({ id, place: id.split('-').map(Number), ...event }));
  order.sort((one, other) => one.place[0] - other.place[0] || one.place[1] - other.place[1]);
  const fences = new Map();
  const ranks = new Map();
  for (const { id, path, status, resource, fence } of order) {
    const rank = ['waiting', 'active'].indexOf(status) + 1 || 3;
    if (rank <= (ranks.get(path) ?? 0)) found.push(`event ${id}: ${path} becomes ${status} after it was more than that`);
    ranks.set(path, rank);
    if (status !== 'active') continue;
    if (fence <= (fences.get(resource) ?? 0)) found.push(`event ${id}: ${resource} has fence ${fence} after ${fences.get(resource)}`);
    fences.set(resource, fence);
  }
  return found;
}
