/**
 * A second sign of life for macOS and the BSDs: a file that its owner has opened with an exclusive lock (O_EXLOCK). The system releases
 * that lock when the file is closed, and so when the thread or process has ended. This follows the manuals, open(2) and flock(2). It was
 * tested only with a stand-in, since Linux does not have these flags.
 */
import { closeSync, constants, openSync, unlinkSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { codeOf } from './errors.js';

/** From the systems' <fcntl.h>; the same on macOS, FreeBSD, NetBSD and OpenBSD. */
const O_SHLOCK = 0x10;
const O_EXLOCK = 0x20;

const { O_CREAT, O_EXCL, O_NONBLOCK, O_RDONLY, O_RDWR } = constants;

/** @param {string} path of a context's socket */
export const pathOf = (path) => `${path}!`;

/** @param {string} path @returns {Promise<{close(): void}>} */
export const hold = async (path) => {
  // A FileHandle is closed with its worker, even if the worker does not track its descriptors.
  const handle = await open(pathOf(path), O_CREAT | O_EXCL | O_RDWR | O_EXLOCK | O_NONBLOCK, 0o600);
  return {
    close() {
      try {
        unlinkSync(pathOf(path));
      } catch {
        // Another context has removed it.
      }
      handle.close().catch(() => {});
    },
  };
};

/** @param {string} path @returns {boolean} whether its owner lives; true if that is unknown */
export const isHeld = (path) => {
  try {
    closeSync(openSync(pathOf(path), O_RDONLY | O_SHLOCK | O_NONBLOCK));
    return false;
  } catch (error) {
    return codeOf(error) !== 'ENOENT';
  }
};
