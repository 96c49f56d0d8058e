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

// glue/entries/drafts.js
var drafts_exports = {};
__export(drafts_exports, {
  Flag: () => Flag,
  acquire: () => acquire,
  draftsOf: () => draftsOf,
  forceRelease: () => forceRelease,
  queryState: () => queryState,
  requestAutoReleaseLock: () => requestAutoReleaseLock,
  requestExplicitLock: () => requestExplicitLock,
  requestFlag: () => requestFlag,
  requestScopedLock: () => requestScopedLock
});
module.exports = __toCommonJS(drafts_exports);

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
var tooFewArguments = (operation, needed, count) => IS_PACKAGE ? `${operation}() needs ${needed}. It was called with ${count === 1 ? "1 argument" : `${count} arguments`}.` : "Too few arguments";
var ifSwapped = (options) => typeof options === "function" ? " The options come before it." : "";
var notACallback = (value, options) => IS_PACKAGE ? `The callback must be a function, not ${show(value)}.${ifSwapped(options)}` : "No callback";
var notOptions = (value) => IS_PACKAGE ? `The options must be an object, not ${show(value)}.` : "No options";
var notAString = (what, value) => `The ${what} must be a string, not ${show(value)}.`;
var tooLong = (what, longest, length) => IS_PACKAGE ? `The ${what} has ${length} characters. It may have at most ${longest}.` : "Too long";
var notAMode = (value) => IS_PACKAGE ? `The lock mode must be 'exclusive' or 'shared', not ${show(value)}.` : "No lock mode";
var notASignal = (value) => IS_PACKAGE ? `The option signal must be an AbortSignal, not ${show(value)}.` : "No AbortSignal";
var reservedName = (name) => IS_PACKAGE ? `The name ${show(name)} is reserved: the name of a lock must not begin with a hyphen.` : "Reserved name";
var illegalInvocation = (name) => IS_PACKAGE ? `Illegal invocation: this is not ${withArticle(name)}. Call a method as object.method(), or bind it to its object.` : "Illegal invocation";
var illegalConstructor = (name) => IS_PACKAGE ? `Illegal constructor: ${withArticle(name)} cannot be made by new.` : "Illegal constructor";
var INACTIVE_DOCUMENT = IS_PACKAGE ? "This document is not active: its frame was removed, or its window shows another document." : "Inactive document";
var OPAQUE_ORIGIN = IS_PACKAGE ? "This origin is opaque, so it has no storage and no locks. A sandboxed frame needs allow-same-origin." : "Opaque origin";
var ABORTED = IS_PACKAGE ? "The signal has aborted the request." : "Request aborted";
var lockOn = (names) => `lock on ${names.map(show).join(", ")}`;
var unanswered = (names) => `The ${lockOn(names)} was not granted within the timeout: the lock manager has not answered. docs/faq.md, "Why does a request not settle?", says what to check.`;
var ending = (outcome, names, held) => {
  if (!IS_PACKAGE) return ["AbortError", "Lock lost"];
  if (outcome === "expired") {
    const what = lockOn(names);
    return ["TimeoutError", held ? `The lease of the ${what} is over.` : `The ${what} was not granted within the timeout.`];
  }
  if (outcome === "closed") return ["AbortError", `The request for the ${lockOn(names)} has ended: its lock manager was closed.`];
  if (outcome === "lost") {
    return ["AbortError", `The ${lockOn(names)} was lost: this context has left the lock manager, as a page does on its way into the back-forward cache, or the others took it for dead.`];
  }
  return ["AbortError", `The ${lockOn(names)} was lost: stolen, or broken by forceRelease().`];
};

// glue/api/idl.js
var LONGEST2 = 2 ** 20;
var toDOMString = (value, what = "name") => {
  if (IS_PACKAGE && typeof value === "symbol") throw new TypeError(notAString(what, value));
  const text = `${value}`;
  if (text.length > LONGEST2) throw new TypeError(tooLong(what, LONGEST2, text.length));
  return text;
};
var toMode = (value = "exclusive") => {
  const mode = toDOMString(value, "lock mode");
  if (mode !== "exclusive" && mode !== "shared") throw new TypeError(notAMode(mode));
  return mode;
};
var toSignal = (global, value) => {
  if (value === void 0) return void 0;
  const { AbortSignal } = global;
  const getter = AbortSignal && Object.getOwnPropertyDescriptor(AbortSignal.prototype, "aborted");
  try {
    const signal = (
      /** @type {AbortSignal} */
      value
    );
    if (typeof (getter ? (
      /** @type {Function} */
      getter.get.call(signal)
    ) : signal.aborted) === "boolean") return signal;
  } catch {
  }
  throw new TypeError(notASignal(value));
};
var toCallback = (value, options) => {
  if (typeof value !== "function") throw new TypeError(notACallback(value, options));
  return (
    /** @type {(argument: unknown) => unknown} */
    value
  );
};
var EMPTY = (
  /** @type {Record<string, unknown>} */
  Object.freeze(/* @__PURE__ */ Object.create(null))
);
var toDictionary = (value) => {
  if (value === void 0 || value === null) return EMPTY;
  if (Object(value) !== value) throw new TypeError(notOptions(value));
  return (
    /** @type {Record<string, unknown>} */
    value
  );
};

