/**
 * Templates of Artillery's language: `{{ name }}`, `{{ user.ids[0] }}` and `{{ $randomNumber(1, 9) }}` in texts,
 * and in the texts and keys of objects. Each is parsed once, from the script's own text, and filled for every user. A
 * filled value is never parsed: it may come from the target.
 */
import { compilePath } from './paths.js';

/** A call, or a name in two or three braces. */
const TEMPLATE = /\{\{\s*(\$\w+)\s*\(([^(){}]*)\)\s*\}\}|\{\{\{?([\s$\w.[\]'"-]+)\}\}\}?/g;
const ARGUMENT = /\s*("[^"]*"|'[^']*'|[^,]+)/g;
const LITERALS = /** @type {Record<string, unknown>} */ ({ true: true, false: false, null: null });

/** @typedef {(context: any) => any} Fill */

/**
 * @param {any} value as written
 * @returns {{fill: Fill, isStatic: boolean}} `fill` returns the same object if it is static
 */
export function compileTemplate(value) {
  if (!holdsTemplate(value)) return { fill: () => value, isStatic: true };
  return { fill: compileNode(value, value), isStatic: false };
}

/**
 * Of a step that is no request: counts the variables that are empty.
 * @param {any} value as written @param {string} step
 * @param {{services: {recorder: Pick<import('../engine.d.ts').Recorder, 'count'>}}} scope
 * @returns {Fill}
 */
export function compileCounted(value, step, { services }) {
  const { fill, isStatic } = compileTemplate(value);
  const fillCounted = (/** @type {any} */ context) => {
    context[EMPTY] = new Set();
    const filled = fill(context);
    for (const name of context[EMPTY])
      services.recorder.count(`empty_variables.${name} of ${step}`, 1);
    return filled;
  };
  return isStatic ? fill : fillCounted;
}

/** For a value that is used once. @param {any} value as written @param {any} context of a user */
export function fillTemplate(value, context) {
  return compileTemplate(value).fill(context);
}

/**
 * Fills a text that is a program, such as a regular expression.
 * @param {any} text as written @param {any} context
 * @param {(value: string) => string} quote keeps a value from being a part of the program
 */
export function fillEscaped(text, context, quote) {
  return holdsTemplate(text) ? compileText(text, value => quote(asText(value)))(context) : text;
}

/**
 * Fills what hooks may have changed: only the script's own templates, each in its place. All else is a value, which may
 * come from the target.
 * @param {any} written in the script @param {any} current after the hooks @param {any} context
 * @param {(text: string) => void} [warn] of a template that is none of the script's
 */
export function fillWritten(written, current, context, warn) {
  return compileNode(current, written, warn)(context);
}

/**
 * Whether it contains a template anywhere, including keys. Only checks types that YAML has.
 * @param {any} value
 * @returns {boolean}
 */
export function holdsTemplate(value) {
  if (typeof value === 'string') return value.includes('{{');
  if (value === null || typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.some(holdsTemplate);
  return Object.entries(value).some(([key, item]) => holdsTemplate(key) || holdsTemplate(item));
}

/**
 * A call of a function has `called` and `args`, a variable has `name`.
 * @typedef {{template: string, index: number, called: string, args: unknown[], name: string}} Template
 */

/** @param {string} text @returns {{templates: Template[], other: string}} `other`: from the first braces that mean nothing */
export function parseTemplates(text) {
  const templates = [...text.matchAll(TEMPLATE)].map(
    ({ 0: template, 1: called = '', 2: list = '', 3: name = '', index }) => {
      const args = (list.match(ARGUMENT) ?? []).map(parseArgument);
      return { template, index, called, args, name: name.trim() };
    },
  );
  const rest = text.replace(TEMPLATE, ' ');
  return { templates, other: rest.includes('{{') ? rest.slice(rest.indexOf('{{')) : '' };
}

/** @param {string} text @param {(value: any) => string} [write] a value in the text @returns {Fill} */
function compileText(text, write) {
  /** @type {{before: string, read: Fill}[]} */
  const pieces = [];
  /** @type {string[]} */
  const calls = [];
  let end = 0;
  for (const { template, index, called, args, name } of parseTemplates(text).templates) {
    const isWhole = template === text && !called && !write;
    const read = called ? compileCall(called, args) : compileName(name, isWhole);
    // A template of a single variable keeps its type.
    if (isWhole) return context => emptyIfNone(read(context));
    if (called) calls.push(called);
    pieces.push({ before: text.slice(end, index), read });
    end = index + template.length;
  }
  const rest = text.slice(end);
  const toText = write ?? asText;
  return context => {
    // As in Artillery, a text with an unknown function has no value.
    if (calls.some(called => !(called in (context.funcs ?? {})))) return undefined;
    let filled = '';
    for (const { before, read } of pieces) filled += before + toText(read(context));
    return filled + rest;
  };
}

/** On a context: a set of the variables that were empty when a template needed them. */
export const EMPTY = Symbol('empty variables');
/** On a context whose requests are kept whole: what templates were filled with. */
export const USED = Symbol('used values');

/**
 * A function may be called without parentheses: `$timestamp`.
 * @param {string} path @param {boolean} isWhole not in a longer text, where null would be the word
 * @returns {Fill}
 */
function compileName(path, isWhole) {
  const read = compilePath(path);
  return context => {
    let value = read(context.vars);
    if (value === undefined && path[0] === '$') value = context.funcs?.[path]?.();
    const isEmpty = value === undefined || value === '' || (value === null && !isWhole);
    if (isEmpty) context[EMPTY]?.add(path);
    context[USED]?.set(path, value);
    return value;
  };
}

/** @param {string} name @param {unknown[]} args @returns {Fill} */
function compileCall(name, args) {
  return context => {
    const value = String(context.funcs[name](...args));
    context[USED]?.set(`${name}(${args.join(', ')})`, value);
    return value;
  };
}

/** Words are texts. @param {string} text */
function parseArgument(text) {
  const word = text.trim();
  if (Object.hasOwn(LITERALS, word)) return LITERALS[word];
  return word === '' || Number.isNaN(Number(word))
    ? word.replace(/^(["'])(.*)\1$/, '$2')
    : Number(word);
}

/** @param {any} value */
function emptyIfNone(value) {
  return value || value === 0 || value === false || value === null || value === undefined
    ? value
    : '';
}

/** @param {any} value @returns {string} */
function asText(value) {
  if (typeof value === 'string') return value;
  if (typeof value === 'function') return String(value());
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/**
 * Objects and lists, such as JSON bodies: created for each user, so that hooks can modify them.
 * @param {any} value @param {any} written in its place in the script; texts that differ from it are values
 * @param {(text: string) => void} [warn]
 * @returns {Fill}
 */
function compileNode(value, written, warn) {
  if (typeof value === 'string') return compileLeaf(value, written, warn);
  if (Array.isArray(value)) {
    const items = value.map((item, i) => compileNode(item, written?.[i], warn));
    return context => items.map(fill => fill(context));
  }
  if (value?.constructor !== Object) return () => value;
  const fields = Object.keys(value).map(key => {
    const isOwn = Object.hasOwn(Object(written), key);
    return {
      key,
      fillKey: isOwn && holdsTemplate(key) ? compileText(key) : null,
      fill: compileNode(value[key], isOwn ? written[key] : undefined, warn),
    };
  });
  // In Artillery's order.
  fields.sort((a, b) => Number(a.fillKey !== null) - Number(b.fillKey !== null));
  return context =>
    Object.fromEntries(
      fields.map(({ key, fillKey, fill }) => [fillKey?.(context) ?? key, fill(context)]),
    );
}

const NOT_FILLED =
  'a hook wrote `{{ … }}` into a request: it is sent as text, because it may come from a response (Artillery fills it). Use `context.vars` in the hook';

/** @param {string} text @param {any} written @param {(text: string) => void} [warn] @returns {Fill} */
function compileLeaf(text, written, warn) {
  const at = typeof written === 'string' && holdsTemplate(written) ? text.indexOf(written) : -1;
  if (at < 0) {
    if (holdsTemplate(text)) warn?.(NOT_FILLED);
    return () => text;
  }
  const fill = compileText(written);
  if (text === written) return fill;
  const [before, after] = [text.slice(0, at), text.slice(at + written.length)];
  return context => before + asText(fill(context)) + after;
}
