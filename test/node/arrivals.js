/**
 * How contexts announce themselves, in one thread: glue/platform/node/arrivals.js as a stand-in.
 *
 * @param {Map<unknown, boolean>} heard by context that hears announcements, whether there was one since it last looked
 * @param {unknown} context
 */
export const arrivalsAmong = (heard, context) => ({
  announce() {
    heard.set(context, heard.get(context) || false);
    for (const each of heard.keys()) if (each !== context) heard.set(each, true);
  },
  any() {
    const result = heard.get(context) !== false;
    if (heard.has(context)) heard.set(context, false);
    return result;
  },
  close: () => void heard.delete(context),
});
