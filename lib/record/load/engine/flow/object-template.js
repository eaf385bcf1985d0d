/**
 * Objects and lists whose texts are templates, such as JSON bodies: made anew for each user from
 * what was worked out once. Artillery walks them with lodash each time, a third of a request's cost.
 */
import { compileText, holdsTemplate } from './template.js';

/** Others would be read as paths. */
const PLAIN_KEY = /^(?!__proto__$)[A-Za-z_$][\w$-]*$/;

/** @typedef {{needsWalk: boolean}} State */
/** @typedef {(context: any, state: State) => any} Make */

/**
 * @param {any} value
 * @param {import('./template.js').Fill} fillSlowly Artillery's way, for what needs it
 * @param {import('../engine.d.ts').Helpers} helpers
 * @returns {import('./template.js').Fill | null} null if all of it needs it
 */
export function compileObject(value, fillSlowly, helpers) {
  const make = compileNode(value, helpers);
  if (!make) return null;
  return context => {
    const state = { needsWalk: false };
    const made = make(context, state);
    return state.needsWalk ? fillSlowly(context) : made;
  };
}

/** @param {any} value @param {import('../engine.d.ts').Helpers} helpers @returns {Make | null} */
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

/** @param {string} text @param {import('../engine.d.ts').Helpers} helpers @returns {Make | null} */
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
