/**
 * Claims and sessions as JSON. Seconds have a fraction (20.0), so that no reader takes them for integers. user_data is the text that the
 * client sent.
 */

/** @typedef {import('./claim.js').View} View */

/**
 * @param {View} view
 * @param {string} base the service's URL, without a slash at its end
 * @returns {string}
 */
export function render(view, base) {
  const { resources, list, status, history, ttl, activeDuration, waitingDuration, waitingTtl } = view;
  const { userData, mode, limit, owner, fence, session } = view;
  const steps = history.map(({ status: step, at, by }) => (
    `{"status":"${step}","timestamp":"${timestamp(at)}"${by === undefined ? '' : `,"by":${JSON.stringify(by)}`}}`));
  return `{"url":${JSON.stringify(claimUrl(view.id, base))},`
    + `"resource":${JSON.stringify(list ? resources : resources[0])},`
    + `"status":"${status}","status_history":[${steps.join(',')}],"created":"${timestamp(history[0].at)}",`
    + `"ttl":${float(ttl)},"active_duration":${float(activeDuration)},"waiting_duration":${float(waitingDuration)},`
    + `"user_data":${userData ?? 'null'},"mode":"${mode}","limit":${limit},"owner":${JSON.stringify(owner)},"fence":${fence},`
    + `"waiting_ttl":${float(waitingTtl)},"session":${session === null ? null : JSON.stringify(sessionUrl(session, base))}}`;
}

/**
 * @param {number} id
 * @param {string} base
 */
export const claimUrl = (id, base) => `${base}/v1/claims/${id}/`;

/**
 * @param {import('./sessions.js').SessionView} view
 * @param {string} base
 */
export function renderSession({ id, ttl, owner, created, active, waiting }, base) {
  const urls = (/** @type {number[]} */ ids) => JSON.stringify(ids.map((each) => claimUrl(each, base)));
  return `{"url":${JSON.stringify(sessionUrl(id, base))},"created":"${timestamp(created)}","ttl":${float(ttl)},`
    + `"owner":${JSON.stringify(owner)},"active":${urls(active)},"waiting":${urls(waiting)}}`;
}

/**
 * @param {number} id
 * @param {string} base
 */
export const sessionUrl = (id, base) => `${base}/v1/sessions/${id}/`;

/** The last one, since all events of a batch have one time. */
const written = { at: NaN, text: '' };

/** @param {number} at wall clock, milliseconds */
export function timestamp(at) {
  if (written.at !== at) Object.assign(written, { at, text: new Date(at).toISOString() });
  return written.text;
}

/**
 * From 10 ** 21 on, JavaScript writes an exponent, so no fraction is needed.
 * @param {number | null} value
 */
function float(value) {
  // Version 0.1 accepted any ttl, and JSON has no Infinity.
  if (value === null || !Number.isFinite(value)) return 'null';
  return Number.isInteger(value) && Math.abs(value) < 1e21 ? value.toFixed(1) : String(value);
}
