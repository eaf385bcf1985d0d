/**
 * Templates that cost little: Artillery's own code fills them (`helpers.template`), unless a text
 * or an object holds nothing but plain variables; then this gives the same values without parsing
 * the template again for every user.
 */

import { compileObject } from './object-template.js';

const SIMPLE = /\{\{\s*([A-Za-z_$][\w$]*)\s*\}\}/g;

/** @typedef {(context: any) => any} Fill */

/**
 * @param {any} value as written
 * @param {import('../engine.d.ts').Helpers} helpers
 * @returns {{fill: Fill, isStatic: boolean}} `fill` gives the same object again if it is static
 */
export function compileTemplate(value, helpers) {
  if (!holdsTemplate(value)) return { fill: () => value, isStatic: true };
  const fillSlowly = (/** @type {any} */ context) => helpers.template(value, context);
  const fill =
    typeof value === 'string'
      ? compileText(value, helpers)
      : compileObject(value, fillSlowly, helpers);
  return { fill: fill ?? fillSlowly, isStatic: false };
}

/**
 * @param {string} text with templates
 * @param {import('../engine.d.ts').Helpers} helpers
 * @returns {Fill | null} null if there is more in it than plain variables
 */
export function compileText(text, helpers) {
  const fillSlowly = (/** @type {any} */ context) => helpers.template(text, context);
  const parts = splitText(text);
  const [only] = parts ?? [];
  if (!parts || !only) return null;
  if (parts.length === 1) {
    return context => {
      const known = context.vars[only.name];
      const isSimple = typeof known === 'string' || typeof known === 'number';
      return (isSimple && known) || fillSlowly(context);
    };
  }
  return context => {
    let filled = '';
    for (const { before, name } of parts) {
      filled += before;
      if (name === '') break;
      const known = context.vars[name];
      // Text that could be a template itself, and objects, are left to Artillery; text with a `$`
      // is not: it would be read as a pattern of `String.replace`, and `$&` without end.
      if (typeof known === 'string' ? known.includes('{{') : !isPlain(known)) {
        return fillSlowly(context);
      }
      filled += known;
    }
    return filled;
  };
}

/**
 * Does it hold a template anywhere, in keys too? Only what YAML can hold is looked at.
 * @param {any} value
 * @returns {boolean}
 */
export function holdsTemplate(value) {
  if (typeof value === 'string') return value.includes('{{');
  if (value === null || typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.some(holdsTemplate);
  return Object.entries(value).some(([key, item]) => holdsTemplate(key) || holdsTemplate(item));
}

/** @param {any} known */
function isPlain(known) {
  return typeof known === 'number' || typeof known === 'boolean' || known === undefined;
}

/**
 * The pieces of a text whose templates are all plain variables; null for others. A text that is
 * one variable and nothing else keeps the variable's type: it has one piece.
 * @param {string} text
 * @returns {{before: string, name: string}[] | null}
 */
function splitText(text) {
  const pieces = [];
  let end = 0;
  for (const match of text.matchAll(SIMPLE)) {
    pieces.push({ before: text.slice(end, match.index), name: match[1] ?? '' });
    end = match.index + match[0].length;
  }
  const rest = text.slice(end);
  if (
    pieces.length === 0 ||
    rest.includes('{{') ||
    pieces.some(({ before }) => /[{}]/.test(before))
  ) {
    return null;
  }
  const [only] = pieces;
  if (pieces.length === 1 && only?.before === '' && rest === '') return pieces;
  return [...pieces, { before: rest, name: '' }];
}
