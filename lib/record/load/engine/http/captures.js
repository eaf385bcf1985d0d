/** `capture` and `match`: Artillery's code finds them, this does what follows from them. */

import { secretsOfValue } from '../../../../files/redaction.js';

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
  const learn = compileLearning(capture, services);
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
        learn(name, value);
      }
    }
    return { found, fails };
  };
}

/**
 * What is captured is a secret where its name says so, or that of the place where it was found.
 * @param {any} capture one, or a list
 * @param {Pick<import('../engine.d.ts').Services, 'learn'>} services
 * @returns {(name: string, value: unknown) => void}
 */
export function compileLearning(capture, { learn }) {
  const names = new Map([capture ?? []].flat().map(spec => [spec.as, nameCapture(spec)]));
  return (name, value) => secretsOfValue(names.get(name) ?? [name], value).forEach(learn);
}

/**
 * Its own name, and the last one of where it is found: `$.data.access_token`.
 * @param {Record<string, any>} spec
 * @returns {string[]}
 */
export function nameCapture({ as, json, header, xpath, selector, attr }) {
  const words = String(json ?? header ?? attr ?? xpath ?? selector ?? '').match(/[\w-]+/g);
  return [String(as), words?.findLast(word => !/^\d+$/.test(word)) ?? ''];
}

/** All that a step, or a flow, captures in any engine. @param {any} step @returns {Record<string, any>[]} */
export function listCaptures(step) {
  if (step === null || typeof step !== 'object') return [];
  return Object.entries(step).flatMap(([key, value]) =>
    key === 'capture' ? [value].flat().filter(spec => spec?.as) : listCaptures(value),
  );
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
