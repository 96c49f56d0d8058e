/* lockkeeper 0.2.0, MIT */
"use strict";
var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);

// glue/entries/patterns.js
var patterns_exports = {};
__export(patterns_exports, {
  elect: () => elect,
  isLocked: () => isLocked,
  semaphore: () => semaphore,
  tryAcquire: () => tryAcquire,
  withTimeout: () => withTimeout
});
module.exports = __toCommonJS(patterns_exports);

// glue/edition/package.js
var IS_PACKAGE = true;

// glue/api/wording.js
var LONGEST = 60;
var withArticle = (name) => `${/^[aeio]/i.test(name) ? "an" : "a"} ${name}`;
var shorten = (text) => text.length > LONGEST ? `${text.slice(0, LONGEST)}\u2026` : text;
var kindOf = (object) => {
  const name = Object.prototype.toString.call(object).slice("[object ".length, -1);
  return withArticle(name === "Object" || name === "Array" ? name.toLowerCase() : shorten(name));
};
var show = (value) => {
  if (typeof value === "function") return "a function";
  if (typeof value === "object" && value !== null) return kindOf(value);
  return shorten(typeof value === "string" ? JSON.stringify(value) : `${String(value)}${typeof value === "bigint" ? "n" : ""}`);
};
var ifSwapped = (options) => typeof options === "function" ? " The options come before it." : "";
var ABORTED = IS_PACKAGE ? "The signal has aborted the request." : "Request aborted";

// glue/patterns/hold.js
var hold = async (locks2, name, options, callback, onLost) => {
  let runs = false;
  const loss = new AbortController();
  try {
    return await locks2.request(name, options, async (lock) => {
      if (!lock) return callback(null);
      runs = true;
      try {
        return await callback({ name, mode: lock.mode, signal: loss.signal });
      } finally {
        runs = false;
      }
    });
  } catch (error) {
    if (runs) {
      loss.abort(error);
      if (onLost) void Promise.resolve(error).then(onLost);
    }
    throw error;
  }
};
var reasonOf = ({ reason }) => reason === void 0 ? new DOMException(ABORTED, "AbortError") : reason;

// glue/core/own-member.js
var hasOwn = (object, key) => Object.prototype.hasOwnProperty.call(object, key);
var optionsOf = (options) => {
  const names = [];
  for (const name in options) if (hasOwn(
    /** @type {object} */
    options,
    name
  ) || !(name in Object.prototype)) names.push(name);
  return names;
};

// glue/api/known-options.js
var checkKnown = (operation, options, known) => {
  for (const option of optionsOf(options)) {
    if (known.includes(option)) continue;
    throw new TypeError(`${operation}() has no option ${show(option)}. Its options are ${known.join(", ")}.`);
  }
};

// glue/patterns/options.js
var toPatternOptions = (pattern, options, known, byDefault2) => {
  if (options !== void 0 && (typeof options !== "object" || options === null)) {
    throw new TypeError(`${pattern}() takes its options as an object, not ${show(options)}.`);
  }
  checkKnown(pattern, options, known);
  const { locks: locks2 = byDefault2, signal } = (
    /** @type {PatternOptions} */
    options || {}
  );
  if (!locks2 || typeof locks2.request !== "function" || typeof locks2.query !== "function") {
    throw new TypeError(`The option locks of ${pattern}() must be a LockManager, not ${show(locks2)}.`);
  }
  if (signal !== void 0 && (!signal || typeof signal.aborted !== "boolean" || typeof signal.addEventListener !== "function")) {
    throw new TypeError(`The option signal of ${pattern}() must be an AbortSignal, not ${show(signal)}.`);
  }
  for (const option of ["onLeader", "onLost"]) toOptionalFunction(
    option,
    /** @type {Record<string, unknown>} */
    (options || {})[option]
  );
  return (
    /** @type {Options & {locks: Manager}} */
    Object.assign({}, options, { locks: locks2 })
  );
};
var toOptionalFunction = (option, value) => {
  if (value === void 0 || typeof value === "function") return;
  throw new TypeError(`The option ${option} must be a function, not ${show(value)}.`);
};
var checkName = (pattern, name) => {
  if (name === void 0) throw new TypeError(`${pattern}() needs a name: a string. There is none.`);
  if (typeof name === "symbol") throw new TypeError(`${pattern}() needs a name: a string, not ${show(name)}.`);
};
var checkCallback = (pattern, callback, options) => {
  if (typeof callback === "function") return;
  throw new TypeError(`${pattern}() needs a callback: a function, not ${show(callback)}.${ifSwapped(options)}`);
};

