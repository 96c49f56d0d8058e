/** The format itself: printed schedules are read back as the same, and unreadable ones are refused with the place of the fault. */
import assert from 'node:assert';
import fc from 'fast-check';
import { parse } from './parse.js';
import { runs, text } from './random.js';

describe('the schedule format', () => {
  it('reads back what a failure prints', function () {
    this.timeout(100_000);
    fc.assert(fc.property(runs, (run) => {
      const [{ blocks: [{ steps }] }] = parse(`# Printed\n\`\`\`\n${text(run)}\n\`\`\`\n`);
      const expected = run.program.flatMap((instruction, place) => {
        if (instruction.kind === 'apply' || instruction.kind === 'raise') return [{ ...instruction, expected: run.reports[place] }];
        return instruction.kind === 'restore' ? [{ kind: 'restore' }] : [];
      });
      assert.deepEqual(steps.map(({ at, ...step }) => step), expected);
    }), { numRuns: 300, seed: 20 });
  });

  for (const [line, message, at = 5] of /** @type {const} */ ([
    ['tab1 waits for a', 'does not know what it means to "waits"'],
    ['tab1 requests a exclusive', 'wants a label'],
    ['tab1 requests #1 a', 'wants "exclusive"'],
    ['tab1 requests #1 a exclusive wait soon', 'wants a number, not soon'],
    ['tab1 requests #1 a exclusive please', 'has words left over'],
    ['tab1 requests #1 a exclusive => #2 granted', 'wants a request #2'],
    ['tab1 requests #1 a exclusive => #1 granted #1 removed', 'wants a comma'],
    ['tab1 requests #1 a exclusive => #1 refused', 'wants what becomes of it'],
    ['held #1', 'wants a request #1'],
    ['time 5 => fails invalid now', 'has words left over behind =>'],
    ['fences above 5 => #1 granted', 'has words left over behind =>'],
    ['snapshot and restore => tab1 joined', 'causes no events of its own'],
    ['=> tab1 joined', 'causes no events of its own', 4],
    ['\n=> tab1 joined', 'wants an operation before =>', 6],
    ['tab1 requests #1 "a exclusive', 'cannot be read'],
  ])) {
    it(`refuses: ${line.trim()}`, () => {
      assert.throws(() => parse(`# Title\n\n\`\`\`\njoin tab1\n${line}\n\`\`\`\n`, 'some.md'), (/** @type {Error} */ error) => {
        assert(error.message.startsWith(`some.md:${at}: `), error.message);
        assert(error.message.includes(message), error.message);
        return true;
      });
    });
  }
});
