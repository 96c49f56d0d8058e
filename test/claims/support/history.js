/**
 * What clients were told, and whether it can all be true. Every answer came at some moment between its request and its arrival; a claim
 * is active in one stretch of time. So a resource had two owners if the answers leave no way to put two stretches one after the other.
 *
 * @typedef {object} Told of one claim
 * @property {string} path
 * @property {string} resource
 * @property {number} fence 0 while nobody has seen it active
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

  return {
    claims,

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
     * A claim whose making was acknowledged was said not to be there.
     * @param {string} path
     */
    missed(path) {
      claims.get(path).missed = true;
    },

    /** @returns {string[]} what cannot be true */
    contradictions() {
      const found = [];
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
