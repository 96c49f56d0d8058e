/**
 * Gives a script's variables, and the properties that only it uses, short names, so that it compresses well: what has one name in the
 * source gets one short name wherever that is free, be it a variable here, another one there, or a property. So the same code in two
 * places stays the same text, which a minifier that counts uses function by function does not care for.
 */
import { parse } from 'acorn';
import { arrangedIn, findGroups, putTogether, takeApart } from './order.mjs';

/** The characters of names, roughly as frequent as in JavaScript's own words. */
const LETTERS = 'etnraoislcudphmfgbwvykxTMjqAEOCSLPzBIKDQUR$WNHVFGJXYZ_';
/** One letter, then two; words of the language are none. */
export const SHORT_NAMES = [...LETTERS, ...[...LETTERS].flatMap((one) => [...LETTERS].map((other) => one + other))]
  .filter((name) => !/^(do|if|in|as|of|is)$/.test(name));

/**
 * @typedef {{names: Map<string, Variable>, parent: Scope | undefined, isFunction: boolean, body?: any}} Scope [body] is the block that must
 *   not declare what this scope does
 * @typedef {object} Variable
 * @property {string} name in the source
 * @property {Set<Scope>} scopes where it can be seen being used
 * @property {number} count of its uses
 * @property {string} short
 * @property {string} id
 * @typedef {{start: number, end: number, name: string, variable?: Variable, key?: string}} Use of a variable; of a property, if it has a
 *   [key]; of both, if it is a shorthand
 */

