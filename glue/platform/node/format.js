/** The format of the journal, and the errors for other formats. */

/** The format of the journal and of its signs of life. Contexts with different formats must not share a journal. */
export const FORMAT = 5;
/**
 * The first character of the file that shows that a context lives: one for each format, since contexts with another one must see it.
 * Formats up to 4 used others than 'h'.
 */
export const SIGN = String.fromCharCode('h'.charCodeAt(0) + FORMAT - 5);

/** Sizes in bytes: of the first file, of each later one, and between two marks. */
export const SIZES = { first: 16 * 1024, next: 128 * 1024, marks: 16 * 1024 };
/** These sizes are at least this many times the size of the state. */
export const HEADS = 4;

/** @param {string} folder of the journal */
export const newerJournal = (folder) =>
  new Error(`Lockkeeper: ${folder} was written by a newer version of the package. Use that version here too, or end `
    + 'all that use it, and remove it.');

/** @param {string} folder of the journal */
export const formerJournal = (folder) => Object.assign(new Error(
  `Lockkeeper: an older version of the package is at work in ${folder}. End its threads and processes, or give them this version.`,
), { isFormer: true });

/** @param {string} folder of the journal */
export const missingFiles = (folder) =>
  new Error(`Lockkeeper: files are missing in ${folder}. End all threads and processes that use it, and remove it.`);

/** A context that gets this error starts anew. */
export const removedJournal = () => Object.assign(new Error('the journal was removed'), { code: 'ENOENT' });
