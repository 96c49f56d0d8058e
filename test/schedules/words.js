/** The words of the schedule format: how a line is cut into tokens, and how a name is written so that it is read back as itself. */

/**
 * @typedef {object} Token
 * @property {'word' | 'label' | 'arrow' | 'comma'} kind
 * @property {string} text of a word: its value, escapes undone
 * @property {boolean} quoted
 */

/** Words that mean something where a client or a name may stand; a client or a name that is spelt so is written in quotes. */
const reserved = new Set([
  'join', 'joins', 'is', 'requests', 'releases', 'aborts', 'force-releases', 'time', 'fences', 'snapshot', 'held', 'pending', 'next',
  'exclusive', 'shared', 'number',
]);

const pattern = /\s+|(?<comment>\/\/.*)|(?<arrow>=>)|(?<comma>,)|(?<label>#\w+)|(?<quoted>"(?:[^"\\]|\\.)*")|(?<word>[^\s,"#]+)/uy;

/**
 * @param {string} line
 * @returns {Token[]}
 */
export function tokens(line) {
  /** @type {Token[]} */
  const found = [];
  pattern.lastIndex = 0;
  while (pattern.lastIndex < line.length) {
    const match = pattern.exec(line);
    if (!match) throw new Error('cannot be read');
    const { comment, arrow, comma, label, quoted, word } = match.groups ?? {};
    if (comment) break;
    if (arrow) found.push({ kind: 'arrow', text: arrow, quoted: false });
    else if (comma) found.push({ kind: 'comma', text: comma, quoted: false });
    else if (label) found.push({ kind: 'label', text: label, quoted: false });
    else if (quoted) found.push({ kind: 'word', text: JSON.parse(quoted), quoted: true });
    else if (word) found.push({ kind: 'word', text: word, quoted: false });
  }
  return found;
}

/** @param {string} name */
export const written = (name) => (/^[A-Za-z_][\w/.:-]*$/.test(name) && !reserved.has(name) ? name : JSON.stringify(name));

/** @param {Token | undefined} token */
const isName = (token) => token?.kind === 'word' && (token.quoted || !reserved.has(token.text));

/**
 * @template Value
 * @param {Value | undefined} value
 * @param {string} what
 */
export function required(value, what) {
  if (value === undefined) throw new Error(`wants ${what}`);
  return value;
}

/** Tokens, taken from the front. */
export class Words {
  #tokens;

  /** @param {Token[]} all */
  constructor(all) {
    this.#tokens = [...all];
  }

  done() {
    return this.#tokens.length === 0;
  }

  take() {
    return required(this.#tokens.shift(), 'more words');
  }

  /** @param {string} text */
  keyword(text) {
    const [token] = this.#tokens;
    const here = token?.kind === 'word' && !token.quoted && token.text === text;
    if (here) this.#tokens.shift();
    return here;
  }

  /** @param {string[]} texts */
  expect(...texts) {
    for (const text of texts) {
      if (!this.keyword(text)) throw new Error(`wants "${text}"`);
    }
  }

  word() {
    const token = this.take();
    if (token.kind !== 'word' || token.quoted) throw new Error(`wants a word, not ${token.text}`);
    return token.text;
  }

  comma() {
    if (this.take().kind !== 'comma') throw new Error('wants a comma');
  }

  number() {
    const text = this.word();
    if (text === 'never') return Infinity;
    const value = Number(text);
    if (Number.isNaN(value) && text !== 'NaN') throw new Error(`wants a number, not ${text}`);
    return value;
  }

  name() {
    if (!isName(this.#tokens[0])) throw new Error('wants a name');
    return this.take().text;
  }

  names() {
    const names = [];
    while (isName(this.#tokens[0])) names.push(this.take().text);
    return names;
  }

  isLabel() {
    return this.#tokens[0]?.kind === 'label';
  }

  label() {
    if (!this.isLabel()) throw new Error('wants a label such as #1');
    return this.take().text;
  }

  labels() {
    const labels = [];
    while (this.isLabel()) labels.push(this.label());
    return labels;
  }
}
