/**
 * A worker with a connection of its own to a SQLite database, by one of wa-sqlite's VFS: they share files between contexts by locks. The
 * database is a bank with a book: each transaction moves money and writes one line, so a lost or half transaction shows.
 */
import * as SQLite from '@journeyapps/wa-sqlite';
import makeSynchronous from '@journeyapps/wa-sqlite/dist/wa-sqlite.mjs';
import makeAsynchronous from '@journeyapps/wa-sqlite/dist/wa-sqlite-async.mjs';
import { IDBBatchAtomicVFS } from '@journeyapps/wa-sqlite/src/examples/IDBBatchAtomicVFS.js';
import { IDBMirrorVFS } from '@journeyapps/wa-sqlite/src/examples/IDBMirrorVFS.js';
import { OPFSWriteAheadVFS } from '@journeyapps/wa-sqlite/src/examples/OPFSWriteAheadVFS.js';
import { answer } from './calls.js';

const ACCOUNTS = 20;
/** Milliseconds before each next try: those of SQLite's own busy handler. */
const PAUSES = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100];

/** Each with the build of SQLite that it is meant for, its options, and what says beforehand that a transaction will write. */
const SYSTEMS = {
  IDBBatchAtomicVFS: { vfs: IDBBatchAtomicVFS, make: makeAsynchronous, options: { lockPolicy: 'shared+hint' }, hint: 'PRAGMA write_hint' },
  IDBMirrorVFS: { vfs: IDBMirrorVFS, make: makeAsynchronous, options: {}, hint: '' },
  OPFSWriteAheadVFS: { vfs: OPFSWriteAheadVFS, make: makeSynchronous, options: {}, hint: '' },
};

/** @type {any} */
let sqlite;
let database = 0;
let hint = '';
/** How often a transaction had to begin again because another connection was writing. */
let busy = 0;

/** The rows of the last statement. @param {string} sql */
const rows = async (sql) => {
  /** @type {any[][]} */
  const result = [];
  await sqlite.exec(database, sql, (/** @type {any[]} */ row) => { result.push(row); });
  return result;
};

/** Runs statements from BEGIN on; again as long as SQLite says that another connection is writing. @param {string[]} statements */
const transaction = async (statements) => {
  for (let tries = 0; ; tries++) {
    try {
      if (hint) await sqlite.exec(database, hint);
      for (const statement of ['BEGIN IMMEDIATE', ...statements]) await sqlite.exec(database, statement);
      return;
    } catch (error) {
      if (!sqlite.get_autocommit(database)) await sqlite.exec(database, 'ROLLBACK');
      if (error.code !== SQLite.SQLITE_BUSY) throw error;
      busy++;
      await new Promise((resolve) => setTimeout(resolve, PAUSES[Math.min(tries, PAUSES.length - 1)]));
    }
  }
};

/** @param {string} writer @param {number} line */
const move = (writer, line) => [
  `UPDATE account SET balance = balance - 1 WHERE id = ${1 + line % ACCOUNTS}`,
  `UPDATE account SET balance = balance + 1 WHERE id = ${1 + (line * 7 + 3) % ACCOUNTS}`,
  `INSERT INTO book (writer, line) VALUES ('${writer}', ${line})`,
];

answer({
  /** @param {keyof SYSTEMS} name @param {string} file */
  async open(name, file) {
    const { vfs, make, options, hint: first } = SYSTEMS[name];
    hint = first;
    const module = await make();
    sqlite = SQLite.Factory(module);
    sqlite.vfs_register(await vfs.create(name, module, options), true);
    database = await sqlite.open_v2(file);
  },

  create: () => transaction([
    'CREATE TABLE IF NOT EXISTS account (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL)',
    'CREATE TABLE IF NOT EXISTS book (id INTEGER PRIMARY KEY, writer TEXT, line INTEGER, UNIQUE (writer, line))',
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ACCOUNTS})
     INSERT OR IGNORE INTO account SELECT i, 100 FROM n`,
    'COMMIT',
  ]),

  /** @param {string} writer @param {number} line */
  move: (writer, line) => transaction([...move(writer, line), 'COMMIT']),

  /** All of a move but one half and the end of the transaction. @param {string} writer @param {number} line */
  begin: (writer, line) => transaction(move(writer, line).slice(1)),

  busy: () => busy,

  /** What the database has: the sum of all accounts, each writer's lines and the last of them, and SQLite's own check. */
  async report() {
    // A writer: a pure reader of IDBMirrorVFS may see the data from before another tab's last transaction.
    await transaction([]);
    const [[sum]] = await rows('SELECT sum(balance) FROM account');
    const written = await rows('SELECT writer, count(*), max(line) FROM book GROUP BY writer ORDER BY writer');
    const check = await rows('PRAGMA integrity_check');
    await rows('COMMIT');
    return { sum, written, check: check.flat().join() };
  },
});