/** Finds what each name in [code] means. @param {string} code */
const analyse = (code) => {
  /** The names of properties that stand together in one object, as each literal, pattern and class shows them. @type {string[][]} */
  const objects = [];
  /** Those of the class around. @type {string[]} */
  let ofClass = [];
  /** @type {Use[]} */
  const uses = [];
  /** @type {[Use, Scope][]} */
  const references = [];
  /** @type {Set<Variable>} */
  const variables = new Set();

  /** @param {Scope | undefined} parent @returns {Scope} */
  const inner = (parent, isFunction = false) => ({ names: new Map(), parent, isFunction });

  /** @param {any} pattern @param {Scope} scope */
  const declare = (pattern, scope) => {
    if (!pattern) return;
    if (pattern.type === 'Identifier') {
      if (scope.names.has(pattern.name)) return;
      const variable = { name: pattern.name, scopes: new Set([scope]), count: 0, short: '', id: '' };
      scope.names.set(pattern.name, variable);
      variables.add(variable);
    } else if (pattern.type === 'ObjectPattern') pattern.properties.forEach((/** @type {any} */ each) => declare(each.value, scope));
    else if (pattern.type === 'ArrayPattern') pattern.elements.forEach((/** @type {any} */ each) => declare(each, scope));
    else if (pattern.type === 'AssignmentPattern') declare(pattern.left, scope);
    else if (pattern.type === 'RestElement') declare(pattern.argument, scope);
    else throw new Error(`What is declared by a ${pattern.type}?`);
  };

  /** Declares what the statements of a block do. @param {any[]} statements @param {Scope} scope */
  const hoist = (statements, scope) => {
    for (const statement of statements) {
      if (statement.type === 'VariableDeclaration') {
        let owner = scope;
        while (statement.kind === 'var' && !owner.isFunction && owner.parent) owner = owner.parent;
        statement.declarations.forEach((/** @type {any} */ each) => declare(each.id, owner));
      } else if (statement.type === 'ClassDeclaration' || statement.type === 'FunctionDeclaration') declare(statement.id, scope);
    }
  };

  /** @param {any} node @param {Scope} scope */
  const visitAll = (node, scope) => {
    for (const part of Object.values(node)) {
      if (Array.isArray(part)) part.forEach((each) => visit(each, scope));
      else if (part && typeof part.type === 'string') visit(part, scope);
    }
  };

  /** @param {any} node @param {Scope} scope */
  const visitKey = (node, scope) => {
    if (node.computed) visit(node.key || node.property, scope);
    else if ((node.key || node.property).type === 'Identifier') {
      const { start, end, name } = node.key || node.property;
      uses.push({ start, end, name, key: name });
      if (node.type === 'MethodDefinition' || (node.object && node.object.type === 'ThisExpression')) ofClass.push(name);
    }
  };

  /** @param {any} node @param {Scope} scope */
  const visit = (node, scope) => {
    if (!node) return;
    switch (node.type) {
      case 'Identifier': {
        const use = { start: node.start, end: node.end, name: node.name };
        uses.push(use);
        references.push([use, scope]);
        break;
      }
      case 'Property': {
        const { value } = node;
        if (!node.shorthand) {
          visitKey(node, scope);
          visit(value, scope);
          break;
        }
        visit(value, scope);
        const use = uses.find(({ start }) => start === node.start);
        if (use) use.key = node.key.name;
        break;
      }
      case 'ObjectExpression': case 'ObjectPattern':
        objects.push(node.properties.map((/** @type {any} */ { key }) => (key ? key.name : '')));
        visitAll(node, scope);
        break;
      case 'ClassBody': {
        const outer = ofClass;
        ofClass = [];
        visitAll(node, scope);
        objects.push(ofClass);
        ofClass = outer;
        break;
      }
      case 'MemberExpression':
        visit(node.object, scope);
        visitKey(node, scope);
        break;
      case 'MethodDefinition':
        visitKey(node, scope);
        visit(node.value, scope);
        break;
      case 'LabeledStatement':
        visit(node.body, scope);
        break;
      case 'BreakStatement': case 'ContinueStatement':
        break;
      case 'FunctionDeclaration': case 'FunctionExpression': case 'ArrowFunctionExpression': {
        const own = inner(scope, true);
        own.body = node.body;
        if (node.id && node.type === 'FunctionExpression') declare(node.id, own);
        if (node.id) visit(node.id, node.type === 'FunctionExpression' ? own : scope);
        node.params.forEach((/** @type {any} */ each) => declare(each, own));
        node.params.forEach((/** @type {any} */ each) => visit(each, own));
        visit(node.body, own);
        break;
      }
      case 'ClassDeclaration': case 'ClassExpression':
        if (node.id) visit(node.id, scope);
        visit(node.superClass, scope);
        visit(node.body, scope);
        break;
      case 'CatchClause': {
        const own = inner(scope);
        own.body = node.body;
        declare(node.param, own);
        visit(node.param, own);
        visit(node.body, own);
        break;
      }
      case 'BlockStatement': case 'Program': case 'ForStatement': case 'ForOfStatement': case 'ForInStatement': case 'SwitchStatement': {
        const own = inner(scope);
        if (scope.body === node) for (const variable of scope.names.values()) variable.scopes.add(own);
        const { init, left, body } = node;
        hoist(Array.isArray(body) ? body : [init || left].filter(Boolean), own);
        visitAll(node, own);
        break;
      }
      default:
        visitAll(node, scope);
    }
  };

  const root = inner(undefined);
  visit(parse(code, { ecmaVersion: 2017, sourceType: 'script' }), root);

  /** @type {Set<string>} */
  const globals = new Set();
  for (const [use, from] of references) {
    /** @type {Scope | undefined} */
    let scope = from;
    const path = [];
    while (scope && !scope.names.has(use.name)) {
      path.push(scope);
      scope = scope.parent;
    }
    const variable = scope && scope.names.get(use.name);
    if (!variable) {
      globals.add(use.name);
      continue;
    }
    use.variable = variable;
    variable.count++;
    path.forEach((each) => variable.scopes.add(each));
  }
  return { uses, variables: [...variables], globals, objects };
};

/** esbuild tells two of one name apart by a number. @param {string} name */
const plain = (name) => name.replace(/\d+$/, '');

/**
 * Decides on names.
 * @param {string} code a script whose names are those of the source; ES2017
 * @param {string[]} properties that may be given other names, the same everywhere
 * @param {string[][]} together names of properties that one object has, though the script does not show it
 * @param {Record<string, string>} [wishes] what was found to do well: short names, by `.property` or `variable#place among its like`, where
 *   another does if one is not free any more; and orders, by `,names in the order of the source#place`
 */
