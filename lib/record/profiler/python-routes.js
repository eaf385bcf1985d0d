/** The routes that decorators give to functions of a Python file, for frameworks that write them so. */
import { splitStatements } from './python-calls.js';

/** @import { Token } from './python-calls.js' */

/**
 * @typedef {object} PythonRoute
 * @property {string} function qualified: `create_app.<locals>.item`, `Item.get`
 * @property {string} path as written: `/items/<int:id>`, `/items/{id}`
 * @property {string[]} methods
 */

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'];
/** Names that decorators with a path go by, after the last dot. */
const ROUTERS = new Set(['route', 'api_route', ...METHODS]);
/** Spares the work on files of everybody else. */
const ANY = /^[ \t]*@[\w.]+\.(?:route|api_route|get|post|put|patch|delete|head|options)\s*\(/m;

/**
 * @param {string} source
 * @returns {PythonRoute[]}
 */
export function readPythonRoutes(source) {
  if (!ANY.test(source)) return [];
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
    const own = pending;
    pending = [];
    blocks = blocks.filter(block => block.indent < indent);
    if (kind !== 'def' && kind !== 'class') continue;
    const scope = blocks
      .map(block => `${block.name}${block.isClass ? '.' : '.<locals>.'}`)
      .join('');
    const isMethod = kind === 'def' && METHODS.includes(name);
    for (const route of kind === 'def' ? own : [])
      routes.push({ function: scope + name, ...route });
    // What decorates a class of views is of each method that is called like one of HTTP.
    for (const { path } of (isMethod && blocks.at(-1)?.own) || [])
      routes.push({ function: scope + name, path, methods: [name.toUpperCase()] });
    blocks.push({ indent, name, isClass: kind === 'class', own: kind === 'class' ? own : [] });
  }
  return routes;
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

/** @param {string} token @returns {string | null} null where it is no plain text */
function readText(token) {
  return /^(["'])([^"'\\]*)\1$/.exec(token)?.[2] ?? null;
}
