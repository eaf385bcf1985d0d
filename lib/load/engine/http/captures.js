/** Applies `capture` and `match` of a request. */

import { createRequire } from 'node:module';
import { isTooDeep } from '../../../base/files/html-depth.js';
import { parseExact } from '../../../base/files/parse-json.js';
import { escapeCode } from '../../../base/files/plain-text.js';
import { secretsOfValue } from '../../../base/files/redaction.js';
import { tryOr } from '../../../base/files/try-or.js';
import { writePath } from '../flow/paths.js';
import { fillEscaped, fillTemplate } from '../flow/template.js';

/** @import { CaptureSpec, HeaderFields, RequestParams } from '../../script.d.ts' */
/** @import { Scope } from '../engine.d.ts' */

const require = createRequire(import.meta.url);

// A captured BigInt is sent with its digits in JSON, too, instead of a TypeError.
Object.defineProperty(BigInt.prototype, 'toJSON', {
  configurable: true,
  value() {
    return /** @type {any} */ (JSON).rawJSON(String(this));
  },
});

/**
 * @param {RequestParams} params of the request
 * @param {Scope} scope
 * @returns {((answer: {headers: any, body: string}, context: any, note?: (found: Found) => void) => Error | null) | null}
 *   gives the failure of a capture or match, with its `expression`; null if the request has none
 */
export function compileCaptures({ capture, match }, { ee, services }) {
  const isAsked = (/** @type {unknown} */ spec) => typeof spec === 'object' && spec !== null;
  if (!isAsked(capture) && !isAsked(match)) return null;
  // Loaded now, not during the load.
  require('jsonpath-plus');
  const specs = { capture, match };
  const learn = compileLearning(capture, services);
  return ({ headers, body }, context, note) => {
    const found = findCaptures(specs, { headers, body }, context);
    if (!found) return null;
    note?.(found);
    const { matches } = found;
    const captures = Object.entries(found.captures);
    for (const [name, { value }] of captures) learn(name, value);
    const failed =
      matches.find(({ success, strict }) => !success && strict !== false) ??
      captures.map(([, one]) => one).find(one => one.failed);
    if (!failed) {
      for (const { success, expected, got, expression, strict } of matches) {
        ee.emit('match', success, { expected, got, expression, strict });
      }
      for (const [name, { value }] of captures) writePath(context.vars, name, value);
    }
    if (!failed) return null;
    const { expression } = failed;
    return Object.assign(new Error('Failed capture or match'), { expression });
  };
}

/**
 * A captured value is a secret if its name, or the name of its source, says so.
 * @param {any} capture one, or a list
 * @param {Pick<import('../engine.d.ts').Services, 'learn'>} services
 * @returns {(name: string, value: unknown) => void}
 */
export function compileLearning(capture, { learn }) {
  const names = new Map([capture ?? []].flat().map(spec => [spec.as, nameCapture(spec)]));
  return (name, value) => secretsOfValue(names.get(name) ?? [name], value).forEach(learn);
}

/**
 * The capture's own name, and the last name in its source: `access_token` in `$.data.access_token`.
 * @param {CaptureSpec} spec
 * @returns {string[]}
 */
export function nameCapture({ as, json, header, cookie, xpath, selector, attr }) {
  const words = String(json ?? header ?? cookie ?? attr ?? xpath ?? selector ?? '').match(
    /[\w-]+/g,
  );
  return [String(as), words?.findLast(word => !/^\d+$/.test(word)) ?? ''];
}

/** All captures of a step or flow, in any engine. @param {any} step @returns {CaptureSpec[]} */
export const listCaptures = step => findAll(step, 'capture').filter(spec => spec?.as);

/** The values of a key anywhere in a flow; those of lists one by one. @param {any} node @param {string} name @returns {any[]} */
export function findAll(node, name) {
  if (node === null || typeof node !== 'object') return [];
  return Object.entries(node).flatMap(([key, value]) =>
    key === name ? value : findAll(value, name),
  );
}

// -- Finds the values for `capture` and `match` of a step in a response.

/**
 * @typedef {object} Found
 * @property {Record<string, {value?: any, error?: unknown, expression: unknown, failed: boolean}>} captures by variable
 * @property {{success: boolean, expected?: any, got?: any, expression: unknown, strict: unknown}[]} matches
 */

/** @typedef {{body?: unknown, headers?: HeaderFields}} Answer */

/**
 * @param {{capture?: any, match?: any}} specs each one, or a list
 * @param {Answer} answer
 * @param {any} context of the user
 * @returns {Found | null} null if there are no specs
 * @throws {Error} for an invalid regular expression, or a value that can't be in a JSON path
 */
