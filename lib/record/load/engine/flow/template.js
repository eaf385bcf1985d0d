/**
 * Templates that cost little: Artillery's own code fills them (`helpers.template`), unless a text
 * or an object holds nothing but plain variables; then this gives the same values without parsing
 * the template again for every user.
 */

/** @import { Helpers } from '../engine.d.ts' */

const SIMPLE = /\{\{\s*([A-Za-z_$][\w$]*)\s*\}\}/g;

/** @typedef {(context: any) => any} Fill */

/**
 * @param {any} value as written
 * @param {Helpers} helpers
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
 * @param {Helpers} helpers
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

// -- Objects and lists whose texts are templates, such as JSON bodies: made anew for each user from
//    what was worked out once. Artillery walks them with lodash each time, a third of a request's cost.

/** Others would be read as paths. */
const PLAIN_KEY = /^(?!__proto__$)[A-Za-z_$][\w$-]*$/;

/** @typedef {{needsWalk: boolean}} State */
/** @typedef {(context: any, state: State) => any} Make */

/**
 * @param {any} value
 * @param {Fill} fillSlowly Artillery's way, for what needs it
 * @param {Helpers} helpers
 * @returns {Fill | null} null if all of it needs it
 */
function compileObject(value, fillSlowly, helpers) {
  const make = compileNode(value, helpers);
  if (!make) return null;
  return context => {
    const state = { needsWalk: false };
    const made = make(context, state);
    return state.needsWalk ? fillSlowly(context) : made;
  };
}

/** @param {any} value @param {Helpers} helpers @returns {Make | null} */
function compileNode(value, helpers) {
  if (typeof value === 'string')
    return value.includes('{{') ? compileLeaf(value, helpers) : () => value;
  if (value === null || typeof value !== 'object') return () => value;
  if (Array.isArray(value)) {
    const items = value.map(item => compileNode(item, helpers));
    if (!items.every(item => item !== null)) return null;
    return (context, state) => items.map(item => item(context, state));
  }
  if (value.constructor !== Object) return null;
  const keys = Object.keys(value);
  if (!keys.every(key => PLAIN_KEY.test(key) && !holdsTemplate(key))) return null;
  const fields = keys.map(key => compileNode(value[key], helpers));
  if (!fields.every(field => field !== null)) return null;
  return (context, state) => {
    /** @type {Record<string, any>} */
    const made = {};
    for (let index = 0; index < keys.length; index++) {
      made[/** @type {string} */ (keys[index])] = /** @type {Make} */ (fields[index])(
        context,
        state,
      );
    }
    return made;
  };
}

/** @param {string} text @param {Helpers} helpers @returns {Make | null} */
function compileLeaf(text, helpers) {
  const fill = compileText(text, helpers);
  if (!fill) return null;
  return (context, state) => {
    const filled = fill(context);
    // Artillery looks for templates in the variable's own object, too.
    if (filled !== null && (typeof filled === 'object' || typeof filled === 'function')) {
      state.needsWalk = true;
    }
    return filled;
  };
}
