/** What build/search.mjs may change in the script-tag build: it must stay the same program, whatever is chosen. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { internalNames, together } from '../../build/internal-names.mjs';
import { arrangedIn, findGroups, putTogether, takeApart } from '../../build/order.mjs';
import { plan, print } from '../../build/rename.mjs';
import { readModule, sameOrder, wishedOrder, writeModule } from '../../build/wasm-module.mjs';
import { wrapCore } from '../../glue/core/core.js';

/** What [script] leaves in `result`. @param {string} script */
const run = (script) => new Function(`let result;${script};return result`)();

const SCRIPT = `{
let first = () => second * 2, second = 21, third = first(), fourth = 4, fifth = [fourth, 5], sixth = !1;
let reader = { word: first, list: second, now: first(), hash: third, handle: fourth };
let writer = { memory: 1, scratch: () => 2 };
let { word, list = word, hash, handle } = reader;
let told = { mode: word, name: 'a' };
result = [third, fourth, fifth, sixth, word(), list, hash, handle, reader.now, writer.memory, writer.scratch(), told.mode(), told.name];
}`;

describe('What a script has in some order', () => {
  it('is found where any order does, and nowhere else', () => {
    const groups = findGroups(SCRIPT, new Set(['word', 'memory']));
    const found = groups.map(({ key }) => key).sort();
    assert.deepEqual(found, ['first,second', 'hash,handle', 'hash,handle', 'memory,scratch', 'word,list']);
  });

  it('can be put the other way round', () => {
    const tree = takeApart(SCRIPT, [], findGroups(SCRIPT, new Set(['word', 'memory'])));
    const closed = (/** @type {string} */ text) => text.replaceAll(', ', ',');
    assert.equal(closed(putTogether(tree, () => '')), closed(SCRIPT));
    for (const each of arrangedIn(tree)) each.order.reverse();
    const other = putTogether(tree, () => '');
    assert.notEqual(other, SCRIPT);
    assert.deepEqual(run(other), run(SCRIPT));
  });
});

describe('Short names', () => {
  const properties = ['word', 'list', 'hash', 'handle', 'memory', 'scratch'];
  const planned = plan(SCRIPT, properties, [['memory', 'word']]);

  it('differ for properties of one object', () => {
    const { shortOf, besides } = planned;
    assert.deepEqual([...shortOf.keys()].sort(), [...properties].sort());
    for (const [name, others] of besides) {
      for (const other of others) assert.notEqual(shortOf.get(name), shortOf.get(other), `${name}, ${other}`);
    }
    assert.deepEqual([.../** @type {Set<string>} */ (besides.get('memory'))].sort(), ['scratch', 'word']);
  });

  it('may be wished, but not that', () => {
    const wished = plan(SCRIPT, properties, [['memory', 'word']], { '.word': 'a', '.list': 'a', '.scratch': 'a', '.memory': 'a' });
    const of = (/** @type {string} */ name) => wished.shortOf.get(name);
    assert.deepEqual([of('word'), of('scratch')], ['a', 'a']);
    assert.notEqual(of('list'), 'a');
    assert.notEqual(of('memory'), 'a');
    assert.deepEqual(run(print(wished)), run(SCRIPT));
  });

  it('do not change what a script does', () => assert.deepEqual(run(print(planned)), run(SCRIPT)));

  it('are given to properties that the sources have', () => {
    const all = new Set(internalNames);
    assert.equal(all.size, internalNames.length);
    for (const name of together.flat()) assert.ok(all.has(name) || name === 'snapshot', name);
  });
});

describe('The Wasm in another order', () => {
  const bytes = readFileSync(new URL('../../dist/core.wasm', import.meta.url));
  const module = readModule(bytes);

  /** @param {Uint8Array} wasm */
  const outcome = (wasm) => {
    const core = wrapCore(/** @type {any} */ (new WebAssembly.Instance(new WebAssembly.Module(wasm)).exports));
    const events = [
      core.apply({ type: 'join', client: 'one', number: 1 }),
      core.apply({ type: 'request', client: 'one', number: 2, names: ['a', 'b'], mode: 'shared', hold: 5 }),
      core.apply({ type: 'request', client: 'one', number: 3, names: ['b'], mode: 'exclusive', wait: 9 }),
      core.apply({ type: 'tick', now: 7 }),
      core.apply({ type: 'drop', client: 'one', number: 4, request: 3 }),
    ];
    core.restore(core.snapshot());
    return { events, state: core.state(), hash: core.hash() };
  };

  it('is itself in the same order', () => assert.deepEqual(writeModule(module, sameOrder(module)), Uint8Array.from(bytes)));

  it('does the same', () => {
    const { types, functions, locals } = sameOrder(module);
    const reversed = { types: types.reverse(), functions: functions.reverse(), locals: locals.map((each) => each.reverse()) };
    const other = writeModule(module, reversed);
    assert.notDeepEqual(other, Uint8Array.from(bytes));
    assert.deepEqual(outcome(other), outcome(bytes));
  });

  it('keeps what a wish of another module does not fit', () => {
    const same = sameOrder(module);
    const [last] = same.functions.slice(-1);
    const wished = { types: [0, 0], functions: same.functions.map(() => last), locals: same.locals.map(() => [9]) };
    const { types, functions, locals } = wishedOrder(module, wished);
    assert.deepEqual([types, functions], [same.types, same.functions]);
    assert.deepEqual(locals, same.locals);
  });
});
