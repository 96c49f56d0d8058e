/**
 * Finds what stands in some order in a script though any order would do, so that the build may choose the one that compresses best:
 * neighbouring declarations of functions and constants, properties of an object that only the script uses, names taken out of an object.
 */
import { parse } from 'acorn';

/**
 * @typedef {object} Group
 * @property {string} key the names of the items, in the order of the source
 * @property {{start: number, end: number}[]} items with a comma between each two
 */

/** Whether it does nothing, and depends on nothing, when it is evaluated. @param {any} node @returns {boolean} */
const isConstant = (node) => {
  if (!node) return true;
  switch (node.type) {
    case 'ArrowFunctionExpression': case 'FunctionExpression': case 'Literal':
      return true;
    case 'UnaryExpression':
      return isConstant(node.argument);
    case 'ArrayExpression':
      return node.elements.every(isConstant);
    case 'ObjectExpression':
      return node.properties.every((/** @type {any} */ { computed, value }) => value && !computed && isConstant(value));
    case 'NewExpression':
      return /^(Map|Set)$/.test(node.callee.name) && !node.arguments.length;
    default:
      return false;
  }
};

/** Besides, what can be read at any time. @param {any} node */
const isSimple = (node) => isConstant(node) || node.type === 'Identifier' || (node.type === 'MemberExpression' && !node.computed &&
  node.object.type === 'Identifier');

/**
 * @param {string} code
 * @param {Set<string>} internal the properties that nobody else sees: an object that has one is the script's own
 * @returns {Group[]} those inside others behind them
 */
export const findGroups = (code, internal) => {
  /** @type {Group[]} */
  const groups = [];

  /** @param {any[]} items @param {(item: any) => string} nameOf empty for what must keep its place, and what is before and behind it */
  const addRuns = (items, nameOf) => {
    /** @type {any[]} */
    let run = [];
    const end = () => {
      if (run.length > 1) groups.push({ key: run.map(nameOf).join(), items: run.map(({ start, end: stop }) => ({ start, end: stop })) });
      run = [];
    };
    for (const item of items) {
      if (nameOf(item)) run.push(item);
      else end();
    }
    end();
  };

  /** @param {any} node */
  const visit = (node) => {
    if (node.type === 'VariableDeclaration') {
      addRuns(node.declarations, ({ id, init }) => (id.type === 'Identifier' && isConstant(init) ? id.name : ''));
    } else if (node.type === 'ObjectExpression' && node.properties.some((/** @type {any} */ { key }) => key && internal.has(key.name))) {
      addRuns(node.properties, ({ computed, key, value }) => (value && !computed && isSimple(value) ? key.name : ''));
    } else if (node.type === 'ObjectPattern') {
      addRuns(node.properties, ({ key, value }) => (value && value.type !== 'AssignmentPattern' ? key.name : ''));
    }
    for (const part of Object.values(node)) {
      for (const each of Array.isArray(part) ? part : [part]) if (each && typeof each.type === 'string') visit(each);
    }
  };

  visit(parse(code, { ecmaVersion: 2017 }));
  return groups;
};

/**
 * @template Piece
 * @typedef {{items: Tree<Piece>[], order: number[], key: string}} Arranged
 */
/**
 * @template Piece
 * @typedef {(string | Piece | Arranged<Piece>)[]} Tree
 */

/**
 * Takes [code] apart into text, [uses] and groups, which can be put together again in another order.
 * @template {{start: number, end: number}} Use
 * @param {string} code
 * @param {Use[]} uses in order
 * @param {Group[]} groups
 * @returns {Tree<Use>}
 */
export const takeApart = (code, uses, groups) => {
  const inOrder = [...groups].sort((one, other) => one.items[0].start - other.items[0].start);
  let use = 0;
  let group = 0;
  /** @param {number} start @param {number} end @returns {Tree<Use>} */
  const between = (start, end) => {
    /** @type {Tree<Use>} */
    const tree = [];
    let at = start;
    while (at < end) {
      const next = inOrder[group];
      const [item] = next ? next.items : [];
      const named = uses[use];
      if (item && item.start < end && (!named || item.start <= named.start)) {
        group++;
        tree.push(code.slice(at, item.start));
        const { items } = next;
        tree.push({ key: next.key, order: items.map((_, index) => index), items: items.map((each) => between(each.start, each.end)) });
        at = items[items.length - 1].end;
      } else if (named && named.start < end) {
        use++;
        tree.push(code.slice(at, named.start), named);
        at = named.end;
      } else {
        tree.push(code.slice(at, end));
        at = end;
      }
    }
    return tree;
  };
  return between(0, code.length);
};

/**
 * @template {object} Use
 * @param {Tree<Use>} tree
 * @returns {Arranged<Use>[]}
 */
export const arrangedIn = (tree) => tree.flatMap((piece) => (typeof piece === 'object' && 'items' in piece
  ? [piece, ...piece.items.flatMap(arrangedIn)]
  : []));

/**
 * @template {object} Use
 * @param {Tree<Use>} tree
 * @param {(use: Use) => string} print
 * @returns {string}
 */
export const putTogether = (tree, print) => {
  let text = '';
  for (const piece of tree) {
    if (typeof piece === 'string') text += piece;
    else if ('items' in piece) text += piece.order.map((index) => putTogether(piece.items[index], print)).join();
    else text += print(piece);
  }
  return text;
};
