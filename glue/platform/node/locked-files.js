/**
 * A second sign of life for macOS and the BSDs: a file that its owner has opened with an exclusive lock (O_EXLOCK). The system gives the
 * lock back when the file is closed, as it is when the thread or the process has ended. This was written by the manuals, open(2) and
 * flock(2), and tried with a stand-in alone: Linux does not know these flags.
 */
import { closeSync, constants, openSync, unlinkSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { codeOf } from './directory.js';

/** From the systems' <fcntl.h>; the same on macOS, FreeBSD, NetBSD and OpenBSD. */
const O_SHLOCK = 0x10;
const O_EXLOCK = 0x20;

const { O_CREAT, O_EXCL, O_NONBLOCK, O_RDONLY, O_RDWR } = constants;

/** @param {string} path of a context's socket */
export const pathOf = (path) => `${path}!`;

/** @param {string} path @returns {Promise<{close(): void}>} */
export const hold = async (path) => {
  // A handle, which is closed with its worker even where the worker does not track its descriptors.
  const handle = await open(pathOf(path), O_CREAT | O_EXCL | O_RDWR | O_EXLOCK | O_NONBLOCK, 0o600);
  return {
    close() {
      try {
        unlinkSync(pathOf(path));
      } catch {
        // Somebody has done so before.
      }
      handle.close().catch(() => {});
    },
  };
};

/** @param {string} path @returns {boolean} whether its owner lives; true where that cannot be told */
export const isHeld = (path) => {
  try {
    closeSync(openSync(pathOf(path), O_RDONLY | O_SHLOCK | O_NONBLOCK));
    return false;
  } catch (error) {
    return codeOf(error) !== 'ENOENT';
  }
};