export const plan = (code, properties, together, wishes = {}) => {
  const { uses, variables, globals, objects } = analyse(code);
  const internal = new Set(properties.filter((name) => uses.some(({ key }) => key === name)));

  /** Who may not have the same name: whoever can be seen somewhere together. @type {Map<Scope, Variable[]>} */
  const seenIn = new Map();
  for (const variable of variables) for (const scope of variable.scopes) seenIn.set(scope, [...(seenIn.get(scope) || []), variable]);
  /** @param {Variable} variable */
  const rivalsOf = (variable) => new Set([...variable.scopes].flatMap((scope) => seenIn.get(scope) || []));

  /** The properties that may not have the same name as one: those that stand in an object with it. @type {Map<string, Set<string>>} */
  const besides = new Map([...internal].map((name) => [name, new Set()]));
  for (const names of [...objects, ...together]) {
    for (const name of names) for (const other of names) if (name !== other && besides.has(other)) besides.get(name)?.add(other);
  }

  /** How often each name of the source stands anywhere, and whose it is. @type {Map<string, {count: number, own: Variable[]}>} */
  const words = new Map();
  /** @param {string} name */
  const wordOf = (name) => words.get(plain(name)) || words.set(plain(name), { count: 0, own: [] }).get(plain(name));
  for (const use of uses) {
    if (use.variable || internal.has(use.key || '')) /** @type {any} */ (wordOf(use.name)).count++;
  }
  for (const variable of variables) {
    const { own } = /** @type {any} */ (wordOf(variable.name));
    variable.id = `${plain(variable.name)}#${own.length}`;
    own.push(variable);
  }

  /** @param {{count: number, own: Variable[]}} word */
  const weight = ({ count, own }) => count + 2 * own.length;
  /** @type {Map<string, string>} */
  const shortOf = new Map();
  /** @param {string} name @param {string} short */
  const isFree = (name, short) => ![.../** @type {Set<string>} */ (besides.get(name))].some((other) => shortOf.get(other) === short);
  /** @param {string} name @param {string} short */
  const give = (name, short) => {
    if (!shortOf.has(name) && isFree(name, short)) shortOf.set(name, short);
  };
  for (const name of internal) if (wishes[`.${name}`]) give(name, wishes[`.${name}`]);
  /** @type {Map<Variable, string>} */
  const wished = new Map();
  for (const [word, { own }] of [...words].sort(([, one], [, other]) => weight(other) - weight(one))) {
    const isProperty = internal.has(word) && !shortOf.has(word);
    const bad = new Set(own.flatMap((variable) => [...rivalsOf(variable)].map((rival) => wished.get(rival))));
    const short = /** @type {string} */ (
      SHORT_NAMES.find((name) => !bad.has(name) && !globals.has(name) && (!isProperty || isFree(word, name))));
    for (const variable of own) wished.set(variable, short);
    if (isProperty) give(word, short);
  }
  for (const name of internal) give(name, /** @type {string} */ (SHORT_NAMES.find((each) => isFree(name, each))));
  for (const byWish of [true, false]) {
    for (const variable of variables.sort((one, other) => other.count - one.count)) {
      if (variable.short) continue;
      const used = new Set([...rivalsOf(variable)].map(({ short }) => short));
      const wish = (byWish && wishes[variable.id]) || (!byWish && wished.get(variable)) || '';
      if (wish.length === 1 && !used.has(wish)) variable.short = wish;
      else if (!byWish) variable.short = /** @type {string} */ (SHORT_NAMES.find((name) => !used.has(name) && !globals.has(name)));
    }
  }
  const tree = takeApart(code, uses.sort((one, other) => one.start - other.start), findGroups(code, internal));
  /** @type {Map<string, number>} */
  const like = new Map();
  const arranged = arrangedIn(tree);
  for (const each of arranged) {
    const place = like.get(each.key) || 0;
    like.set(each.key, place + 1);
    each.key += `#${place}`;
    const wish = wishes[`,${each.key}`];
    if (wish) each.order = wish.split(',').map(Number);
  }
  return { code, tree, arranged, variables, shortOf, rivalsOf, besides };
};

/** What the code is under its new names, in its new order. @param {Pick<ReturnType<typeof plan>, 'tree' | 'shortOf'>} planned */
export const print = ({ tree, shortOf }, checked = true) => {
  const text = putTogether(tree, ({ name, variable, key }) => {
    const value = variable ? variable.short : name;
    const property = key && (shortOf.get(key) || key);
    if (!property) return value;
    if (!variable && value === key) return property;
    return property === value ? value : `${property}:${value}`;
  });
  // Throws where two of one scope have one name.
  if (checked) parse(text, { ecmaVersion: 2017 });
  return text;
};
