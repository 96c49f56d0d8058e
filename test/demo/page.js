/** The demo's page, as a test sees and drives it. */
import assert from 'node:assert/strict';
import { until } from '../browsers/drivers/wait.js';

/** Reports of two contexts are stamped by two clocks, which a browser sets from its own with a rounding of its own. */
const CLOCKS = 2;

/** In the page, before its scripts: keeps what the lanes report. */
function record() {
  if (window.top !== window) return;
  self.recorded = [];
  const channel = new BroadcastChannel(location.search.includes('native') ? 'lockkeeper-demo-native' : 'lockkeeper-demo');
  channel.onmessage = ({ data }) => self.recorded.push(data);
  self.rollCall = () => {
    channel.postMessage({ type: 'hello' });
    return self.recorded.length;
  };
}

export class DemoPage {
  /** @param {any} tab */
  constructor(tab) {
    this.tab = tab;
    /** The page's console messages and errors. @type {string[]} */
    this.complaints = [];
  }

  /**
   * @param {any} browser
   * @param {string} address
   * @param {{width?: number, height?: number, media?: Record<string, string>}} [options]
   */
  static async open(browser, address, { width = 1280, height = 1000, media = {} } = {}) {
    const page = new DemoPage(await browser.newTab('about:blank'));
    const { socket } = page.tab;
    socket.listeners.add(({ method, params }) => {
      if (method === 'Runtime.exceptionThrown') {
        page.complaints.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
      }
      if (method === 'Runtime.consoleAPICalled') page.complaints.push(params.args.map((each) => each.value ?? each.description).join(' '));
      if (method === 'Log.entryAdded') page.complaints.push(params.entry.text);
    });
    for (const domain of ['Runtime', 'Log']) await socket.send(`${domain}.enable`);
    await socket.send('Page.addScriptToEvaluateOnNewDocument', { source: `(${record})()` });
    await socket.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: width < 600 });
    await socket.send('Emulation.setEmulatedMedia', { features: Object.entries(media).map(([name, value]) => ({ name, value })) });
    await page.tab.navigate(address);
    return page;
  }

  evaluate(code, ...args) { return this.tab.evaluate(code, ...args); }

  close() { return this.tab.close(); }

  /** The texts in the lanes, from top to bottom. */
  lanes() {
    return this.evaluate(() => Array.from(document.querySelectorAll('.lane'), (lane) => ({
      label: lane.querySelector('h3').textContent, state: lane.querySelector('.state').textContent,
      leads: !lane.querySelector('.leads').hidden, gone: lane.classList.contains('gone'),
    })));
  }

  async lane(label) { return (await this.lanes()).find((lane) => lane.label === label && !lane.gone); }

  /** Waits until lanes of these labels are there. @param {string[]} labels */
  async shows(...labels) {
    let shown = [];
    await until(async () => {
      shown = (await this.lanes()).filter(({ gone, state }) => !gone && state !== 'starts').map(({ label }) => label);
      return labels.every((label) => shown.includes(label));
    }, 10000, () => `lanes ${labels.join(', ')}; there are ${shown.join(', ')}; ${this.complaints.join('\n')}`);
  }

  /** Waits until a lane is in that state. @param {string} label @param {string} state */
  async state(label, state) {
    let seen = '';
    await until(async () => {
      seen = (await this.lane(label))?.state ?? 'not there';
      return seen === state;
    }, 10000, () => `${label} is "${state}", not "${seen}"`);
  }

  /** Presses a button of a lane. */
  press(label, action) {
    return this.evaluate((wanted, name) => {
      const lanes = Array.from(document.querySelectorAll('.lane:not(.gone)'));
      const button = lanes.find((lane) => lane.querySelector('h3').textContent === wanted).querySelector(`[data-action=${name}]`);
      if (button.getAttribute('aria-disabled') === 'true') throw new Error(`${button.getAttribute('aria-label')}: not to be used now`);
      button.click();
    }, label, action);
  }

  click(selector) { return this.evaluate((wanted) => document.querySelector(wanted).click(), selector); }

  /** What the lanes' buttons ask for from now on. */
  choose(group, value) { return this.click(`input[name=${group}][value="${value}"]`); }

  text(selector) { return this.evaluate((wanted) => document.querySelector(wanted).textContent, selector); }

  /** Waits for a text to match. @param {string} selector @param {RegExp} pattern */
  async says(selector, pattern) {
    let seen = '';
    await until(async () => pattern.test(seen = await this.text(selector)), 10000, () => `${selector} matches ${pattern}: ${seen}`);
    return seen;
  }

  /** Autoplay ends, and so do its requests. */
  async calm() {
    await this.evaluate(() => {
      const button = document.getElementById('autoplay');
      if (button.getAttribute('aria-pressed') === 'true') button.click();
    });
    // A lane that has not heard of it yet may be idle, and about to ask: it counts once it has said that it does not play.
    const from = await this.evaluate(() => self.rollCall());
    await until(async () => {
      const answers = await this.evaluate((start) => self.recorded.slice(start).filter(({ type, autoplay }) => type === 'lane' && !autoplay)
        .map(({ label }) => label), from);
      return (await this.lanes()).every(({ label, gone }) => gone || answers.includes(label));
    }, 20000, 'no lane plays');
    await until(async () => (await this.lanes()).every(({ state, gone }) => gone || state === 'idle'), 20000, 'all lanes are idle');
  }

  /** The lanes' events so far, as {event, lane, at, request}; a lane's end is one as well. */
  async events() {
    const recorded = await this.evaluate(() => self.recorded.filter(({ type }) => type === 'event' || type === 'gone'));
    return recorded.map((message) => ({ event: 'gone', ...message }));
  }

  /** Waits for an event that [accept] takes. */
  async event(accept, what) { return until(async () => (await this.events()).find(accept), 15000, what); }

  async screenshot() {
    const { data } = await this.tab.socket.send('Page.captureScreenshot', { format: 'webp', quality: 75 });
    return Buffer.from(data, 'base64');
  }
}

/** The locks that were held, made of the lanes' events: {lane, name, mode, from, to}. */
export function holdings(events) {
  const open = new Map();
  const all = [];
  for (const { event, lane, at, request } of events) {
    if (event === 'gone') {
      all.filter((holding) => holding.lane === lane && holding.to === Infinity).forEach((holding) => { holding.to = at; });
      continue;
    }
    const key = `${lane} ${request.number}`;
    if (event === 'granted') {
      const holding = { lane, name: request.name, mode: request.mode, from: at, to: Infinity };
      open.set(key, holding);
      all.push(holding);
    } else if (open.has(key)) {
      open.get(key).to = at;
      open.delete(key);
    }
  }
  return all;
}

const together = (one, other) => Math.min(one.to, other.to) - Math.max(one.from, other.from);

/** No two locks of a name were held at once, except shared ones. Returns how many pairs of readers were. */
export function checkExclusion(all) {
  let readers = 0;
  all.forEach((one, index) => {
    for (const other of all.slice(index + 1)) {
      if (one.name !== other.name || together(one, other) <= CLOCKS) continue;
      assert.deepEqual([one.mode, other.mode], ['shared', 'shared'], `held at once: ${JSON.stringify([one, other])}`);
      if (one.lane !== other.lane) readers++;
    }
  });
  return readers;
}