// glue/api/platform-object.js
var answer;
var Handler = class {
  /** @param {Function} Interface @param {unknown} state */
  constructor(Interface, state) {
    this.Interface = Interface;
    this.state = state;
    this.proxy = new Proxy(Object.create(Interface.prototype), this);
  }
  /** @param {object} target */
  getPrototypeOf(target) {
    answer = this;
    return Object.getPrototypeOf(target);
  }
};
Object.setPrototypeOf(Handler.prototype, null);
var createPlatformObject = (Interface, state) => new Handler(Interface, state).proxy;
var stateOf = (Interface, object) => {
  const prototype = Object.getPrototypeOf(Object(object));
  const handler = (
    /** @type {Handler | undefined} */
    prototype && answer
  );
  if (!handler || handler.proxy !== object || handler.Interface !== Interface) throw new TypeError(illegalInvocation(Interface.name));
  return (
    /** @type {State} */
    handler.state
  );
};
var defineMembers = (target, members) => Object.defineProperties(target, Object.getOwnPropertyDescriptors(members));
var INSPECT = /* @__PURE__ */ Symbol.for("nodejs.util.inspect.custom");
var SHOWN = ["name", "scope", "mode", "fence"];
var showInConsole = function(depth, options, inspect) {
  const tag = this[Symbol.toStringTag];
  try {
    return `${tag} ${inspect(Object.fromEntries(SHOWN.filter((key) => key in this).map((key) => [key, this[key]])), options)}`;
  } catch {
    return `${tag} {}`;
  }
};
var defineInterface = (name, members) => {
  const Interface = class {
    constructor() {
      throw new TypeError(illegalConstructor(name));
    }
  };
  const tag = { value: name, configurable: true };
  Object.defineProperty(Interface, "name", tag);
  Object.defineProperty(defineMembers(Interface.prototype, members), Symbol.toStringTag, tag);
  if (IS_PACKAGE) Object.defineProperty(Interface.prototype, INSPECT, { value: showInConsole, configurable: true });
  return Interface;
};

// glue/api/drafts/lock.js
var defineLock = (name, more = () => ({})) => {
  const of = (object) => stateOf(Interface, object);
  const heldBy = (object) => of(object).held;
  const Interface = defineInterface(name, defineMembers({
    get scope() {
      return heldBy(this).scope;
    },
    get mode() {
      return heldBy(this).mode;
    },
    get fence() {
      return heldBy(this).fence;
    },
    get signal() {
      return heldBy(this).signal();
    }
  }, more(of)));
  return Interface;
};
var ScopedLock = /* @__PURE__ */ defineLock("Lock");
var createScopedLock = (held) => createPlatformObject(ScopedLock, { held });

// glue/log/clock.js
var LONGEST_TIMER = 2 ** 31 - 1;

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