// glue/patterns/elect.js
var createTerm = () => {
  const controller = new AbortController();
  let resolve = () => {
  };
  const over = new Promise((resolveOver) => {
    resolve = resolveOver;
  });
  return {
    signal: controller.signal,
    over,
    /** @param {unknown} [reason] */
    end(reason) {
      controller.abort(reason);
      resolve();
    }
  };
};
var createElect = (byDefault2) => (
  /**
   * @param {string} name
   * @param {ElectOptions} [given]
   * @returns {Election}
   */
  (name, given) => {
    checkName("elect", name);
    const { locks: locks2, signal, onLeader, onLost } = toPatternOptions("elect", given, ["locks", "onLeader", "onLost", "signal"], byDefault2);
    const candidacy = new AbortController();
    let term;
    const lead = async () => {
      if (candidacy.signal.aborted) return;
      const mine = term = createTerm();
      const work = Promise.resolve().then(() => onLeader && !mine.signal.aborted ? onLeader({ signal: mine.signal }) : void 0);
      try {
        await Promise.race([mine.over, work.then(() => mine.over)]);
        await work.catch(() => {
        });
      } finally {
        mine.end();
        if (term === mine) term = void 0;
      }
    };
    const isRefused = (error) => (
      /** @type {Error} */
      error && /** @type {Error} */
      error.name === "InvalidStateError"
    );
    const isLoss = (error) => (
      /** @type {Error} */
      error && /** @type {Error} */
      error.name === "AbortError"
    );
    const stand = async () => {
      let hasWaited = false;
      while (!candidacy.signal.aborted) {
        let failure;
        try {
          await hold(locks2, name, { signal: candidacy.signal }, () => lead().catch((error) => {
            failure = { error };
          }));
        } catch (error) {
          const lost = term;
          term = void 0;
          if (lost) {
            lost.end(error);
            if (onLost && !candidacy.signal.aborted) void Promise.resolve(error).then(onLost);
          } else if (hasWaited && isRefused(error)) return;
          else if (!candidacy.signal.aborted && !isLoss(error)) throw error;
          hasWaited = true;
          continue;
        }
        if (failure) throw (
          /** @type {{error: unknown}} */
          failure.error
        );
      }
    };
    const stop = () => {
      candidacy.abort();
      if (term) term.end();
    };
    if (signal && signal.aborted) stop();
    else if (signal) signal.addEventListener("abort", stop);
    const candidate = async () => {
      try {
        await stand();
      } finally {
        if (signal) signal.removeEventListener("abort", stop);
      }
    };
    const ended = candidate();
    const election = {
      get isLeader() {
        return !!term && !candidacy.signal.aborted;
      },
      ended,
      async resign() {
        stop();
        await ended.catch(() => {
        });
      }
    };
    return Symbol.asyncDispose ? Object.assign(election, { [Symbol.asyncDispose]: election.resign }) : election;
  }
);

