/** Contexts that share a journal, each with a state that is the list of what it has read. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createJournal } from '../../glue/platform/node/journal.js';

const bytes = (/** @type {string[]} */ list) => Buffer.from(JSON.stringify(list));

/**
 * A record from which a context of these tests reads [entry].
 * @param {string} entry
 * @returns {import('../../glue/platform/node/copy.js').Record}
 */
export const saying = (entry) => ({ by: entry, operations: [{ type: 'tick', now: 1 }] });

/** Call it in a suite: each of its tests has a journal of its own. */
export const useJournal = () => {
  /** @type {string} */
  let directory;
  let counter = 0;
  /** @type {any[]} */
  let open = [];

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'lk-'));
  });
  afterEach(() => {
    open.forEach((reader) => reader.close());
    open = [];
    rmSync(directory, { recursive: true });
  });

  const folder = () => join(directory, 'log');

  /** A context with the list of what it has read as its state. @param {any} [options] */
  const start = (options) => {
    const context = prepare(options);
    context.journal.open();
    return context;
  };

  /** @param {any} [options] */
  const prepare = ({ sizes = { first: 200, next: 200, marks: 1e6 } } = {}) => {
    const reader = { list: /** @type {string[]} */ ([]), restored: 0, applied: 0 };
    const journal = createJournal({
      directory: () => directory, sizes,
      randomId: () => `random${++counter}`,
      snapshot: () => bytes(reader.list),
      begin: () => bytes([]),
      restore(state) {
        reader.restored++;
        reader.list = JSON.parse(Buffer.from(state).toString());
      },
      apply(record) {
        reader.applied++;
        reader.list.push(record.by);
      },
    });
    const context = {
      reader, journal,
      list: () => reader.list.join(' '),
      write(/** @type {string} */ entry, tidy = true) {
        journal.append(saying(entry));
        journal.read();
        if (tidy) journal.tidy();
      },
      read() {
        journal.read();
        return context.list();
      },
      close: journal.close,
    };
    open.push(context);
    return context;
  };

  /** [context] makes the file [next], and names it as the one that comes next. @param {any} context @param {string} next */
  const endFile = ({ journal }, next) => {
    writeFileSync(join(folder(), next), '', { flag: 'wx' });
    journal.append({ close: next });
  };

  return { endFile, folder, start, prepare, directory: () => directory };
};