// glue/api/drafts/options.js
var toDuration = (option, value) => {
  if (value === void 0) return Infinity;
  const isNumeric = typeof value === "number" || typeof value === "string" && value.trim() !== "";
  const duration = isNumeric ? Number(value) : NaN;
  if (!(duration >= 0)) throw new TypeError(`The option ${option} must be a number of milliseconds, 0 or more, not ${show(value)}.`);
  return duration > LONGEST_TIMER ? Infinity : Math.ceil(duration);
};
var toListener = (value) => {
  if (value === void 0 || typeof value === "function") return (
    /** @type {DraftOptions['onContention']} */
    value
  );
  throw new TypeError(`The option onContention must be a function, not ${show(value)}.`);
};
var FLAG = ["hold", "onContention", "signal", "timeout"];
var ALL = ["hold", "ifAvailable", "mode", "onContention", "signal", "timeout"];
var toKnown = (operation, value, known) => {
  if (typeof value === "function") throw new TypeError(notOptions(value));
  const dictionary = toDictionary(value);
  checkKnown(operation, dictionary, known);
  return dictionary;
};
var toOptions = (global, operation, value) => {
  const dictionary = toKnown(operation, value, ALL);
  return {
    hold: toDuration("hold", dictionary.hold),
    ifAvailable: Boolean(dictionary.ifAvailable),
    mode: toMode(dictionary.mode),
    onContention: toListener(dictionary.onContention),
    signal: toSignal(global, dictionary.signal),
    timeout: toDuration("timeout", dictionary.timeout)
  };
};
var toFlagOptions = (global, mode, value) => {
  const converted = toMode(toDOMString(mode, "lock mode"));
  const dictionary = toKnown("requestFlag", value, FLAG);
  return {
    hold: toDuration("hold", dictionary.hold),
    mode: converted,
    onContention: toListener(dictionary.onContention),
    signal: toSignal(global, dictionary.signal),
    timeout: toDuration("timeout", dictionary.timeout)
  };
};

// glue/api/stack.js
var LEVELS = 32;
var COLD_LEVELS = 400;
var COLD_CALLS = 100;
var calls = 0;
var descend = (levels, a, b, c, d, e, f, g, h, i, j, k, l) => levels && 1 + descend(levels - 1, a, b, c, d, e, f, g, h, i, j, k, l);
var needStack = (isRare) => {
  descend(isRare || calls < COLD_CALLS ? COLD_LEVELS : LEVELS);
  calls++;
};
var callWithStack = (callback) => {
  try {
    needStack(true);
  } catch {
    void Promise.resolve().then(callback);
    return;
  }
  callback();
};

// glue/api/environment.js
var createException = ({ DOMException }, name, message) => new DOMException(message, name);
var isFullyActive = ({ document }) => {
  if (!document) return true;
  try {
    return (
      /** @type {Window} */
      document.defaultView.document === document
    );
  } catch {
    return false;
  }
};
var checkEnvironment = (environment) => {
  needStack();
  if (!isFullyActive(environment)) throw createException(environment, "InvalidStateError", INACTIVE_DOCUMENT);
  if (environment.opaque) throw createException(environment, "SecurityError", OPAQUE_ORIGIN);
};

// glue/api/follow.js
var followed = /* @__PURE__ */ new WeakMap();
var follow = (signal, onAbort) => {
  if (!IS_PACKAGE) {
    const listener2 = () => {
      if (signal.aborted) onAbort();
    };
    signal.addEventListener("abort", listener2);
    return () => signal.removeEventListener("abort", listener2);
  }
  const both = followed.get(signal) || [/* @__PURE__ */ new Set(), () => {
    if (signal.aborted) both[0].forEach((each) => each());
  }];
  const [onAborts, listener] = both;
  if (!onAborts.size) {
    followed.set(signal, both);
    signal.addEventListener("abort", listener);
  }
  onAborts.add(onAbort);
  return () => {
    onAborts.delete(onAbort);
    if (!onAborts.size) signal.removeEventListener("abort", listener);
  };
};

