/**
 * The moving picture: a strip for each lane, and lines between lanes for hand-overs. On a strip, each request is a hatched bar while it
 * waits and a solid one while it holds. The right edge is now.
 *
 * @typedef {object} Bar
 * @property {HTMLElement} element
 * @property {number} start
 * @property {number} end Infinity while it grows
 *
 * @typedef {object} Line
 * @property {HTMLElement} element
 * @property {number} at
 * @property {HTMLElement} from a strip
 * @property {HTMLElement} to
 * @property {number} track
 */

const TRACK_HEIGHT = 22;
/** After this many milliseconds the origin of all positions moves, before they grow too large. */
const REBASE = 600000;

/**
 * @param {object} options
 * @param {HTMLElement} options.list the list of lanes
 * @param {HTMLElement} options.overlay a strip behind all lanes, for the lines between them
 * @param {HTMLElement} options.axis
 * @param {() => number} options.now
 * @param {(name: string) => number} options.colorOf a lock name's colour, by number
 */
export const createTimeline = ({ list, overlay, axis, now, colorOf }) => {
  const field = /** @type {HTMLElement} */ (overlay.parentElement);
  const still = matchMedia('(prefers-reduced-motion: reduce)');
  /** @type {Map<string, Bar[]>} by lane and request */
  const growing = new Map();
  /** @type {Set<Bar>} */
  const bars = new Set();
  /** @type {Set<Line>} */
  const lines = new Set();
  /** @type {Set<HTMLElement>} */
  const strips = new Set([overlay]);
  let origin = now();
  let width = 0;
  let scale = 0.045;

  const place = (/** @type {Bar} */ bar, /** @type {number} */ time) => {
    bar.element.style.left = `${(bar.start - origin) * scale}px`;
    bar.element.style.width = `${Math.max(2, (Math.min(bar.end, time) - bar.start) * scale)}px`;
  };
  const middle = (/** @type {HTMLElement} */ strip, /** @type {number} */ track) => {
    const box = /** @type {HTMLElement} */ (strip.parentElement);
    return box.getBoundingClientRect().top - field.getBoundingClientRect().top + 8 + (track + 0.5) * TRACK_HEIGHT;
  };
  const placeLine = (/** @type {Line} */ { element, at, from, to, track }) => {
    const [start, end] = [middle(from, track), middle(to, track)];
    element.style.left = `${(at - origin) * scale}px`;
    element.style.top = `${Math.min(start, end)}px`;
    element.style.height = `${Math.abs(end - start)}px`;
  };

  const placeAll = (/** @type {number} */ time) => {
    bars.forEach((bar) => place(bar, time));
    lines.forEach(placeLine);
  };

  const draw = () => {
    let time = now();
    if (still.matches) time = Math.ceil(time / 1000) * 1000;
    if (time - origin > REBASE) {
      origin = time;
      placeAll(time);
    }
    const shift = `translateX(${(origin - time) * scale}px)`;
    strips.forEach((strip) => {
      strip.style.transform = shift;
    });
    const edge = time - width / scale;
    bars.forEach((bar) => {
      if (bar.end === Infinity) place(bar, time);
      else if (bar.end < edge) {
        bar.element.remove();
        bars.delete(bar);
      }
    });
    lines.forEach((line) => {
      if (line.at > edge && strips.has(line.from) && strips.has(line.to)) return;
      line.element.remove();
      lines.delete(line);
    });
  };

  /** The axis does not move: it counts back from now, at its right end. */
  const markAxis = () => {
    const marks = [];
    for (let seconds = 0; (seconds + 1) * 1000 * scale < width; seconds += 5) {
      const mark = document.createElement('span');
      mark.textContent = seconds ? `${seconds} s` : 'now';
      mark.style.right = `${seconds * 1000 * scale}px`;
      marks.push(mark);
    }
    axis.textContent = '';
    axis.append(...marks);
  };

  const measure = () => {
    width = field.clientWidth;
    scale = width < 500 ? 0.032 : 0.045;
    markAxis();
    placeAll(now());
    draw();
  };
  new ResizeObserver(measure).observe(list);

  // Do not draw while nothing changes.
  let drawing = false;
  const loop = () => {
    draw();
    drawing = bars.size > 0;
    if (!drawing) return;
    if (still.matches) setTimeout(loop, 1000);
    else requestAnimationFrame(loop);
  };
  const wake = () => {
    if (drawing) return draw();
    drawing = true;
    loop();
  };

  /**
   * @param {HTMLElement} strip
   * @param {string} look classes
   * @param {string} name the lock's
   * @param {string} text
   * @param {number} start
   */
  const addBar = (strip, look, name, text, start) => {
    const element = document.createElement('span');
    const label = document.createElement('span');
    label.textContent = text;
    element.append(label);
    const color = colorOf(name);
    element.className = `bar ${look} color-${color}`;
    element.style.top = `${trackOf(color) * TRACK_HEIGHT}px`;
    strip.append(element);
    const bar = { element, start, end: Infinity };
    bars.add(bar);
    return bar;
  };

  /** Each of the first two names has its own track. The others share a third one, which appears when it is needed. @param {number} color */
  const trackOf = (color) => {
    const track = Math.min(color, 2);
    if (track === 2) list.classList.add('three-tracks');
    return track;
  };

  return {
    windowLength: () => width / scale,

    /** @param {HTMLElement} box the lane's part of the picture */
    addStrip(box) {
      const strip = document.createElement('div');
      strip.className = 'strip';
      box.append(strip);
      strips.add(strip);
      return strip;
    },

    /** @param {HTMLElement} strip */
    removeStrip(strip) {
      strips.delete(strip);
      bars.forEach((bar) => {
        if (bar.element.parentElement === strip) bars.delete(bar);
      });
    },

    /**
     * @param {HTMLElement} strip
     * @param {string} key of the lane's request
     * @param {import('./model.js').LaneRequest} request
     * @param {string} event
     * @param {number} at
     */
    show(strip, key, { name, mode }, event, at) {
      const [waiting, holding] = growing.get(key) || [];
      if (event === 'asked') growing.set(key, [addBar(strip, 'waiting', name, '', at)]);
      else if (event === 'granted') {
        if (!waiting) return;
        waiting.end = at;
        place(waiting, at);
        growing.set(key, [waiting, addBar(strip, `held ${mode}`, name, name, at)]);
      } else {
        const bar = holding || waiting;
        if (!bar) return;
        bar.end = at;
        bar.element.classList.add('ended', `ended-${event}`);
        place(bar, at);
        growing.delete(key);
      }
      wake();
    },

    /** @param {HTMLElement} from @param {HTMLElement} to @param {string} name @param {number} at */
    connect(from, to, name, at) {
      const color = colorOf(name);
      const element = document.createElement('span');
      element.className = `line color-${color}`;
      overlay.append(element);
      const line = { element, at, from, to, track: trackOf(color) };
      lines.add(line);
      placeLine(line);
    },

    measure,
  };
};