// glue/patterns/semaphore.js
var MOST = 1e4;
var take = (locks2, name, slot, options, onLost) => new Promise((resolve, reject) => {
  const done = hold(locks2, `${name} slot ${slot + 1}`, options, (lock) => {
    if (!lock) {
      resolve(void 0);
      return void 0;
    }
    return new Promise((end, fail) => {
      resolve({
        use(work) {
          if (lock.signal.aborted) return done;
          new Promise((settle) => settle(work({ slot, signal: lock.signal }))).then(end, fail);
          return done;
        }
      });
    });
  }, onLost);
  done.catch(reject);
});
var giveBack = (taken) => void taken.use(() => {
});
var createSemaphore = (byDefault2) => (
  /**
   * @param {string} name
   * @param {number} slots
   * @param {import('./options.js').PatternOptions} [given]
   */
  (name, slots, given) => {
    checkName("semaphore", name);
    if (!Number.isInteger(slots) || slots < 1 || slots > MOST) {
      throw new TypeError(`semaphore() needs a whole number of slots, from 1 to ${MOST}, not ${show(slots)}.`);
    }
    const { locks: locks2, onLost: onAnyLost } = toPatternOptions("semaphore", given, ["locks", "onLost"], byDefault2);
    const all = Array.from({ length: slots }, (_, index) => index);
    const takeFree = async (onLost) => {
      for (const slot of all) {
        const taken = await take(locks2, name, slot, { ifAvailable: true }, onLost);
        if (taken) return taken;
      }
      return void 0;
    };
    const takeFirst = (signal, onLost) => new Promise((resolve, reject) => {
      const enough = new AbortController();
      const stop = () => enough.abort(reasonOf(signal));
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop);
      let first = true;
      const finish = () => {
        first = false;
        enough.abort();
      };
      for (const slot of all) {
        take(locks2, name, slot, { signal: enough.signal }, onLost).then((taken) => {
          if (!taken) return;
          if (first) {
            finish();
            resolve(taken);
          } else giveBack(taken);
        }, (error) => {
          finish();
          reject(error);
        });
      }
    });
    return {
      name,
      slots,
      /**
       * request(callback) or request(options, callback).
       * @param {...unknown} args
       * @returns {Promise<unknown>}
       */
      async request(...args) {
        const [options, callback] = (
          /** @type {[SlotOptions | undefined, (slot: Slot | null) => unknown]} */
          args.length > 1 ? args : [void 0, args[0]]
        );
        checkCallback("request", callback, options);
        const known = ["ifAvailable", "signal", "onLost"];
        const { signal, ifAvailable, onLost = onAnyLost } = toPatternOptions("request", options, known, locks2);
        if (signal && signal.aborted) throw reasonOf(signal);
        if (ifAvailable) {
          const free = await takeFree(onLost);
          if (signal && signal.aborted) {
            if (free) giveBack(free);
            throw reasonOf(signal);
          }
          return free ? free.use(callback) : callback(null);
        }
        const waiting = new AbortController();
        const stop = () => waiting.abort(signal && reasonOf(signal));
        if (signal) signal.addEventListener("abort", stop);
        let taken;
        let over = false;
        try {
          await locks2.request(`${name} queue`, { signal: waiting.signal }, async () => {
            const got = await takeFree(onLost) || await takeFirst(waiting.signal, onLost);
            if (over) giveBack(got);
            else taken = got;
          });
          if (signal && signal.aborted) throw reasonOf(signal);
        } catch (error) {
          over = true;
          if (taken) giveBack(taken);
          waiting.abort(error);
          throw error;
        } finally {
          if (signal) signal.removeEventListener("abort", stop);
        }
        return (
          /** @type {Taken} */
          /** @type {unknown} */
          taken.use(callback)
        );
      }
    };
  }
);

// glue/log/clock.js
var LONGEST_TIMER = 2 ** 31 - 1;