// glue/api/request.js
var abortReason = (environment, signal) => {
  const { reason } = signal;
  return reason === void 0 ? createException(environment, "AbortError", ABORTED) : reason;
};
var run = (callback, handle) => new Promise((settle) => settle(callback(handle)));
var requestLock = (environment, log, description, signal, createHandle, callback) => {
  let resolve = (
    /** @type {(value: unknown) => void} */
    /** @type {unknown} */
    void 0
  );
  let reject = resolve;
  let held = false;
  let ended = false;
  const promise = new Promise((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  const request = log.request(description, (outcome, fence, reason) => {
    if (outcome === "granted" && signal && signal.aborted) {
      abort();
      return;
    }
    stopFollowing();
    if (outcome === "granted") {
      held = true;
      const settled = (settle) => (value) => {
        if (!ended) log.drop(request);
        settle(value);
      };
      run(callback, createHandle(fence, description)).then(settled(resolve), settled(reject));
    } else if (outcome === "unavailable") resolve(run(callback, null));
    else {
      ended = true;
      reject(reason || createException(environment, ...ending(outcome, description.names, held)));
    }
  });
  const abort = () => {
    stopFollowing();
    log.drop(request);
    reject(abortReason(
      environment,
      /** @type {AbortSignal} */
      signal
    ));
  };
  const stopFollowing = signal ? follow(signal, () => callWithStack(abort)) : () => {
  };
  return promise;
};

// glue/api/drafts/contention.js
var watchContention = (observation, held, callback) => {
  let wanted = true;
  const known = /* @__PURE__ */ new Set();
  const isBlocked = ({ mode, names }) => (mode === "exclusive" || held.mode === "exclusive") && names.some((name) => held.scope.includes(name));
  const tell = ({ client, number, mode, names }) => {
    const key = `${number} ${client}`;
    if (known.has(key)) return;
    known.add(key);
    void Promise.resolve().then(() => wanted && callback({ clientId: client, mode, scope: Object.freeze([...names]) }));
  };
  const look = () => observation.state().pending.filter(isBlocked).forEach(tell);
  const stop = observation.listen((operation, events = []) => {
    if (!operation) look();
    else if (operation.type === "request" && isBlocked(operation)) {
      const { client, number } = operation;
      if (!events.some((event) => event.number === number && event.client === client)) tell(operation);
    }
  });
  look();
  return () => {
    wanted = false;
    stop();
  };
};

// glue/api/drafts/held.js
var createHeld = (global, scope, mode, fence) => {
  let controller;
  let lost = false;
  let reason;
  return {
    scope,
    mode,
    fence,
    signal() {
      if (!controller && global.AbortController) {
        controller = new global.AbortController();
        if (lost) controller.abort(reason);
      }
      return controller && controller.signal;
    },
    lose(error) {
      lost = true;
      reason = error;
      if (controller) controller.abort(error);
    },
    isLost: () => lost
  };
};

// glue/api/drafts/patience.js
var GRACE = 2e3;
var withPatience = (environment, signal, timeout, scope) => {
  if (timeout + GRACE > LONGEST_TIMER) return signal;
  const { global } = environment;
  let over;
  let timer;
  let stopFollowing = () => {
  };
  return (
    /** @type {AbortSignal} */
    /** @type {object} */
    {
      get aborted() {
        return over !== void 0 || !!signal && signal.aborted;
      },
      get reason() {
        return over || signal && signal.reason;
      },
      addEventListener(type, listener) {
        if (signal) stopFollowing = follow(signal, listener);
        timer = global.setTimeout(() => {
          over = createException(environment, "TimeoutError", unanswered(scope));
          listener();
        }, timeout + GRACE);
        if (timer && timer.unref) timer.unref();
      },
      removeEventListener() {
        stopFollowing();
        global.clearTimeout(timer);
      }
    }
  );
};

// glue/api/drafts/scope.js
var toScope = (value) => {
  const isSequence = typeof value === "object" && value !== null || typeof value === "function";
  const sequence = (
    /** @type {Iterable<unknown>} */
    value
  );
  if (!isSequence || !sequence[Symbol.iterator]) return Object.freeze([toDOMString(value)]);
  const names = /* @__PURE__ */ new Set();
  for (const name of sequence) names.add(toDOMString(name));
  return Object.freeze([...names].sort());
};
var checkScope = (environment, scope) => {
  if (!scope.length) throw new TypeError("The scope is empty. It must have one name or more.");
  const reserved = scope.find((name) => name[0] === "-");
  if (reserved !== void 0) throw createException(environment, "NotSupportedError", reservedName(reserved));
};

// glue/api/drafts/request.js
var limitsOf = ({ ifAvailable, hold = Infinity, timeout = Infinity }) => ({
  ...ifAvailable || timeout === Infinity ? {} : { wait: timeout },
  ...hold === Infinity ? {} : { hold }
});
var requestScope = ({ environment, openLog, observation }, scope, options, createLock, callback) => {
  checkEnvironment(environment);
  const log = openLog();
  checkScope(environment, scope);
  const { mode, ifAvailable, signal, timeout = Infinity, onContention } = options;
  if (signal && signal.aborted) throw abortReason(environment, signal);
  if (onContention && !observation) {
    throw createException(environment, "NotSupportedError", "The option onContention cannot be used over a claims service.");
  }
  let held;
  let taken = false;
  let made;
  let stopWatching = () => {
  };
  const heard = {
    ...log,
    /** @type {LockLog['request']} */
    request: (description2, listener) => made = log.request(description2, (outcome, fence, reason) => {
      if (outcome !== "granted") {
        taken = true;
        stopWatching();
      }
      listener(outcome, fence, reason);
    })
  };
  const granted = (fence) => {
    held = createHeld(environment.global, scope, mode, fence);
    if (options.isDetached && log.detach) log.detach(made);
    if (onContention && observation) stopWatching = watchContention(observation, held, onContention);
    return createLock(held);
  };
  const description = { names: [...scope], mode, ifAvailable, ...limitsOf(options) };
  return requestLock(environment, heard, description, withPatience(environment, signal, timeout, scope), granted, callback).then(
    (value) => {
      stopWatching();
      return log.rest ? log.rest(made).then(() => value) : value;
    },
    async (error) => {
      stopWatching();
      if (taken && held) held.lose(error);
      if (log.rest) await log.rest(made);
      throw error;
    }
  );
};

// glue/api/drafts/acquire.js
var createAcquire = (face) => {
  const { global } = face.environment;
  return {
    /**
     * acquire(scope, callback) or acquire(scope, options, callback); the number of arguments decides which.
     * @param {...unknown} given
     */
    acquire(...given) {
      if (given.length < 2) throw new TypeError(tooFewArguments("acquire", "a scope and a callback", given.length));
      const [options, callback] = given.length === 2 ? [void 0, given[1]] : [given[1], given[2]];
      const scope = toScope(given[0]);
      return requestScope(face, scope, toOptions(global, "acquire", options), createScopedLock, toCallback(callback));
    },
    /** @param {...unknown} given scope, callback, options */
    requestScopedLock(...given) {
      if (given.length < 2) throw new TypeError(tooFewArguments("requestScopedLock", "a scope and a callback", given.length));
      const scope = toScope(given[0]);
      const callback = toCallback(given[1]);
      return requestScope(face, scope, toOptions(global, "requestScopedLock", given[2]), createScopedLock, callback);
    }
  };
};

// glue/api/drafts/holding.js
var requestHolding = (face, scope, options, createObject) => new Promise((resolve, reject) => {
  let released = false;
  let holding;
  let refuse = reject;
  let give = resolve;
  let settlers;
  let tellers;
  const hold = (held) => {
    holding = {
      held,
      isReleased: () => released,
      released: new Promise((end, fail) => {
        tellers = { end, fail };
      }),
      release() {
        released = true;
        settlers.end();
      },
      fail(error) {
        released = true;
        settlers.fail(error);
      }
    };
    return createObject(holding);
  };
  const keep = (object) => {
    const done = object && new Promise((end, fail) => {
      settlers = { end, fail };
    });
    give(object);
    refuse = give = () => {
    };
    return done;
  };
  requestScope(face, scope, options, hold, keep).then(
    () => holding && tellers.end(),
    (error) => {
      released = true;
      refuse(error);
      if (!holding) return;
      if (holding.held.isLost()) holding.released.catch(() => {
      });
      tellers.fail(error);
    }
  );
});

// glue/api/drafts/waiting.js
var someMicrotasks = () => Promise.resolve().then(() => Promise.resolve().then());
var createWaiting = (holding) => {
  let open = 0;
  const waitUntil = (promise) => {
    if (holding.isReleased()) return Promise.reject(new TypeError("waitUntil() comes too late: the lock is released already."));
    open++;
    new Promise((resolve) => resolve(promise)).then(
      () => {
        open--;
        if (!open) holding.release();
      },
      holding.fail
    );
    return holding.released;
  };
  void waitUntil(someMicrotasks());
  return Object.assign({ waitUntil }, holding);
};
var waitingMembers = (of) => ({
  get released() {
    return of(this).released;
  },
  /** @param {unknown} promise */
  waitUntil(promise) {
    try {
      return of(this).waitUntil(promise);
    } catch (error) {
      return Promise.reject(error);
    }
  }
});

// glue/api/drafts/flags.js
var Flag = /* @__PURE__ */ defineLock("Flag", waitingMembers);
var createRequestFlag = (face) => ({
  /** @param {...unknown} given scope, mode, options */
  requestFlag(...given) {
    if (given.length < 2) throw new TypeError(tooFewArguments("requestFlag", "a scope and a mode", given.length));
    const scope = toScope(given[0]);
    const options = toFlagOptions(face.environment.global, given[1], given[2]);
    return requestHolding(face, scope, options, (holding) => createPlatformObject(Flag, createWaiting(holding)));
  }
});

// glue/api/drafts/handles.js
var ExplicitLock = /* @__PURE__ */ defineLock("ExplicitLock", (of) => ({
  get released() {
    return of(this).released;
  },
  release() {
    of(this).release();
  },
  // For `await using`, if the language has it. It never rejects: `released` and `signal` report a lost lock.
  ...Symbol.asyncDispose ? {
    [Symbol.asyncDispose]() {
      const holding = of(this);
      holding.release();
      return holding.released.then(() => {
      }, () => {
      });
    }
  } : {}
}));
var AutoReleaseLock = /* @__PURE__ */ defineLock("AutoReleaseLock", waitingMembers);
var createReporter = ({ FinalizationRegistry, console }) => {
  if (!FinalizationRegistry) return () => {
  };
  const registry = new FinalizationRegistry(({ held, isReleased }) => {
    if (isReleased()) return;
    console.warn(`Lockkeeper: the handle of a lock on ${JSON.stringify(held.scope)} is gone, and release() was not called. The lock stays held until this context ends.`);
  });
  return (handle, holding) => registry.register(handle, holding);
};
var createHandleRequests = (face) => {
  const { global } = face.environment;
  let report;
  const request = (operation, given, createObject, isDetached = false) => {
    if (!given.length) throw new TypeError(tooFewArguments(operation, "a scope", 0));
    const scope = toScope(given[0]);
    return requestHolding(face, scope, { ...toOptions(global, operation, given[1]), isDetached }, createObject);
  };
  return {
    /** @param {...unknown} given scope, options */
    requestExplicitLock(...given) {
      return request("requestExplicitLock", given, (holding) => {
        const handle = createPlatformObject(ExplicitLock, holding);
        report = report || createReporter(global);
        report(handle, holding);
        return handle;
      }, true);
    },
    /** @param {...unknown} given scope, options */
    requestAutoReleaseLock(...given) {
      return request("requestAutoReleaseLock", given, (holding) => createPlatformObject(AutoReleaseLock, createWaiting(holding)));
    }
  };
};

// glue/api/drafts/state.js
var scopeInfos = (requests) => requests.map(({ mode, names }) => ({ mode, scope: names }));
var createStateOperations = ({ environment, openLog }) => ({
  /** @returns {Promise<{held: ScopeInfo[], pending: ScopeInfo[]}>} the held and pending requests of all contexts, each request once */
  queryState() {
    checkEnvironment(environment);
    return openLog().query().then(({ held, pending }) => ({ held: scopeInfos(held), pending: scopeInfos(pending) }));
  },
  /** @param {...unknown} given scope */
  forceRelease(...given) {
    if (!given.length) throw new TypeError(tooFewArguments("forceRelease", "a scope", 0));
    const scope = toScope(given[0]);
    checkEnvironment(environment);
    const log = openLog();
    checkScope(environment, scope);
    return log.forceRelease([...scope]);
  }
});

// glue/api/drafts/drafts.js
var answering = (operation) => (
  /** @type {Operation} */
  ((...given) => {
    try {
      return operation(...given);
    } catch (error) {
      return Promise.reject(error);
    }
  })
);
var createDrafts = (face) => {
  const { acquire: acquire2, requestScopedLock: requestScopedLock2 } = createAcquire(face);
  const { queryState: queryState2, forceRelease: forceRelease2 } = createStateOperations(face);
  const { requestFlag: requestFlag2 } = createRequestFlag(face);
  const { requestExplicitLock: requestExplicitLock2, requestAutoReleaseLock: requestAutoReleaseLock2 } = createHandleRequests(face);
  return {
    acquire: answering(acquire2),
    queryState: answering(queryState2),
    forceRelease: answering(forceRelease2),
    requestFlag: answering(requestFlag2),
    requestExplicitLock: answering(requestExplicitLock2),
    requestAutoReleaseLock: answering(requestAutoReleaseLock2),
    requestScopedLock: answering(requestScopedLock2)
  };
};

// glue/entries/drafts.js
var import_index = require("./lockkeeper.cjs");
var draftsOf = (manager) => {
  const face = import_index.internal.faceOf(manager);
  if (face) return createDrafts(face);
  throw new TypeError(`draftsOf() needs a manager that createLockManager() has made, or locks of lockkeeper, not ${show(manager)}. A native manager has no drafts. For a manager of another copy of the package, use the drafts of that copy: load both entries by import, or both by require, and both with or without nowasm.`);
};
var { acquire, queryState, forceRelease, requestFlag, requestExplicitLock, requestAutoReleaseLock, requestScopedLock } = /* @__PURE__ */ draftsOf(import_index.locks);
// Annotate the CommonJS export names for ESM import in node:
0 && (module.exports = {
  Flag,
  acquire,
  draftsOf,
  forceRelease,
  queryState,
  requestAutoReleaseLock,
  requestExplicitLock,
  requestFlag,
  requestScopedLock
});
