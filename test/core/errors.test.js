/** What the errors of lockkeeper/core say. */
import assert from 'node:assert/strict';
import { STATUSES } from '../../glue/core/constants.js';
import { CoreError, createCore } from '../../glue/core/index.js';
import { request } from './kit.js';

describe("the core's errors", () => {
  it('say in a sentence what was wrong', () => {
    for (const [status, code] of Object.entries(STATUSES)) {
      if (code === 'ok' || code === 'stale') continue;
      const { message } = new CoreError(Number(status));
      assert.match(message, new RegExp(`^lock core: ${code}: [a-z].* .*\\.$`));
    }
    const core = createCore();
    assert.throws(() => core.apply(request(1, 'a')), {
      name: 'CoreError',
      code: 'unknown-client',
      message: 'lock core: unknown-client: the client is no member: it has not joined, or it is gone.',
    });
  });

  it('say which argument is of the wrong type', () => {
    const any = /** @type {any} */ (createCore());
    const create = /** @type {any} */ (createCore);
    for (const [act, message] of /** @type {[() => any, string][]} */ ([
      [() => any.apply(), 'apply() needs an operation: an object, not undefined.'],
      [() => any.apply(null), 'apply() needs an operation: an object, not null.'],
      [() => any.restore(), 'restore() needs the bytes of a snapshot: a Uint8Array, not undefined.'],
      [() => any.restore(5), 'restore() needs the bytes of a snapshot: a Uint8Array, not 5.'],
      [() => create(5), 'createCore() takes its options as an object, not 5.'],
      [() => create(null), 'createCore() takes its options as an object, not null.'],
      [() => create({ wsam: new Uint8Array() }), 'createCore() has no option "wsam". Its options are wasm, js, fence, seed.'],
      [() => create({ js: {} }), 'The option js of createCore() must be a function.'],
    ])) {
      assert.throws(act, { name: 'TypeError', message });
    }
  });
});
