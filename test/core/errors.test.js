/** What a CoreError says: what was refused, and why. */
import assert from 'node:assert/strict';
import { createCore } from '../../glue/core/index.js';
import { CoreError } from '../../glue/core/error.js';
import { STATUSES } from '../../glue/core/constants.js';
import { request } from './kit.js';

describe("The core's errors", () => {
  /** @param {() => unknown} action @param {string} message */
  const says = (action, message) => assert.throws(action, (/** @type {Error} */ error) => {
    assert.ok(error instanceof CoreError);
    assert.deepEqual([error.name, error.message], ['CoreError', message]);
    return true;
  });

  it('say what was refused, and why', () => {
    const core = createCore();
    says(() => core.apply(request(1, 'a')), 'lock core: cannot apply request 1 of "tab": the client has not joined, or is gone');
    core.apply({ type: 'join', client: 'tab', number: 1 });
    says(() => core.apply(request(4, 'a')), "lock core: cannot apply request 4 of \"tab\": the client's next operation has a lower number");
    says(() => core.apply(request(2, 'a', 'a')),
      'lock core: cannot apply request 2 of "tab": a field is wrong, such as a mode, a duration, or a name that is there twice');
    says(() => core.apply({ type: 'drop', client: 'tab', number: 2, request: 2 }),
      'lock core: cannot apply drop 2 of "tab": the client has used that number, or has joined already');
    says(() => core.apply({ type: 'gone', client: 'tab 2' }),
      'lock core: cannot apply gone of "tab 2": the client has not joined, or is gone');
    says(() => core.restore(new Uint8Array(3)), 'lock core: the bytes are no snapshot');
    says(() => core.raise(-1), 'lock core: the type, number, time or fence is wrong');
    says(() => core.reset(0.5), 'lock core: the type, number, time or fence is wrong');
    core.reset(Number.MAX_SAFE_INTEGER);
    core.apply({ type: 'join', client: 'tab', number: 1 });
    says(() => core.apply(request(2, 'a')), 'lock core: cannot apply request 2 of "tab": no number is left for another fence');
  });

  it('show what may be no operation at all, and little of what is long', () => {
    const core = createCore();
    const invalid = 'the type, number, time or fence is wrong';
    says(() => core.apply(/** @type {any} */ ({ type: {}, client: 5, number: '1' })), `lock core: cannot apply operation: ${invalid}`);
    says(() => core.apply(/** @type {any} */ ({ type: 'constructor' })), `lock core: cannot apply operation: ${invalid}`);
    says(() => core.apply({ type: 'tick', now: -1 }), `lock core: cannot apply tick: ${invalid}`);
    for (const [length, rest] of /** @type {[number, string][]} */ ([[60, ''], [61, '…'], [1000, '…']])) {
      says(() => core.apply({ type: 'join', client: 'x'.repeat(length), number: 0 }),
        `lock core: cannot apply join 0 of "${'x'.repeat(60)}${rest}": ${invalid}`);
    }
  });

  it('have a reason for each code', () => {
    for (const [status, code] of Object.entries(STATUSES)) {
      if (code === 'ok' || code === 'stale') continue;
      const error = new CoreError(Number(status));
      assert.match(error.message, /^lock core: (?!undefined)[\w ,'^-]+$/, code);
      assert.deepEqual([error.status, error.code], [Number(status), code]);
    }
  });

  it('say which argument is of the wrong type', () => {
    const any = /** @type {any} */ (createCore());
    const create = /** @type {any} */ (createCore);
    for (const [act, message] of /** @type {[() => any, string][]} */ ([
      [() => any.apply(), 'apply() needs an operation: an object, not undefined.'],
      [() => any.apply(null), 'apply() needs an operation: an object, not null.'],
      [() => any.restore(), 'restore() needs the bytes of a snapshot: a Uint8Array, not undefined.'],
      [() => any.restore(5), 'restore() needs the bytes of a snapshot: a Uint8Array, not 5.'],
      [() => any.restore([...any.snapshot()]), 'restore() needs the bytes of a snapshot: a Uint8Array, not [object Array].'],
      [() => any.restore(Uint16Array.of(1)), 'restore() needs the bytes of a snapshot: a Uint8Array, not [object Uint16Array].'],
      [() => any.restore('x'.repeat(100)), `restore() needs the bytes of a snapshot: a Uint8Array, not ${'x'.repeat(60)}.`],
      [() => create(5), 'createCore() takes its options as an object, not 5.'],
      [() => create(null), 'createCore() takes its options as an object, not null.'],
      [() => create({ seed: 'f81d4fae' }), 'The option seed of createCore() must be a whole number.'],
      [() => create({ wsam: new Uint8Array() }), 'createCore() has no option "wsam". Its options are wasm, js, fence, seed.'],
      [() => create({ js: {} }), 'The option js of createCore() must be a function.'],
    ])) {
      assert.throws(act, { name: 'TypeError', message });
    }
  });

  it('members of all objects are no options', () => {
    /** @type {any} */ (Object.prototype).extended = () => {};
    try {
      assert.equal(createCore({}).time(), 0);
    } finally {
      delete (/** @type {any} */ (Object.prototype).extended);
    }
  });
});
