/**
 * Templates of Artillery's language: `{{ name }}`, `{{ user.ids[0] }}` and `{{ $randomNumber(1, 9) }}` in texts,
 * and in the texts and keys of objects. Each is parsed once and filled for every user.
 */
import { compilePath } from './paths.js';

/** Two braces or three. */
const NAME = /\{\{\{?([\s$\w.[\]'"-]+)\}\}\}?/g;
const CALL = /\{\{\s*(\$\w+)\s*\(([\w,\s]*)\)\s*\}\}/;
const LITERALS = /** @type {Record<string, unknown>} */ ({ true: true, false: false, null: null });

/** @typedef {(context: any) => any} Fill */

/**
 * @param {any} value as written
 * @returns {{fill: Fill, isStatic: boolean}} `fill` returns the same object if it is static
 */
export function compileTemplate(value) {
  if (!holdsTemplate(value)) return { fill: () => value, isStatic: true };
  return {
    fill: typeof value === 'string' ? compileText(value) : compileNode(value),
    isStatic: false,
  };
}

/** For a value that is used once. @param {any} value @param {any} context of a user */
export function fillTemplate(value, context) {
  return compileTemplate(value).fill(context);
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

/** @param {string} text @returns {Fill} */
function compileText(text) {
  const call = CALL.exec(text);
  if (!call) return compileNames(text);
  const [template, name = '', list = ''] = call;
  const args = list.trim() === '' ? [] : list.split(',').map(parseArgument);
  return context => {
    if (!(name in (context.funcs ?? {}))) return undefined;
    const result = String(context.funcs[name](...args));
    return fillTemplate(
      text.replace(template, () => result),
      context,
    );
  };
}

/** A variable's name has no value there, as in Artillery. @param {string} text */
function parseArgument(text) {
  const word = text.trim();
  if (word in LITERALS) return LITERALS[word];
  return Number.isNaN(Number(word)) ? undefined : Number(word);
}

/** @param {string} text without calls @returns {Fill} */
function compileNames(text) {
  /** @type {{before: string, read: (vars: any) => any}[]} */
  const pieces = [];
  let end = 0;
  for (const { 0: template, 1: name = '', index } of text.matchAll(NAME)) {
    const read = compilePath(name.trim());
    // A template of a single variable keeps its type.
    if (template === text) return ({ vars }) => emptyIfNone(read(vars));
    pieces.push({ before: text.slice(end, index), read });
    end = index + template.length;
  }
  const rest = text.slice(end);
  return context => {
    let filled = '';
    let isNested = false;
    for (const { before, read } of pieces) {
      const value = asText(read(context.vars));
      isNested ||= value.includes('{{');
      filled += before + value;
    }
    filled += rest;
    // Values may contain templates themselves.
    return isNested ? asText(compileNames(filled)(context)) : filled;
  };
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
 * @param {any} value
 * @returns {Fill}
 */
function compileNode(value) {
  if (typeof value === 'string') return value.includes('{{') ? compileLeaf(value) : () => value;
  if (Array.isArray(value)) {
    const items = value.map(compileNode);
    return context => items.map(fill => fill(context));
  }
  if (value?.constructor !== Object) return () => value;
  const fields = Object.keys(value).map(key => ({
    key,
    fillKey: holdsTemplate(key) ? compileText(key) : null,
    fill: compileNode(value[key]),
  }));
  // In Artillery's order.
  fields.sort((a, b) => Number(a.fillKey !== null) - Number(b.fillKey !== null));
  return context => {
    /** @type {Record<string, any>} */
    const made = {};
    for (const { key, fillKey, fill } of fields) made[fillKey?.(context) ?? key] = fill(context);
    return made;
  };
}

/** A variable's object may contain templates, too. @param {string} text @returns {Fill} */
function compileLeaf(text) {
  const fill = compileText(text);
  return context => {
    const filled = fill(context);
    return filled !== null && typeof filled === 'object' && holdsTemplate(filled)
      ? compileNode(filled)(context)
      : filled;
  };
}
