import assert from 'node:assert/strict';
import { createLockManager } from '../../glue/api/lock-manager.js';
import { createModel } from '../model/model.js';
import { createMemoryLog } from './memory-log.js';
import { rejection } from './kit.js';

const openMemoryLog = () => createMemoryLog(createModel()).open();

/** @param {object} members of the global object */
const managerIn = (members, openLog = openMemoryLog) => createLockManager({ DOMException, ...members }, openLog);

const createDocument = () => {
  const document = { defaultView: {} };
  document.defaultView.document = document;
  return document;
};

/** @param {any} manager @param {string} name of the exception */
const refuses = async (manager, name) => {
  for (const promise of [manager.request('name', () => {}), manager.query(), manager.request('-', () => {})]) {
    const reason = await rejection(promise);
    assert.ok(reason instanceof DOMException);
    assert.equal(reason.name, name);
  }
};

/** @param {any} manager */
const works = async (manager) => {
  assert.equal(await manager.request('name', (lock) => lock.name), 'name');
  assert.deepEqual(await manager.query(), { held: [], pending: [] });
};

describe('the surroundings of a request', () => {
  it('an active document, a worker, a server: it works', async () => {
    await works(managerIn({ document: createDocument() }));
    await works(managerIn({}));
    await works(managerIn({ origin: 'https://example.org' }));
  });

  it('a document that was removed has no locks: InvalidStateError', async () => {
    const document = createDocument();
    const manager = managerIn({ document });
    await works(manager);
    document.defaultView = null;
    await refuses(manager, 'InvalidStateError');
  });

  it('a document is no longer the one that its window shows: InvalidStateError', async () => {
    const document = createDocument();
    const manager = managerIn({ document });
    document.defaultView = { document: createDocument() };
    await refuses(manager, 'InvalidStateError');
  });

  it('its window shows a document of another origin: InvalidStateError', async () => {
    const document = createDocument();
    const manager = managerIn({ document });
    document.defaultView = {
      get document() {
        throw new DOMException('Blocked', 'SecurityError');
      },
    };
    await refuses(manager, 'InvalidStateError');
  });

  it('the manager stays with the document it was made in', async () => {
    const realm = { DOMException, document: createDocument() };
    const manager = createLockManager(realm, openMemoryLog);
    realm.document.defaultView = null;
    realm.document = createDocument();
    await refuses(manager, 'InvalidStateError');
  });

  it('an opaque origin has no locks: SecurityError', async () => {
    await refuses(managerIn({ origin: 'null', location: { protocol: 'https:' } }), 'SecurityError');
    await refuses(managerIn({ origin: 'null', location: { protocol: 'data:' } }), 'SecurityError');
  });

  it('a page from a file has locks', async () => {
    await works(managerIn({ origin: 'null', location: { protocol: 'file:' } }));
  });

  it('an inactive document without an origin: InvalidStateError comes first', async () => {
    await refuses(managerIn({ origin: 'null', location: { protocol: 'https:' }, document: { defaultView: null } }), 'InvalidStateError');
  });

  it('conversion comes before the surroundings', async () => {
    const manager = managerIn({ document: { defaultView: null } });
    assert.ok(await rejection(manager.request('name')) instanceof TypeError);
    assert.ok(await rejection(manager.request('name', { mode: 'none' }, () => {})) instanceof TypeError);
  });

  it('if the log cannot be opened, its reason is the rejection, and comes before the check of the name', async () => {
    const openLog = () => {
      throw new DOMException('No storage', 'SecurityError');
    };
    await refuses(managerIn({}, openLog), 'SecurityError');
  });

  it('the log is opened by the first request or query that gets so far', async () => {
    let opened = 0;
    const openLog = () => (opened += 1, openMemoryLog());
    const manager = managerIn({ origin: 'null', location: { protocol: 'https:' } }, openLog);
    await rejection(manager.request('name', () => {}));
    const other = managerIn({}, openLog);
    await rejection(other.request('name'));
    assert.equal(opened, 0);
    await other.query();
    assert.equal(opened, 1);
  });
});
