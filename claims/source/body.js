/** Request bodies: JSON, read strictly; and the text of a member as it came, since numbers do not survive parsing unchanged. */
import { HttpError } from './errors.js';

/**
 * @param {Buffer} bytes
 * @returns {{value: unknown, text: string}}
 */
export function parseBody(bytes) {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { value: JSON.parse(text), text };
  } catch (error) {
    throw new HttpError(400, { error: `The body is not JSON in UTF-8: ${/** @type {Error} */ (error).message}` });
  }
}

/**
 * The text of a member's value. Of several members with one name the last counts, as in JSON.parse.
 * @param {string} text of a JSON object
 * @param {string} name
 * @returns {string | undefined}
 */
export function memberText(text, name) {
  /** @type {string | undefined} */
  let found;
  let place = skipBlanks(text, skipBlanks(text, 0) + 1);
  while (text[place] === '"') {
    const keyEnd = stringEnd(text, place);
    const key = JSON.parse(text.slice(place, keyEnd));
    const start = skipBlanks(text, skipBlanks(text, keyEnd) + 1);
    const end = valueEnd(text, start);
    if (key === name) found = text.slice(start, end).trimEnd();
    place = text[end] === ',' ? skipBlanks(text, end + 1) : end;
  }
  return found;
}

/**
 * @param {string} text
 * @param {number} place
 */
function skipBlanks(text, place) {
  while (' \t\r\n'.includes(text[place])) place += 1;
  return place;
}

/**
 * @param {string} text
 * @param {number} place of the opening quotation mark
 */
function stringEnd(text, place) {
  for (place += 1; text[place] !== '"'; place += 1) if (text[place] === '\\') place += 1;
  return place + 1;
}

/**
 * @param {string} text
 * @param {number} place where the value begins
 * @returns {number} where the comma or bracket after it is
 */
function valueEnd(text, place) {
  for (let depth = 0; ; ) {
    const letter = text[place];
    if (letter === '"') {
      place = stringEnd(text, place);
      continue;
    }
    if (depth === 0 && (letter === ',' || letter === '}')) return place;
    if (letter === '{' || letter === '[') depth += 1;
    else if (letter === '}' || letter === ']') depth -= 1;
    place += 1;
  }
}