// glue/patterns/single.js
var ACQUIRE = ["locks", "mode", "onLost"];
var createTryAcquire = (byDefault2) => (
  /**
   * @param {string} name
   * @param {SingleOptions} [given]
   * @returns {Promise<Handle | null>}
   */
  async (name, given) => {
    checkName("tryAcquire", name);
    const { locks: locks2, mode, onLost } = toPatternOptions("tryAcquire", given, ACQUIRE, byDefault2);
    return new Promise((resolve, reject) => {
      const done = hold(locks2, name, { mode, ifAvailable: true }, (lock) => {
        if (!lock) {
          resolve(null);
          return void 0;
        }
        return new Promise((end) => {
          const release = () => end(void 0);
          const released = Promise.resolve().then(() => done);
          released.catch(() => {
          });
          const handle = { ...lock, released, release };
          const dispose = () => {
            release();
            return released.catch(() => {
            });
          };
          resolve(Symbol.asyncDispose ? Object.assign(handle, { [Symbol.asyncDispose]: dispose }) : handle);
        });
      }, onLost);
      done.catch(reject);
    });
  }
);
var createIsLocked = (byDefault2) => (
  /**
   * @param {string} name
   * @param {SingleOptions} [given]
   */
  async (name, given) => {
    checkName("isLocked", name);
    const { held = [] } = await toPatternOptions("isLocked", given, ["locks"], byDefault2).locks.query();
    return held.some((each) => each.name === `${name}`);
  }
);
var checkTimeout = (milliseconds) => {
  if (typeof milliseconds === "number" && milliseconds >= 0) return;
  throw new TypeError(`withTimeout() needs a number of milliseconds, 0 or more, not ${show(milliseconds)}.`);
};
var createWithTimeout = (byDefault2) => (
  /**
   * withTimeout(name, milliseconds, callback) or withTimeout(name, milliseconds, options, callback).
   * @param {string} name
   * @param {number} milliseconds
   * @param {...unknown} args
   * @returns {Promise<unknown>}
   */
  async (name, milliseconds, ...args) => {
    checkName("withTimeout", name);
    checkTimeout(milliseconds);
    const [given, callback] = (
      /** @type {[SingleOptions | undefined, (lock: HeldLock | null) => unknown]} */
      args.length > 1 ? args : [void 0, args[0]]
    );
    checkCallback("withTimeout", callback, given);
    const { locks: locks2, mode, signal, onLost } = toPatternOptions("withTimeout", given, [...ACQUIRE, "signal"], byDefault2);
    if (signal && signal.aborted) throw reasonOf(signal);
    const late = () => new DOMException(`The lock on ${show(name)} was not granted within ${milliseconds} ms.`, "TimeoutError");
    if (milliseconds === 0) {
      return hold(locks2, name, { mode, ifAvailable: true }, (lock) => {
        if (signal && signal.aborted) throw reasonOf(signal);
        if (!lock) throw late();
        return callback(lock);
      }, onLost);
    }
    const waiting = new AbortController();
    const stop = () => waiting.abort(signal && reasonOf(signal));
    if (signal) signal.addEventListener("abort", stop);
    const timer = milliseconds > LONGEST_TIMER ? void 0 : setTimeout(() => waiting.abort(late()), milliseconds);
    const stopWaiting = () => {
      clearTimeout(timer);
      if (signal) signal.removeEventListener("abort", stop);
    };
    try {
      return await hold(locks2, name, { mode, signal: waiting.signal }, (lock) => {
        stopWaiting();
        return callback(lock);
      }, onLost);
    } finally {
      stopWaiting();
    }
  }
);

// glue/entries/patterns.js
var import_index = require("./lockkeeper.nowasm.cjs");
var locks = (
  /** @type {import('../patterns/options.js').Manager} */
  import_index.locks
);
var elect = /* @__PURE__ */ createElect(locks);
var semaphore = /* @__PURE__ */ createSemaphore(locks);
var tryAcquire = /* @__PURE__ */ createTryAcquire(locks);
var isLocked = /* @__PURE__ */ createIsLocked(locks);
var withTimeout = /* @__PURE__ */ createWithTimeout(locks);
// Annotate the CommonJS export names for ESM import in node:
0 && (module.exports = {
  elect,
  isLocked,
  semaphore,
  tryAcquire,
  withTimeout
});
