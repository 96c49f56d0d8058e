/**
 * The page's knowledge of all lanes, built from their reports.
 *
 * @typedef {object} LaneRequest
 * @property {number} number
 * @property {string} name
 * @property {'exclusive' | 'shared'} mode
 * @property {boolean} auto
 * @property {boolean} steal
 * @property {number} asked
 * @property {number} granted 0 while it waits
 *
 * @typedef {object} Lane
 * @property {string} id
 * @property {'tab' | 'frame' | 'worker' | 'shared'} kind
 * @property {string} label
 * @property {string} host the id of the page that made it
 * @property {Map<number, LaneRequest>} requests the open requests
 * @property {boolean} started whether it has reported; its row exists earlier, so that rows do not move later
 * @property {number} seen when its first report came
 * @property {boolean} known whether the manager lists it, or has listed it
 * @property {number} gone when it ended; 0 while it lives
 * @property {string} cause of its end
 *
 * @typedef {object} HandOver
 * @property {string} name
 * @property {Lane} from
 * @property {Lane} to
 * @property {number} at when it was granted
 * @property {number} took milliseconds from the end of the first lock to the grant of the second
 * @property {string} cause 'released', 'stolen', 'crashed' or 'closed'
 * @property {boolean} auto
 *
 * @typedef {object} ModelListener
 * @property {(lane: Lane) => void} laneBegan
 * @property {(lane: Lane) => void} laneStarted
 * @property {(lane: Lane) => void} laneEnded
 * @property {(lane: Lane, request: LaneRequest, event: string, at: number) => void} changed
 * @property {(handOver: HandOver) => void} handedOver
 */

/** Reports of different lanes may overtake each other by this many milliseconds. */
const SETTLED = 60;

/** @param {ModelListener} listener @param {() => number} now */
export const createModel = (listener, now) => {
  /** @type {Map<string, Lane>} */
  const lanes = new Map();
  /** @type {Map<string, {lane: Lane, at: number, cause: string}[]>} by name, the last ends of locks */
  const ends = new Map();

  /** @param {Lane} lane @param {LaneRequest} request @param {number} at @param {string} cause */
  const remember = (lane, request, at, cause) => {
    if (!request.granted) return;
    const list = ends.get(request.name) || [];
    list.push({ lane, at, cause });
    ends.set(request.name, list.slice(-8));
  };

  /** @param {Lane} lane @param {LaneRequest} request */
  const findHandOver = (lane, { name, asked, granted, auto }) => {
    // The lock for which it waited last. The clocks of two contexts differ by parts of a millisecond.
    const [last] = (ends.get(name) || []).filter((end) => end.at >= asked - 1 && end.at <= granted + SETTLED && end.lane !== lane)
      .sort((one, other) => other.at - one.at);
    if (!last) return;
    listener.handedOver({ name, from: last.lane, to: lane, at: granted, took: Math.max(0, granted - last.at), cause: last.cause, auto });
  };

  /** @param {any} lane */
  const begin = ({ id, kind, label, host }) => {
    const lane = { id, kind, label, host, requests: new Map(), started: false, seen: now(), known: false, gone: 0, cause: '' };
    lanes.set(id, lane);
    listener.laneBegan(lane);
    return lane;
  };

  /** @param {any} message */
  const laneHeard = ({ id, kind, label, host, requests }) => {
    const known = lanes.get(id);
    if (known && known.started && !known.gone) return;
    const lane = known && !known.gone ? known : begin({ id, kind, label, host });
    lane.started = true;
    listener.laneStarted(lane);
    for (const request of requests) {
      lane.requests.set(request.number, request);
      listener.changed(lane, request, 'asked', request.asked);
      if (request.granted) listener.changed(lane, request, 'granted', request.granted);
    }
  };

  /** @param {any} message */
  const eventHeard = ({ event, lane: id, at, request }) => {
    const lane = lanes.get(id);
    if (!lane || lane.gone) return;
    if (event === 'asked' || event === 'granted') lane.requests.set(request.number, request);
    else {
      lane.requests.delete(request.number);
      remember(lane, request, at, event);
    }
    listener.changed(lane, request, event, at);
    if (event === 'granted') setTimeout(findHandOver, SETTLED, lane, request);
  };

  /** @param {string} id @param {number} at @param {string} cause */
  const laneGone = (id, at, cause) => {
    const lane = lanes.get(id);
    if (!lane || lane.gone) return;
    lane.gone = at;
    lane.cause = cause;
    for (const request of lane.requests.values()) {
      remember(lane, request, at, cause);
      listener.changed(lane, request, cause, at);
    }
    lane.requests.clear();
    listener.laneEnded(lane);
  };

  return {
    lanes,
    laneGone,
    /** Adds a lane that was just created. */
    expect: begin,
    /** @param {any} message from the demo's channel */
    receive(message) {
      if (message.type === 'lane') laneHeard(message);
      else if (message.type === 'event') eventHeard(message);
      else if (message.type === 'gone') laneGone(message.lane, message.at, message.cause);
    },
    /** The first number that no lane of that kind has, including lanes that have ended but are still shown. @param {string} kind */
    freeNumber(kind) {
      const taken = Array.from(lanes.values()).filter((lane) => lane.kind === kind).map(({ label }) => Number(label.replace(/\D/g, '')));
      let number = 1;
      while (taken.includes(number)) number++;
      return number;
    },
  };
};
