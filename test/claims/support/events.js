/** A reader of Server-Sent Events. */

/**
 * @param {string} url of the service
 * @param {string} [query]
 * @param {Record<string, string>} [headers]
 */
export async function openEvents(url, query = '', headers = {}) {
  const controller = new AbortController();
  const response = await fetch(`${url}/v1/events${query}`, { headers, signal: controller.signal });
  if (response.status !== 200) throw new Error(`the events answer ${response.status}`);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';

  async function next() {
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end < 0) {
        const { value, done } = await reader.read();
        if (done) throw new Error('the events have ended');
        text += value;
        continue;
      }
      const fields = Object.fromEntries(text.slice(0, end).split('\n').map((line) => /^([^:]*): ?(.*)$/.exec(line).slice(1)));
      text = text.slice(end + 2);
      if (fields.data !== undefined) return { id: fields.id, event: fields.event, data: JSON.parse(fields.data) };
    }
  }

  // The stream has begun when it has said how long to wait before coming back.
  while (!text.includes('\n\n')) text += (await reader.read()).value;

  return {
    /** @param {number} count */
    async take(count) {
      const taken = [];
      while (taken.length < count) taken.push(await next());
      return taken;
    },
    close: () => controller.abort(),
  };
}
