/** A Wasm module, taken apart so far that its parts can be put in another order. Of the first Wasm alone, as build/core.mjs makes sure. */

const SECTIONS = { types: 1, functions: 3, exports: 7, code: 10 };

/** Instructions that name something by its place. */
const CALL = 0x10;
const CALL_INDIRECT = 0x11;
const LOCALS = [0x20, 0x21, 0x22];

/** @param {number} value @returns {number[]} as LEB128 */
const leb = (value) => (value < 128 ? [value] : [(value & 127) | 128, ...leb(value >>> 7)]);

/** @param {Uint8Array} bytes */
const createReader = (bytes, at = 0) => {
  const number = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      value |= (byte & 127) << shift;
      if (byte < 128) return value >>> 0;
    }
  };
  const take = (/** @type {number} */ length) => [...bytes.subarray(at, (at += length))];
  /** @template T @param {() => T} one @returns {T[]} */
  const list = (one) => Array.from({ length: number() }, one);
  /** Goes past what follows an instruction. @param {number} code */
  const skip = (code) => {
    if (code === 0x02 || code === 0x03 || code === 0x04 || code === 0x3f || code === 0x40) at++;
    else if (code === 0x0c || code === 0x0d || code === 0x23 || code === 0x24 || code === 0x41 || code === 0x42) number();
    else if (code === 0x0e) {
      list(number);
      number();
    } else if (code >= 0x28 && code <= 0x3e) {
      number();
      number();
    } else if (code === 0x43) at += 4;
    else if (code === 0x44) at += 8;
    else if (code === CALL_INDIRECT) throw new Error('There are no tables here');
  };
  return { number, take, list, skip, byte: () => bytes[at++], place: () => at, left: () => at < bytes.length };
};

/**
 * @typedef {number[] | {call: number} | {code: number, local: number}} Piece some bytes, or an instruction that names something
 * @typedef {{locals: number[], pieces: Piece[]}} Body the types of its locals, without the parameters; its instructions
 * @typedef {object} Module
 * @property {{id: number, content: number[]}[]} sections
 * @property {number[][]} types
 * @property {number[]} parameters how many there are in each type
 * @property {number[]} functions the type of each
 * @property {{name: number[], kind: number, index: number}[]} exports
 * @property {Body[]} bodies
 */

/** @param {Uint8Array} bytes @returns {Body} */
const readBody = (bytes) => {
  const { number, list, skip, byte, place, left } = createReader(bytes);
  const locals = list(() => [number(), byte()]).flatMap(([count, type]) => Array(count).fill(type));
  /** @type {Piece[]} */
  const pieces = [];
  let start = place();
  while (left()) {
    const before = place();
    const code = byte();
    if (code === CALL || LOCALS.includes(code)) {
      if (before > start) pieces.push([...bytes.subarray(start, before)]);
      pieces.push(code === CALL ? { call: number() } : { code, local: number() });
      start = place();
    } else skip(code);
  }
  pieces.push([...bytes.subarray(start)]);
  return { locals, pieces };
};

/** @param {Uint8Array} bytes @returns {Module} */
export const readModule = (bytes) => {
  const { number, take, left } = createReader(bytes, 8);
  /** @type {Module} */
  const module = { sections: [], types: [], parameters: [], functions: [], exports: [], bodies: [] };
  while (left()) {
    const id = number();
    const content = take(number());
    module.sections.push({ id, content });
    const section = createReader(Uint8Array.from(content));
    if (id === SECTIONS.types) {
      module.types = section.list(() => {
        const type = section.take(1);
        const parameters = section.list(section.byte);
        const results = section.list(section.byte);
        module.parameters.push(parameters.length);
        return [...type, ...leb(parameters.length), ...parameters, ...leb(results.length), ...results];
      });
    } else if (id === SECTIONS.functions) module.functions = section.list(section.number);
    else if (id === SECTIONS.exports) {
      module.exports = section.list(() => ({ name: section.take(section.number()), kind: section.byte(), index: section.number() }));
    } else if (id === SECTIONS.code) {
      module.bodies = section.list(() => readBody(Uint8Array.from(section.take(section.number()))));
    }
  }
  return module;
};

