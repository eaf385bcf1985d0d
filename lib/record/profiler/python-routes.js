/** Finds the routes that decorators or Django's URL table give to functions of a Python file. */
import { addImports, splitStatements } from './python-calls.js';

/** @import { Token } from './python-calls.js' */

/**
 * @typedef {object} PythonRoute
 * @property {string} function qualified: `create_app.<locals>.item`, `Item.get`
 * @property {string} path as written: `/items/<int:id>`, `/items/{id}`
 * @property {string[]} methods
 */

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'];
/** Names of decorators with a path, after the last dot. */
const ROUTERS = new Set(['route', 'api_route', ...METHODS]);
/** A quick check, to skip files without routes. */
const ANY = /^[ \t]*@[\w.]+\.(?:route|api_route|get|post|put|patch|delete|head|options)\s*\(/m;

/** Django's table does not restrict the methods of a function. */
const OF_FUNCTIONS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** The target of `path()`: a view, or a class of views. */
const VIEW = /^([\w.]+?)(?:\.as_view\(|[,)])/;

/**
 * @param {string} source
 * @param {ReadonlyMap<string, string[]>} [table] paths of its functions and classes by name, from `readUrlTable`
 * @returns {PythonRoute[]}
 */
export function readPythonRoutes(source, table = new Map()) {
  if (!ANY.test(source) && table.size === 0) return [];
  /** @type {PythonRoute[]} */
  const routes = [];
  /** @type {{indent: number, name: string, isClass: boolean, own: Omit<PythonRoute, 'function'>[]}[]} */
  let blocks = [];
  /** @type {Omit<PythonRoute, 'function'>[]} */
  let pending = [];
  for (const { indent, tokens } of splitStatements(source)) {
    const words = tokens.map(({ text }) => text);
    if (words[0] === '@') {
      const route = readDecorator(tokens);
      if (route) pending.push(route);
      continue;
    }
    const [kind = '', name = ''] = words.slice(words[0] === 'async' ? 1 : 0);
    blocks = blocks.filter(block => block.indent < indent);
    const listed = (blocks.length === 0 && table.get(name)) || [];
    const own = [...pending, ...listed.map(path => ({ path, methods: OF_FUNCTIONS }))];
    pending = [];
    if (kind !== 'def' && kind !== 'class') continue;
    const scope = blocks
      .map(block => `${block.name}${block.isClass ? '.' : '.<locals>.'}`)
      .join('');
    const isMethod = kind === 'def' && METHODS.includes(name);
    for (const route of kind === 'def' ? own : [])
      routes.push({ function: scope + name, ...route });
    // The decorator of a class of views applies to each method named after an HTTP method.
    for (const { path } of (isMethod && blocks.at(-1)?.own) || [])
      routes.push({ function: scope + name, path, methods: [name.toUpperCase()] });
    blocks.push({ indent, name, isClass: kind === 'class', own: kind === 'class' ? own : [] });
  }
  return routes;
}

/**
 * Reads Django's `path("items/<int:id>/", views.item)`, but no other tables, and no views behind a call.
 * @param {string} source
 * @param {string[]} module folder and name of the module with the views; empty: the source itself
 * @returns {Map<string, string[]>} paths by the name of the view
 */
export function readUrlTable(source, module = []) {
  /** @type {Map<string, string[]>} */
  const table = new Map();
  // An import from the parent folder may have the same name.
  if (!/\bdjango\.urls\b/.test(source) || /\bfrom\s+\.\./.test(source)) return table;
  /** @type {Map<string, string>} */
  const imports = new Map();
  for (const { tokens } of splitStatements(source)) {
    if (/^(?:from|import)$/.test(tokens[0]?.text ?? '')) addImports(tokens, imports);
    for (const [at, { text }] of tokens.entries()) {
      if (text !== 'path' || tokens[at + 1]?.text !== '(') continue;
      const path = readText(tokens[at + 2]?.text ?? '');
      const words = tokens.slice(at + 4, at + 16).map(token => token.text);
      const [first = '', ...rest] = VIEW.exec(words.join(''))?.[1]?.split('.') ?? [];
      const whole = [...(imports.get(first) ?? first).split('.'), ...rest];
      const name = whole.pop() ?? '';
      const isOfModule =
        module.length === 0
          ? whole.length === 0
          : whole.length > 0 && `.${module.join('.')}`.endsWith(`.${whole.slice(-2).join('.')}`);
      if (path !== null && name && isOfModule) table.set(name, [...(table.get(name) ?? []), path]);
    }
  }
  return table;
}

/** `@api.route("/items/<id>", methods=["GET"])`. @param {Token[]} tokens @returns {Omit<PythonRoute, 'function'> | null} */
function readDecorator(tokens) {
  const open = tokens.findIndex(({ text }) => text === '(');
  const name = tokens[open - 1]?.text ?? '';
  if (!ROUTERS.has(name) || tokens[open - 2]?.text !== '.') return null;
  const path = readText(tokens[open + 1]?.text ?? '');
  if (path === null || (path !== '' && !path.startsWith('/'))) return null;
  const at = tokens.findIndex(({ text }, index) => index > open && text === 'methods');
  const end = tokens.findIndex(({ text }, index) => index > at && (text === ']' || text === ')'));
  const listed = at < 0 ? [] : tokens.slice(at, end).flatMap(({ text }) => readText(text) ?? []);
  return {
    path,
    methods: METHODS.includes(name) ? [name.toUpperCase()] : at < 0 ? ['GET'] : listed,
  };
}

/** @param {string} token @returns {string | null} null if it is no plain string */
function readText(token) {
  return /^(["'])([^"'\\]*)\1$/.exec(token)?.[2] ?? null;
}
