/** Request bodies: strict JSON. A member's text can be had unchanged, since parsing can change numbers. */
import { HttpError } from './errors.js';
import { DEEPEST } from './schemas.js';

const decoder = new TextDecoder('utf-8', { fatal: true });
const [QUOTE, BACKSLASH, BRACKET, BRACE] = [...'"\\[{'].map((letter) => letter.charCodeAt(0));

/**
 * @param {Buffer} bytes
 * @returns {{value: unknown, text: string}}
 */
export function parseBody(bytes) {
  try {
    const text = decoder.decode(bytes);
    checkDepth(text);
    return { value: JSON.parse(text), text };
  } catch (error) {
    if (error instanceof HttpError) throw error;
    throw new HttpError(400, { error: `The body is not JSON in UTF-8: ${/** @type {Error} */ (error).message}` });
  }
}

/**
 * Recursive readers of JSON fail on very deep nesting.
 * @param {string} text
 */
function checkDepth(text) {
  let depth = 0;
  for (let place = 0; place < text.length; place += 1) {
    const letter = text.charCodeAt(place);
    if (letter === QUOTE) {
      for (place += 1; place < text.length && text.charCodeAt(place) !== QUOTE; place += 1) {
        if (text.charCodeAt(place) === BACKSLASH) place += 1;
      }
    } else if (letter === BRACKET || letter === BRACE) {
      depth += 1;
      if (depth > DEEPEST) throw new HttpError(400, { error: `The body is nested deeper than ${DEEPEST} levels.` });
    } else if (letter === BRACKET + 2 || letter === BRACE + 2) {
      depth -= 1;
    }
  }
}

/**
 * The text of a member's value. If several members have the name, the last one counts, as in JSON.parse.
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
 * @returns {number} the place of the comma or bracket after it
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
