/**
 * Properties that the parts of the script-tag build have for each other alone, so that it may give them shorter names. Nothing that leaves
 * the realm may be here (fields of the register and of operations), nothing that a browser offers, and nothing that pages see. Whatever is
 * not here keeps its name; that only costs bytes. test/build/size.test.js looks at what gets out.
 */
export const internalNames = [
  // glue/core
  'word', 'list', 'handle', 'lastHandle', 'deadline', 'fence', 'state', 'code', 'restore', 'last', 'time', 'hash', 'apply', 'foresee',
  'reset', 'nextDeadline', 'requestCount',
  // csrc/wasm.c, besides: the Wasm that is embedded there has the same shorter names
  'memory', 'scratch', 'events',
  // glue/api
  'environment', 'global', 'openLog', 'options', 'callback', 'Interface', 'proxy', 'install', 'window',
  // glue/platform/place.js
  'oneOrder', 'openChannel', 'postLog', 'postOperations', 'listenForOperations', 'openRegister', 'transact', 'holdAlive', 'watchAlive',
  'onLifecycle', 'sharesEventLoop', 'wallClock', 'randomId', 'setTimer', 'defer',
  // glue/log/types.js
  'description', 'listener', 'news', 'entersFirst', 'status', 'leave', 'drop',
  // glue/log/log.js
  'channel', 'connection', 'replica', 'own', 'clock', 'member', 'phase', 'post', 'applyAtOnce', 'sendState', 'resend', 'lost', 'joining',
  'tellSoon', 'ticked', 'place', 'core', 'entersEarly',
  // glue/log/replica.js
  'current', 'kept', 'stand', 'forget', 'applied', 'seq', 'led', 'lead', 'entries', 'happened', 'broke',
  // glue/log/own-requests.js
  'begin', 'id', 'outstanding', 'busy', 'mark', 'operationDelivered', 'eventHappened', 'compare', 'lose', 'tellListeners',
  'enterEarly',
  // glue/log/connection.js
  'watch', 'later',
  // glue/log/election.js
  'departed', 'follow', 'lookUp', 'begun', 'prepared', 'placed', 'resigned', 'suspect', 'challenged', 'heard',
  // glue/log/joining.js
  'sayHello', 'advance', 'start', 'doubt', 'helloHeard', 'logHeard',
  // glue/log/leader.js
  'alone', 'cancel', 'accept', 'expect', 'bury', 'stop', 'flush',
];

/** Of these, those that stand in one object though no script shows it: csrc/wasm.c makes it. */
export const together = [
  ['memory', 'reset', 'scratch', 'apply', 'events', 'snapshot', 'restore', 'last', 'time', 'nextDeadline', 'requestCount', 'hash'],
];