export function findCaptures({ capture, match }, answer, context) {
  const specs = [capture ?? [], match ?? []].flat();
  if (specs.length === 0) return null;
  /** @type {Found} */
  const found = { captures: {}, matches: [] };
  for (const spec of specs) {
    const { value, error } = extract(spec, answer, context);
    const { strict, json, regexp, header, cookie, selector } = spec;
    const expression = json ?? regexp ?? header ?? cookie ?? selector;
    if (spec.value !== undefined || (error && !spec.as)) {
      const expected = fillTemplate(spec.value, context);
      // YAML rounds large numbers.
      const isRounded = typeof value === 'bigint' && Number(value) === Number(expected);
      const success = !error && (value === expected || isRounded);
      found.matches.push({ success, expected, got: value, expression, strict });
    } else if (spec.as) {
      const isMissing = value === undefined || value === '';
      const failed = isMissing && (strict ?? context._defaultStrictCapture) !== false;
      const reason = error !== undefined && { error };
      found.captures[spec.as] = { value, ...reason, expression, failed };
    }
  }
  return found;
}

/**
 * @param {CaptureSpec} spec
 * @param {Answer} answer
 * @param {any} context
 * @returns {{value?: any, error?: unknown}} '' if nothing was found; an error if the body is no JSON
 */
function extract(spec, { body, headers = {} }, context) {
  const fill = (/** @type {any} */ text) => fillTemplate(text, context);
  if (spec.json) {
    const way = fillEscaped(spec.json, context, requirePathText);
    try {
      const data = typeof body === 'string' ? parseExact(body) : body;
      return { value: findInJson(data, way, spec) };
    } catch (error) {
      return { error };
    }
  }
  if (spec.regexp)
    return { value: findInText(body, fillEscaped(spec.regexp, context, escapeRegExp), spec) };
  if (spec.header) return { value: headers[fill(spec.header)] || '' };
  if (spec.cookie) return { value: findCookie(context, fill(spec.cookie)) };
  if (spec.selector)
    return { value: findInHtml(body, fillEscaped(spec.selector, context, escapeCss), spec) };
  return { value: '' };
}

// -- A value in an expression is a text in it, never a part of the program.

/** @param {string} value */
const escapeRegExp = value => value.replace(/\W/g, escapeCode);

/** @param {string} value */
const escapeCss = value =>
  value.replace(/[^\w-]/gu, char => `\\${char.codePointAt(0)?.toString(16)} `);

/** JSONPath has filters that are programs, and no way to escape a text in them. @param {string} value */
function requirePathText(value) {
  if (/^[\p{L}\p{N}\p{M} _.:@/+-]*$/u.test(value)) return value;
  throw new Error('a value in a JSON path may only have letters, digits and ` _.:@/+-`');
}

/**
 * One random result of several; with `multiple: false` the result as it is.
 * @param {unknown} data @param {string} path @param {CaptureSpec} spec
 */
function findInJson(data, path, { multiple = true }) {
  if (typeof data !== 'object' || data === null) return '';
  const { JSONPath } = require('jsonpath-plus');
  const results = tryOr(null, () => JSONPath({ path, json: data, wrap: multiple ?? true }));
  if (!results || multiple === false) return results || '';
  return results[Math.floor(Math.random() * results.length)];
}

/** @param {unknown} body @param {string} expression @param {CaptureSpec} spec */
function findInText(body, expression, { group, flags }) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const match = new RegExp(expression, flags || '').exec(text);
  if (group && match?.groups) return match.groups[group];
  return match?.[group || 0] || match?.[0] || '';
}

/** Our extension: pages send some of their cookies also in a header. @param {any} context @param {string} name */
function findCookie({ _jar: jar }, name) {
  const cookies = jar?.toJSON().cookies ?? [];
  return cookies.find((/** @type {{key: string}} */ { key }) => key === name)?.value ?? '';
}

/** An attribute of an element. @param {any} body @param {string} selector @param {CaptureSpec} spec */
function findInHtml(body, selector, { index = 0, attr }) {
  if (typeof body === 'string' && isTooDeep(body))
    throw new Error('the page nests more elements than a selector is applied to');
  // Few scripts need it, and it would be most of the code that a worker loads.
  const elements = require('cheerio').load(body)(selector);
  const places = /** @type {Record<string, number>} */ ({
    random: Math.floor(Math.random() * elements.length),
    last: elements.length - 1,
  });
  const at = places[index] ?? Number(index);
  return elements.slice(at, at + 1).attr(attr);
}
