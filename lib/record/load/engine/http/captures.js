/** `capture` and `match`: Artillery's code finds them, this does what follows from them. */

import { isSecretField } from '../../../../run/redaction.js';

/** @import { Helpers, Scope } from '../engine.d.ts' */

/**
 * @param {Record<string, any>} params of the request
 * @param {Scope} scope
 * @returns {((answer: {headers: any, body: string}, context: any) => any) | null}
 *   what was found; throws `Failed capture or match`; null if nothing is to be found
 */
export function compileCaptures({ capture, match }, { helpers, ee, services }) {
  const isAsked = (/** @type {unknown} */ spec) => typeof spec === 'object' && spec !== null;
  if (!isAsked(capture) && !isAsked(match)) return null;
  const specs = { capture, match };
  const places = new Map([capture ?? []].flat().map(spec => [spec.as, placeOf(spec)]));
  return ({ headers, body }, context) => {
    const found = find(specs, { headers, body }, context, helpers);
    if (!found) return null;
    const matches = Object.values(found.matches);
    const captures = Object.entries(found.captures);
    const fails =
      matches.some(({ success, strict }) => !success && strict !== false) ||
      captures.some(([, { failed }]) => failed);
    if (!fails) {
      for (const { success, expected, got, expression, strict } of matches) {
        ee.emit('match', success, { expected, got, expression, strict });
      }
      for (const [name, { value }] of captures) {
        setVariable(context.vars, name, value);
        if ([name, places.get(name) ?? ''].some(place => isSecretField(place, value)))
          services.learn(value);
      }
    }
    return { found, fails };
  };
}

/** Last name of where a value is found: `$.data.access_token`. @param {Record<string, any>} spec */
function placeOf({ json, header, xpath, selector, attr }) {
  const words = String(json ?? header ?? attr ?? xpath ?? selector ?? '').match(/[\w-]+/g);
  return words?.findLast(word => !/^\d+$/.test(word)) ?? '';
}

/**
 * @param {Record<string, any>} specs @param {{headers: any, body: string}} answer
 * @param {any} context @param {Helpers} helpers
 * @returns {{captures: Record<string, any>, matches: Record<string, any>} | null}
 */
function find(specs, answer, context, helpers) {
  let found = null;
  helpers.captureOrMatch(specs, answer, context, (error, result) => {
    if (error) throw error;
    found = result;
  });
  return found;
}

/**
 * Names may be paths, `user.id` or `ids[0]`, as lodash's `set` reads them.
 * @param {Record<string, any>} vars @param {string} name @param {unknown} value
 */
function setVariable(vars, name, value) {
  if (name in vars || !/[.[\]]/.test(name)) {
    vars[name] = value;
    return;
  }
  const keys = name.split(/[.[\]'"]+/).filter(key => key !== '');
  if (keys.some(key => ['__proto__', 'constructor', 'prototype'].includes(key))) return;
  /** @type {any} */
  let place = vars;
  for (const [index, key] of keys.slice(0, -1).entries()) {
    const next = keys[index + 1] ?? '';
    if (place[key] === null || typeof place[key] !== 'object') {
      place[key] = /^\d+$/.test(next) ? [] : {};
    }
    place = place[key];
  }
  place[keys.at(-1) ?? name] = value;
}
