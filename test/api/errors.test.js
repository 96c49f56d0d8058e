/** Which arguments are refused, and what the error says: what was wrong, and with what. */
import assert from 'node:assert/strict';
import vm from 'node:vm';
import { createLockManager as createManagerOver } from '../../glue/api/lock-manager.js';
import * as drafts from '../../glue/entries/drafts.js';
import * as lockkeeper from '../../glue/entries/index.js';
import { createModel } from '../model/model.js';
import { scriptOf } from './editions.js';
import { rejection } from './kit.js';
import { createMemoryLog } from './memory-log.js';

const { createLockManager, install, Lock, LockManager, locks } = lockkeeper;
const {
  acquire, draftsOf, forceRelease, requestAutoReleaseLock, requestExplicitLock, requestFlag, requestScopedLock,
} = /** @type {any} */ (drafts);

const all = /** @type {any} */ (locks);
const { request, query } = all;
const { signal } = new AbortController();
const nothing = () => {};
const fresh = () => createLockManager({ name: `errors ${Math.random()}` });

/** By what is done: the error's name and its message. @type {Record<string, [() => any, string, string | RegExp]>} */
const REFUSED = {
  'no arguments': [() => all.request(), 'TypeError', 'request() needs a name and a callback. It was called with 0 arguments.'],
  'no callback': [() => all.request('a'), 'TypeError', 'request() needs a name and a callback. It was called with 1 argument.'],
  'a callback that is none': [() => all.request('a', 'b'), 'TypeError', 'The callback must be a function, not "b".'],
  'a callback in the place of the options': [() => all.request('a', nothing, { mode: 'shared' }), 'TypeError',
    'The callback must be a function, not an object. The options come before it.'],
  'options that are none': [() => all.request('a', 5, nothing), 'TypeError', 'The options must be an object, not 5.'],
  'a mode': [() => all.request('a', { mode: 'both' }, nothing), 'TypeError',
    "The lock mode must be 'exclusive' or 'shared', not \"both\"."],
  'a name that is too long': [() => all.request('x'.repeat(2 ** 20 + 1), nothing), 'TypeError',
    'The name has 1048577 characters. It may have at most 1048576.'],
  'a name that is a symbol': [() => all.request(Symbol('a'), nothing), 'TypeError', 'The name must be a string, not Symbol(a).'],
  'a mode that is a symbol': [() => all.request('a', { mode: Symbol('b') }, nothing), 'TypeError',
    'The lock mode must be a string, not Symbol(b).'],
  'a long mode': [() => all.request('a', { mode: 'x'.repeat(1000) }, nothing), 'TypeError', /not "x{59}…\.$/],
  'a signal': [() => all.request('a', { signal: {} }, nothing), 'TypeError', 'The option signal must be an AbortSignal, not an object.'],
  'a controller in the place of its signal': [() => all.request('a', { signal: new AbortController() }, nothing), 'TypeError',
    'The option signal must be an AbortSignal, not an AbortController.'],
  'a reserved name': [() => all.request('-a', nothing), 'NotSupportedError',
    'The name "-a" is reserved: the name of a lock must not begin with a hyphen.'],
  'steal and ifAvailable': [() => all.request('a', { steal: true, ifAvailable: true }, nothing), 'NotSupportedError',
    'LockOptions.steal cannot be combined with ifAvailable.'],
  'steal and shared': [() => all.request('a', { steal: true, mode: 'shared' }, nothing), 'NotSupportedError',
    "LockOptions.steal cannot be combined with mode 'shared'."],
  'steal and a signal': [() => all.request('a', { steal: true, signal }, nothing), 'NotSupportedError',
    'LockOptions.steal cannot be combined with signal.'],
  'a signal and ifAvailable': [() => all.request('a', { signal, ifAvailable: true }, nothing), 'NotSupportedError',
    'LockOptions.signal cannot be combined with ifAvailable.'],
  'a detached request()': [() => request('a', nothing), 'TypeError',
    'Illegal invocation: this is not a LockManager. Call a method as object.method(), or bind it to its object.'],
  'a detached query()': [() => query(), 'TypeError', /^Illegal invocation: this is not a LockManager\./],
  'a detached close()': [() => (0, fresh().close)(), 'TypeError', /^Illegal invocation: this is not a LockManager\./],
  'close() of another': [() => /** @type {any} */ (fresh().close).call(locks), 'TypeError',
    /^Illegal invocation: this is not a LockManager of createLockManager\(\)\./],
  'a listener that is none': [() => acquire('a', { onContention: 5 }, nothing), 'TypeError',
    'The option onContention must be a function, not 5.'],
  'new LockManager()': [() => new /** @type {any} */ (LockManager)(), 'TypeError',
    'Illegal constructor: a LockManager cannot be made by new.'],
  'new Lock()': [() => new /** @type {any} */ (Lock)(), 'TypeError', 'Illegal constructor: a Lock cannot be made by new.'],
  'a getter elsewhere': [() => Lock.prototype.name, 'TypeError', /^Illegal invocation: this is not a Lock\./],
  'a method of an object without a prototype': [() => LockManager.prototype.query.call(Object.create(null)), 'TypeError',
    /^Illegal invocation: this is not a LockManager\./],

  'createLockManager()': [() => /** @type {any} */ (createLockManager)(), 'TypeError',
    'createLockManager() needs an object with a name, or with the url of a claims service, not undefined.'],
  'createLockManager(name)': [() => createLockManager(/** @type {any} */ ('a')), 'TypeError', /needs an object with a name.*, not "a"\.$/],
  'no name': [() => createLockManager(/** @type {any} */ ({})), 'TypeError', /needs a name that is not empty.* There is none\.$/],
  'an empty name': [() => createLockManager({ name: '' }), 'TypeError', /needs a name that is not empty.* It is empty\.$/],
  'a url that is not set': [() => createLockManager(/** @type {any} */ ({ url: undefined, name: 'a' })), 'TypeError',
    'The option url must be a string, the address of a claims service, not undefined.'],
  'a url that is no string': [() => createLockManager(/** @type {any} */ ({ url: 8470 })), 'TypeError',
    'The option url must be a string, the address of a claims service, not 8470.'],
  'a scope': [() => createLockManager(/** @type {any} */ ({ name: 'a', scope: 'planet' })), 'TypeError',
    "The option scope must be 'process' or 'host', not \"planet\"."],
  'a directory': [() => createLockManager({ name: 'a', directory: '/x' }), 'TypeError', "The option directory needs scope: 'host'."],
  'a directory that is no string': [() => createLockManager(/** @type {any} */ ({ name: 'a', scope: 'host', directory: 5 })), 'TypeError',
    'The option directory must be a path, not 5.'],
  'a directory that is none': [() => createLockManager({ name: 'a', scope: 'host', directory: '' }), 'TypeError',
    'The option directory must be a path, not "".'],
  'keepAlive that is neither': [() => createLockManager(/** @type {any} */ ({ name: 'a', keepAlive: 'no' })), 'TypeError',
    'The option keepAlive must be true or false, not "no".'],
  'a name that is no string': [() => createLockManager(/** @type {any} */ ({ name: null })), 'TypeError',
    'The option name must be a string, not null.'],
  'a name beside an address': [() => createLockManager(/** @type {any} */ ({ name: 'a', url: 'http://localhost' })), 'TypeError',
    'The option name cannot be combined with url: the locks of a claims service belong to all who use its address.'],
  'a scope beside an address': [() => createLockManager(/** @type {any} */ ({ scope: 'host', url: 'http://localhost' })), 'TypeError',
    /^The option scope cannot be combined with url: /],
  'a directory beside an address': [() => createLockManager(/** @type {any} */ ({ directory: '/', url: 'http://localhost' })), 'TypeError',
    /^The option directory cannot be combined with url: /],
  'keepAlive beside an address': [() => createLockManager(/** @type {any} */ ({ keepAlive: true, url: 'http://localhost' })), 'TypeError',
    /^The option keepAlive cannot be combined with url: /],
  'an option that there is not': [() => createLockManager(/** @type {any} */ ({ name: 'a', scop: 'host' })), 'TypeError',
    'createLockManager() has no option "scop". Its options are url, name, scope, directory, keepAlive, debug.'],
  'an option that there is not, called like a member of all objects': [
    () => createLockManager(/** @type {any} */ ({ name: 'a', toString: () => 'a' })), 'TypeError',
    /^createLockManager\(\) has no option "toString"\. /],
  'an option that there is not, beside an address': [
    () => createLockManager(/** @type {any} */ ({ url: 'http://localhost', TTL: 5 })), 'TypeError',
    /^createLockManager\(\) has no option "TTL"\. Its options are url, ttl, /],
  'install() with an option that there is not': [() => install(/** @type {any} */ ({ forced: true })), 'TypeError',
    'install() has no option "forced". Its options are force, insecure, join, debug.'],
  'install() with force that is no boolean': [() => install(/** @type {any} */ ({ force: 'no' })), 'TypeError',
    'The option force of install() must be true or false, not "no".'],
  'install() with insecure that is no boolean': [() => install(/** @type {any} */ ({ insecure: 1 })), 'TypeError',
    'The option insecure of install() must be true or false, not 1.'],
  'install() with join that is no boolean': [() => install(/** @type {any} */ ({ join: 'yes' })), 'TypeError',
    'The option join of install() must be true or false, not "yes".'],
  'install(5)': [() => install(/** @type {any} */ (5)), 'TypeError', 'install() takes its options as an object, not 5.'],
  'install(null)': [() => install(/** @type {any} */ (null)), 'TypeError', 'install() takes its options as an object, not null.'],
  'an address with a password': [() => createLockManager({ url: 'http://me:secret@localhost:8470' }), 'TypeError',
    'The option url must not have a user or a password, a query or a fragment. The option headers can have an Authorization.'],
  'an address with a query': [() => createLockManager({ url: 'http://localhost:8470/?tenant=1' }), 'TypeError',
    /^The option url must not have /],
  'a clientId that is no string': [() => createLockManager(/** @type {any} */ ({ url: 'http://localhost', clientId: 5 })), 'TypeError',
    'The option clientId must be a string that is not empty, not 5.'],
  'headers that are none': [() => createLockManager(/** @type {any} */ ({ url: 'http://localhost', headers: 5 })), 'TypeError',
    'The option headers must be an object of headers, a Headers or a list of pairs, or a function that gives one of these.'],
  'headers of a function that gives none': [
    () => createLockManager({ url: 'http://localhost', headers: /** @type {any} */ (() => 'token') }).query(), 'DataError',
    'The option headers must be an object of headers, a Headers or a list of pairs, or a function that gives one of these.'],
  'a closed manager': [async () => {
    const manager = fresh();
    await manager.close();
    return manager.query();
  }, 'InvalidStateError', 'This lock manager is closed.'],

  'acquire()': [() => acquire(), 'TypeError', 'acquire() needs a scope and a callback. It was called with 0 arguments.'],
  'acquire(scope)': [() => acquire('a'), 'TypeError', 'acquire() needs a scope and a callback. It was called with 1 argument.'],
  'requestScopedLock()': [() => requestScopedLock('a'), 'TypeError',
    'requestScopedLock() needs a scope and a callback. It was called with 1 argument.'],
  'requestFlag()': [() => requestFlag('a'), 'TypeError', 'requestFlag() needs a scope and a mode. It was called with 1 argument.'],
  'requestExplicitLock()': [() => requestExplicitLock(), 'TypeError',
    'requestExplicitLock() needs a scope. It was called with 0 arguments.'],
  'requestAutoReleaseLock()': [() => requestAutoReleaseLock(), 'TypeError',
    'requestAutoReleaseLock() needs a scope. It was called with 0 arguments.'],
  'forceRelease()': [() => forceRelease(), 'TypeError', 'forceRelease() needs a scope. It was called with 0 arguments.'],
  'an empty scope': [() => acquire([], nothing), 'TypeError', 'The scope is empty. It must have one name or more.'],
  'a reserved name in a scope': [() => acquire(['a', '-b'], nothing), 'NotSupportedError', /^The name "-b" is reserved/],
  'a timeout': [() => acquire('a', { timeout: null }, nothing), 'TypeError',
    'The option timeout must be a number of milliseconds, 0 or more, not null.'],
  'a lease': [() => acquire('a', { hold: -1 }, nothing), 'TypeError', /^The option hold must be .*, not -1\.$/],
  'a lease that is a bigint': [() => acquire('a', { hold: 1n }, nothing), 'TypeError', /, not 1n\.$/],
  'a scope that is a symbol': [() => acquire(['a', Symbol('b')], nothing), 'TypeError', 'The name must be a string, not Symbol(b).'],
  'an option that acquire() has not': [() => acquire('a', { timeuot: 5 }, nothing), 'TypeError',
    'acquire() has no option "timeuot". Its options are hold, ifAvailable, mode, onContention, signal, timeout.'],
  'an option that requestScopedLock() has not': [() => requestScopedLock('a', nothing, { steal: true }), 'TypeError',
    /^requestScopedLock\(\) has no option "steal"\./],
  'an option that requestFlag() has not': [() => requestFlag('a', 'shared', { ifAvailable: true }), 'TypeError',
    'requestFlag() has no option "ifAvailable". Its options are hold, onContention, signal, timeout.'],
  'an option that requestExplicitLock() has not': [() => requestExplicitLock('a', { Mode: 'shared' }), 'TypeError',
    /^requestExplicitLock\(\) has no option "Mode"\./],
  'an option that requestAutoReleaseLock() has not': [() => requestAutoReleaseLock('a', { lease: 5 }), 'TypeError',
    /^requestAutoReleaseLock\(\) has no option "lease"\./],
  'a callback in place of options': [() => requestExplicitLock('a', nothing), 'TypeError',
    'The options must be an object, not a function.'],
  'a detached release()': [async () => {
    const lock = await requestExplicitLock('errors, released');
    const { release } = lock;
    lock.release();
    release();
  }, 'TypeError', /^Illegal invocation: this is not an ExplicitLock\./],
  'a flag with a timeout that is none': [() => requestFlag('a', 'shared', { timeout: -1 }), 'TypeError',
    'The option timeout must be a number of milliseconds, 0 or more, not -1.'],
  'a flag with a lease that is none': [() => requestFlag('a', 'shared', { hold: -1 }), 'TypeError',
    'The option hold must be a number of milliseconds, 0 or more, not -1.'],
  'draftsOf() nothing': [() => draftsOf(), 'TypeError',
    /^draftsOf\(\) needs a manager .*, not undefined\. A native manager has no drafts\. For a manager of another copy .*: load both /],
  'draftsOf() another kind of object': [() => draftsOf(new Map()), 'TypeError', /, not a Map\. A native manager has no drafts\./],
  'draftsOf() a list': [() => draftsOf([]), 'TypeError', /, not an array\./],
  'draftsOf() a stranger': [() => draftsOf({ request, query }), 'TypeError', /, not an object\. A native manager has no drafts\./],
};

/** How a lock or a request ends by another cause than its owner. @type {Record<string, [() => Promise<any>, string, string]>} */
const ENDED = {
  stolen: [async () => {
    const manager = fresh();
    let thief;
    const holder = manager.request('a', () => {
      thief = manager.request('a', { steal: true }, nothing);
      return thief;
    });
    return holder;
  }, 'AbortError', 'The lock on "a" was lost: stolen, or broken by forceRelease().'],
  'its lease over': [() => acquire(['b', 'a'], { hold: 1 }, () => new Promise(nothing)), 'TimeoutError',
    'The lease of the lock on "a", "b" is over.'],
  'not in time': [() => acquire('c', () => acquire('c', { timeout: 1 }, nothing)), 'TimeoutError',
    'The lock on "c" was not granted within the timeout.'],
  'its context lost': [async () => {
    const log = createMemoryLog(createModel()).open();
    const done = createManagerOver(globalThis, () => log).request('a', () => new Promise(nothing));
    log.leave();
    return done;
  }, 'AbortError', 'The lock on "a" was lost: this context has left the lock manager, as a page does on its way into the back-forward '
    + 'cache, or the others took it for dead.'],
  'its manager closed': [async () => {
    const manager = fresh();
    let end = nothing;
    void manager.request('a', () => new Promise((resolve) => { end = () => resolve(undefined); }));
    const waiting = manager.request('a', nothing);
    await manager.query();
    void manager.close();
    end();
    return waiting;
  }, 'AbortError', 'The request for the lock on "a" has ended: its lock manager was closed.'],
};

describe('errors', () => {
  for (const [title, [act, name, message]] of Object.entries({ ...REFUSED, ...ENDED })) {
    it(`${title}: ${name}`, async () => {
      const error = await rejection((async () => act())());
      assert.equal(error.name, name, error.stack);
      if (name !== 'TypeError') assert.ok(error instanceof DOMException);
      else assert.ok(error instanceof TypeError);
      if (message instanceof RegExp) assert.match(error.message, message);
      else assert.equal(error.message, message);
    });
  }

  it('a program that extends all objects: its members are no options', () => {
    /** @type {any} */ (Object.prototype).extended = nothing;
    try {
      assert.ok(fresh() instanceof LockManager);
      assert.throws(() => install(/** @type {any} */ ({ forced: true })), /^TypeError: install\(\) has no option "forced"\./);
    } finally {
      delete (/** @type {any} */ (Object.prototype).extended);
    }
  });

  it('are sentences', () => {
    const messages = Object.values({ ...REFUSED, ...ENDED }).map(([, , message]) => message);
    for (const message of messages) if (typeof message === 'string') assert.match(message, /^\S.* .*\.$/);
  });

  describe('of the files for browsers', () => {
    /** @param {string} entry @param {string} edition */
    const entryOf = (entry, edition) =>
      scriptOf(`entries/${entry}`, edition, { format: 'iife', globalName: 'entry', target: 'es2017' });
    const index = entryOf('index', 'package');

    /** @param {string} script @param {object} members @returns {any} */
    const load = (script, members) => {
      const realm = vm.createContext({ WebAssembly, DOMException, TextEncoder, ...members });
      vm.runInContext(script, realm);
      return realm;
    };

    it('in Node: which file is the right one', async () => {
      const { entry } = load(index, { process, BroadcastChannel });
      const error = await rejection(entry.locks.request('a', nothing));
      assert.equal(error.message, 'Lockkeeper needs IndexedDB, and there is none here. ' +
        "This file is for browsers: in Node, import 'lockkeeper' by its name. " +
        "In tests with jsdom, resolve it by the condition 'node' (docs/faq.md).");
    });

    it('indexed-db.js in Node: its purpose', () => {
      assert.throws(() => load(entryOf('indexed-db', 'script'), {}), { name: 'TypeError',
        message: 'indexed-db.js is for windows of browsers, by a script tag. In Node, Lockkeeper needs no IndexedDB.' });
    });

    it('lockkeeper.js in Node: which entry is the right one', () => {
      const error = { name: 'TypeError', message: 'This script is not for Node: import lockkeeper/auto' };
      for (const members of [{}, { navigator: {} }]) assert.throws(() => load(entryOf('script', 'script'), members), error);
    });

    it('in an old browser: what is missing, and where to read on', async () => {
      const { entry } = load(index, {});
      const error = await rejection(entry.locks.query());
      assert.match(error.message, /^Lockkeeper needs IndexedDB, and there is none here\. docs\/quick-start\.md/);
    });

    it('scope: \'host\' in a browser is refused', () => {
      const realm = load(index, {});
      assert.throws(() => realm.entry.createLockManager({ name: 'a', scope: 'host' }), /scope cannot be 'host' in a browser/);
      assert.ok(realm.entry.createLockManager({ name: 'a', scope: 'process', keepAlive: false }));
    });

    it('the script-tag build says less, and as much as a browser', async () => {
      class Navigator {}
      const realm = load(entryOf('script', 'script'), { self: { navigator: new Navigator(), isSecureContext: true, DOMException } }).self;
      const { locks: installed } = realm.navigator;
      assert.equal((await rejection(installed.request('a'))).message, 'Too few arguments');
      assert.equal((await rejection(installed.request('a', nothing))).message, 'Lockkeeper needs IndexedDB');
      assert.equal((await rejection((0, installed.query)())).message, 'Illegal invocation');
    });
  });
});
