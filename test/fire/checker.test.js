import assert from 'node:assert/strict';
import { Checker } from './checker.js';
import { randomSource } from './random.js';

/** Entries from short text: "a1 asked x shared", "a1 enter", "a condemned". The first letter is the context. */
function check(...lines) {
  const checker = new Checker();
  for (const line of lines) {
    const [request, event, ...rest] = line.split(' ');
    const entry = { event, request, context: request[0] };
    if (event === 'asked') Object.assign(entry, { name: rest[0], mode: rest[1] ?? 'exclusive', stealable: rest[0] === 'purse' });
    if (event === 'ended') entry.outcome = rest[0];
    if (event === 'condemned') entry.contexts = [request];
    checker.add(entry);
  }
  return { violations: checker.violations.map((text) => text.split('\n')[0]), hanging: checker.hanging() };
}

const fine = (...lines) => assert.deepEqual(check(...lines), { violations: [], hanging: [] });
const wrong = (pattern, ...lines) => {
  const { violations } = check(...lines);
  assert.equal(violations.length, 1, violations.join('\n'));
  assert.match(violations[0], pattern);
};

describe('the checker of runs under fire', () => {
  it('accepts turns, readers together, refusals and aborts', () => {
    fine('a1 asked x', 'b1 asked x', 'a1 enter', 'a1 exit', 'b1 enter', 'a1 ended done', 'b1 exit', 'b1 ended done');
    fine('a1 asked x shared', 'b1 asked x shared', 'a1 enter', 'b1 enter', 'b1 exit', 'b1 ended done', 'a1 exit', 'a1 ended done');
    fine('a1 asked x', 'a1 enter', 'b1 asked x', 'b1 ended unavailable', 'c1 asked x', 'c1 ended AbortError', 'a1 exit', 'a1 ended done');
    fine('a1 asked x', 'a1 enter', 'b1 asked y', 'b1 enter', 'b1 exit', 'a1 exit', 'b1 ended done', 'a1 ended done');
  });

  it('finds two inside', () => {
    wrong(/b1 .* a1/, 'a1 asked x', 'b1 asked x', 'a1 enter', 'b1 enter', 'a1 exit', 'b1 exit', 'a1 ended done', 'b1 ended done');
    wrong(/b1 .* a1/, 'a1 asked x shared', 'b1 asked x', 'a1 enter', 'b1 enter');
    wrong(/b1 .* a1/, 'a1 asked x', 'b1 asked x shared', 'a1 enter', 'b1 enter');
    wrong(/a2 .* a1/, 'a1 asked x', 'a2 asked x', 'a1 enter', 'a2 enter');
  });

  it('finds a second entry, an entry after the end, and a second end', () => {
    wrong(/twice/, 'a1 asked x', 'a1 enter', 'a1 exit', 'a1 enter');
    wrong(/after its end/, 'a1 asked x', 'a1 ended AbortError', 'a1 enter');
    wrong(/ends twice/, 'a1 asked x', 'a1 enter', 'a1 exit', 'a1 ended done', 'a1 ended done');
  });

  it('finds a lock taken from its holder', () => {
    wrong(/while its callback runs/, 'a1 asked x', 'a1 enter', 'a1 ended done');
    wrong(/let in, and ends with AbortError/, 'a1 asked x', 'a1 enter', 'a1 exit', 'a1 ended AbortError');
    wrong(/never let in/, 'a1 asked x', 'a1 ended done');
  });

  it('finds what hangs, let in or not', () => {
    assert.deepEqual(check('a1 asked x', 'b1 asked x shared', 'b1 enter', 'c1 asked x', 'c condemned').hanging,
      ['a1 (exclusive "x")', 'b1 (shared "x", let in)']);
  });

  it('expects nothing of the condemned, but all of those that come after', () => {
    fine('a1 asked x', 'b1 asked x', 'a1 enter', 'a condemned', 'b1 enter', 'a1 exit', 'b1 exit', 'b1 ended done');
    fine('a1 asked x', 'a condemned', 'a1 enter', 'b1 asked x', 'b1 enter', 'b1 exit', 'b1 ended done');
    wrong(/c1 .* b1/, 'a1 asked x', 'b1 asked x', 'c1 asked x', 'a1 enter', 'a condemned', 'b1 enter', 'c1 enter');
  });

  it('lets thieves in, and the robbed end', () => {
    fine('a1 asked purse', 'a1 enter', 'b1 asked purse', 'b1 enter', 'a1 ended AbortError', 'a1 exit', 'b1 exit', 'b1 ended done');
    fine('a1 asked purse', 'a1 ended AbortError', 'a1 enter', 'a1 exit');
  });

  it('draws the same numbers from the same seed', () => {
    const draw = (seed) => Array.from({ length: 5 }, randomSource(seed));
    assert.deepEqual(draw(7), draw(7));
    assert.notDeepEqual(draw(7), draw(8));
    assert.ok(draw(7).every((value) => value >= 0 && value < 1));
  });
});
