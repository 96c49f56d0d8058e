/** Whether the files that LevelDB has open are still those in the data folder. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Unavailable } from './log.js';

/** What happens to a folder that is away. */
export const GONE = 'It is opened anew when it is there again';

/**
 * Which files LevelDB has open: its lock, and its manifest, which each server that opens the folder writes anew. While a file is open, no
 * other one gets its number.
 * @param {string} folder
 * @returns {Promise<{file: string, inode: string}[]>}
 */
export async function identify(folder) {
  const manifest = (await readFile(join(folder, 'CURRENT'), 'utf8')).trim();
  const files = ['LOCK', manifest].map((name) => join(folder, name));
  return Promise.all(files.map(async (file) => ({ file, inode: await inodeOf(file) })));
}

/** @param {string} file */
async function inodeOf(file) {
  const { dev, ino } = await stat(file, { bigint: true });
  return `${dev} ${ino}`;
}

/**
 * Throws if the files that LevelDB has open are not in the folder any more: what it writes would be lost, and what it deletes would be
 * another server's.
 * @param {string} folder
 * @param {{file: string, inode: string}[]} identity of those files
 */
export async function checkIdentity(folder, identity) {
  const found = await Promise.all(identity.map(({ file }) => inodeOf(file).catch((error) => error)));
  const wrong = found.find((inode, index) => inode !== identity[index].inode);
  if (wrong !== undefined) throw new Unavailable(`${folder} was removed, moved or replaced. ${GONE}`, wrong);
}
