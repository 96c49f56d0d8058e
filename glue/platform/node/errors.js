/** Error codes of the system. */

/** The codes of temporary errors: a full disk, too many open files, no memory. */
const PASSING = [
  'EAGAIN', 'EBUSY', 'EDQUOT', 'EINTR', 'EIO', 'EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'ENOSPC', 'ETXTBSY', 'out-of-memory',
];

/** @param {unknown} error */
export const codeOf = (error) => /** @type {NodeJS.ErrnoException} */ (error).code || '';

/** Whether trying again may help. @param {unknown} error */
export const mayPass = (error) => PASSING.includes(codeOf(error));