/**
 * @typedef {object} Order each a list of places in the module as it was
 * @property {number[]} types
 * @property {number[]} functions
 * @property {number[][]} locals of each function, in the old order
 */

/** @param {Module} module @returns {Order} */
export const sameOrder = ({ types, functions, bodies }) => ({
  types: types.map((_, index) => index),
  functions: functions.map((_, index) => index),
  locals: bodies.map(({ locals }) => locals.map((_, index) => index)),
});

/**
 * @param {Module} module
 * @param {Order} wished is obeyed where it is one of this module
 * @returns {Order}
 */
export const wishedOrder = (module, wished) => {
  const same = sameOrder(module);
  /** @param {number[]} order @param {number[]} [wish] @returns {number[]} */
  const either = (order, wish = []) => (wish.length === order.length && order.every((place) => wish.includes(place)) ? wish : order);
  return {
    types: either(same.types, wished.types),
    functions: either(same.functions, wished.functions),
    locals: same.locals.map((order, index) => either(order, wished.locals[index])),
  };
};

/**
 * @param {Body} body
 * @param {number} parameters
 * @param {number[]} order of its locals
 * @param {number[]} placeOf new places of functions
 * @returns {number[]}
 */
const writeBody = ({ locals, pieces }, parameters, order, placeOf) => {
  /** @type {number[][]} */
  const groups = [];
  /** @type {number[]} */
  const placeOfLocal = [];
  order.forEach((local, place) => {
    placeOfLocal[local] = place;
    const [last] = groups.slice(-1);
    if (last && last[1] === locals[local]) last[0]++;
    else groups.push([1, locals[local]]);
  });
  const bytes = [...leb(groups.length), ...groups.flatMap(([count, type]) => [...leb(count), type])];
  for (const piece of pieces) {
    if (Array.isArray(piece)) bytes.push(...piece);
    else if ('call' in piece) bytes.push(CALL, ...leb(placeOf[piece.call]));
    else {
      const { code, local } = piece;
      bytes.push(code, ...leb(local < parameters ? local : placeOfLocal[local - parameters] + parameters));
    }
  }
  return [...leb(bytes.length), ...bytes];
};

/** @param {number[]} order @returns {number[]} where each is now */
const placesOf = (order) => {
  /** @type {number[]} */
  const places = [];
  order.forEach((old, place) => {
    places[old] = place;
  });
  return places;
};

/**
 * @param {Module} module
 * @param {Order} order
 * @param {Map<string, string>} [shortOf] other names for exports, by those they have
 * @returns {Uint8Array}
 */
export const writeModule = ({ sections, types, parameters, functions, exports, bodies }, order, shortOf = new Map()) => {
  const placeOf = placesOf(order.functions);
  const placeOfType = placesOf(order.types);
  /** @param {number[][]} items */
  const list = (items) => [...leb(items.length), ...items.flat()];
  /** @param {number} id @param {number[]} content @returns {number[]} */
  const contentOf = (id, content) => {
    switch (id) {
      case SECTIONS.types:
        return list(order.types.map((type) => types[type]));
      case SECTIONS.functions:
        return list(order.functions.map((each) => leb(placeOfType[functions[each]])));
      case SECTIONS.exports:
        return list(exports.map(({ name, kind, index }) => {
          const text = Buffer.from(name).toString();
          const short = [...Buffer.from(shortOf.get(text) || text)];
          return [...leb(short.length), ...short, kind, ...leb(kind ? index : placeOf[index])];
        }));
      case SECTIONS.code:
        return list(order.functions.map((each) => writeBody(bodies[each], parameters[functions[each]], order.locals[each], placeOf)));
      default:
        return content;
    }
  };
  const bytes = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
  for (const { id, content } of sections) {
    const written = contentOf(id, content);
    bytes.push(id, ...leb(written.length), ...written);
  }
  return Uint8Array.from(bytes);
};
