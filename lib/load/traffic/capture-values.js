/**
 * Converts a recorded session to a flow: values that an earlier response contains are captured there and sent again,
 * secrets become variables, and everything else is sent as recorded.
 */

import { isPathToken, nameEndpoint } from '../../base/config/endpoint-names.js';
import { entryOf } from '../../base/files/maps.js';
import { isPlain } from '../../base/files/read-yaml.js';
import { decode } from '../../base/files/redaction.js';
import { isSecretField } from '../../base/files/secret-fields.js';
import { isPrivate, MASKED } from './addresses.js';
import { parseQuery } from './read-har.js';
import { listValues } from './response-values.js';

/** @import { CapturedValue, Exchange, RecordedFlow, Session, WebAddress } from '../../run/facts/traffic.d.ts' */
/** @import { Found } from './response-values.js' */

/** Omits headers that browsers add by themselves. */
const SENT_HEADER =
  /^(?:accept|authorization|content-type|if-match|prefer|x-(?!forwarded|client-data).*|.*(?:csrf|xsrf|token|api-?key).*)$/;
/** Headers that the engine sends by itself. */
const DEFAULT_HEADER =
  /^(?:accept: \*\/\*|content-type: application\/(?:json|x-www-form-urlencoded)\b.*)$/;
const ID_KEY =
  /(?:^|[^A-Za-z])(?:id|no|nr|number|code|key|slug|ref)$|[a-z](?:I[dD]|No|Nr|Number|Code|Key|Slug|Ref)$/;
/** Shorter values and plain words appear in many places by chance. */
const TELLING = /^(?=.*\d).{6,}$|^.{16,}$/s;
/** Equal by chance in no two places. */
const RANDOM = /^(?=.*[a-z]).{16,}$/is;
/** A value in more places than these is joined by the name of its field only. */
const MOST_RARE = 3;
const MOST_BIRTHS = 1000;
const ID = /^_?(?:uu)?id$/i;
const DATE = /^(\d{4}-\d\d-\d\d)(?!\d)/;
/** As `DIGITS` marks it. */
const NUMBER = /"\\u0000(-?\d[\d.eE+-]*)"/g;
const DAY_MS = 86_400_000;
const MOST_DAYS = 366;
const LEAST_THINK_SEC = 0.1;
/** Two braces would start a template. */
const BRACE = '{{ brace }}';

/** @typedef {Found & {step: Record<string, any>, request: string, as?: string}} Birth */

/** @param {Session} session @returns {RecordedFlow} */
export function buildFlow({ exchanges, logins, cookies }) {
  const values = new RecordedValues();
  const { made } = values;
  const jar = new Set(cookies);
  let endMs = Infinity;
  for (const exchange of exchanges) {
    const { method, url, headers, startMs } = exchange;
    const thinkSec = (startMs - endMs) / 1000;
    if (thinkSec >= LEAST_THINK_SEC) made.flow.push({ think: Number(thinkSec.toFixed(1)) });
    endMs = exchange.endMs;
    const endpoint = nameEndpoint({ method, url: url.href }, url.origin);
    values.now = { name: endpoint, dayMs: startMs - (startMs % DAY_MS) };
    for (const [name, value] of headers)
      for (const cookie of name === 'cookie' ? value.split(/=[^;]*;?\s*/) : [])
        if (cookie && !jar.has(cookie)) made.cookies.add(cookie);
    /** @type {Record<string, any>} */
    const step = {
      ...fillAddress(values, url),
      ...fillHeaders(values, exchange, logins),
      ...fillBody(values, exchange),
    };
    if (step.body) step.headers = { ...step.headers, 'content-type': 'application/json' };
    if (!exchange.followRedirect) step.followRedirect = false;
    made.flow.push({ [method.toLowerCase()]: step });
    for (const found of listValues(exchange)) {
      if (found.spec.cookie) jar.add(found.spec.cookie);
      values.keep({ ...found, step, request: endpoint }, method !== 'GET');
    }
  }
  return made;
}

/** The values of a session: what responses contained, and what takes their place in later requests. */
class RecordedValues {
  /** @type {RecordedFlow} */
  made = {
    flow: [],
    variables: {},
    login: null,
    cookies: new Set(),
    captured: [],
    literal: [],
    dates: [],
    hasBraces: false,
  };
  /** The request that is converted. */
  now = { name: '', dayMs: 0 };
  /** @type {Map<string, Birth[]>} */
  #births = new Map();
  /** What requests contained before any response. @type {Set<string>} */
  #said = new Set();
  /** Names of captures by value. @type {Map<string, string>} */
  #names = new Map();

  /** Keeps what a response contains. @param {Birth} birth @param {boolean} isWrite */
  keep(birth, isWrite) {
    const text = String(birth.value);
    const known = entryOf(this.#births, text, () => /** @type {Birth[]} */ ([]));
    // The response to a write describes the created object, which may reuse the id of a deleted one.
    if (known.length > 0 && isWrite) known.unshift(birth);
    else if (!this.#said.has(text) && known.length < MOST_BIRTHS) known.push(birth);
  }

  /**
   * @param {string} name name of the field; for a path segment, the previous segment
   * @param {string | number} value @param {boolean} isHidden @param {boolean} [isTyped]
   * @param {boolean} [isPath] where a number is an id
   * @returns {string | null} a template, if it is not to be sent as recorded
   */
  replace(name, value, isHidden, isTyped, isPath) {
    const text = String(value);
    const all = this.#births.get(text) ?? [];
    const found = all.filter(one => !isTyped || typeof one.value === typeof value);
    const isTelling = TELLING.test(text);
    const named = found.find(one => (isTelling || ID_KEY.test(one.key)) && isSameName(name, one));
    const keys = new Set(
      found.map(({ key, owner }) => key.replace(/\D/g, '') + (stemOf(key) || stemOf(owner))),
    );
    const isRare = keys.size === 1 || (found.length <= MOST_RARE && RANDOM.test(text));
    this.#said.add(text);
    if (named) return this.#capture(name, named, 'name');
    if (found[0] && isTelling && isRare && !DATE.test(text))
      return this.#capture(name, found[0], 'rare');
    if (isHidden) return this.#declare(name, text);
    const dated = this.#declareDate(text);
    const isNumber = /^\d+$/.test(isPath ? text : name + text);
    const isId = isTelling || isNumber || (ID_KEY.test(name) && /\d/.test(text));
    if (dated === null && isId && all.length > 0)
      this.made.literal.push({ at: this.#place(name), places: all.length });
    return dated;
  }

  /** @param {string} field @param {string} text */
  #declare(field, text) {
    const { variables } = this.made;
    const name = mask(field);
    const base = `RECORDED_${name.toUpperCase().replace(/\W+/g, '_').slice(0, 40) || 'VALUE'}`;
    const free = base in variables ? `${base}_${this.#names.size + 1}` : base;
    const own = this.#names.get(text) ?? free;
    this.#names.set(text, own);
    variables[own] = {
      secret: true,
      about: `${name.slice(0, 40) || 'value'} of the recorded session`,
    };
    return `{{ $env.${own} }}`;
  }

  /** @param {string} name */
  #place(name) {
    return `${mask(name)} of ${this.now.name}`;
  }

  /**
   * @param {string} name
   * @param {Birth} birth
   * @param {CapturedValue['why']} why
   */
  #capture(name, birth, why) {
    if (!birth.as) {
      const { captured } = this.made;
      birth.as = `${birth.key.replace(/\W+/g, '_').slice(0, 40)}_${captured.length + 1}`;
      birth.step.capture = [...(birth.step.capture ?? []), { ...birth.spec, as: birth.as }];
      const from = `${Object.values(birth.spec)[0]} of ${birth.request}`;
      captured.push({ as: birth.as, from, to: this.#place(name), why });
    }
    return `{{ ${birth.as} }}`;
  }

  /** @param {string} text @returns {string | null} null if it begins with no day near the recording */
  #declareDate(text) {
    const { variables, dates } = this.made;
    const [, day = ''] = DATE.exec(text) ?? [];
    const days = (Date.parse(day) - this.now.dayMs) / DAY_MS;
    if (!(Math.abs(days) <= MOST_DAYS) || text.includes('{')) return null;
    const as = `RECORDED_DATE_${days < 0 ? 'MINUS' : 'PLUS'}_${Math.abs(days)}`;
    if (!(as in variables)) dates.push({ as, days });
    variables[as] = { default: day, about: 'a day of the recorded session' };
    return `{{ $env.${as} }}${text.slice(day.length)}`;
  }
}

/**
 * @param {RecordedValues} values
 * @param {string} name
 * @param {any} value
 * @param {boolean} [isTyped]
 */
function fill(values, name, value, isTyped) {
  if (typeof value !== 'string' && typeof value !== 'number') return value;
  const isHidden = isSecretField(name, value) || isPrivate(name, String(value));
  const replaced = values.replace(name, value, isHidden, isTyped);
  if (replaced !== null || typeof value === 'number' || !value.includes('{{'))
    return replaced ?? value;
  values.made.hasBraces = true;
  return value.replaceAll('{', BRACE);
}

/**
 * @param {RecordedValues} values
 * @param {any} value JSON
 * @param {string} name
 * @returns {any}
 */
function fillAll(values, value, name) {
  if (Array.isArray(value)) return value.map(one => fillAll(values, one, name));
  if (!isPlain(value)) return fill(values, name, value, true);
  const fields = Object.entries(value).map(([key, one]) => [
    fill(values, '', key),
    // `{room: {id: 9}}`
    fillAll(values, one, ID.test(key) && name !== '' ? name : key),
  ]);
  return Object.fromEntries(fields);
}

/** @param {RecordedValues} values @param {WebAddress} url @returns {Record<string, any>} */
function fillAddress(values, url) {
  let before = '';
  const path = url.pathname.replace(/[^/]+/g, segment => {
    const text = decode(segment);
    const isHidden = isPathToken(before, text) || isPrivate('', text);
    const replaced = values.replace(before, text, isHidden, false, true);
    before = text;
    return replaced ?? segment;
  });
  const qs = Object.entries(parseQuery(url.search.slice(1))).map(([name, given]) => [
    fill(values, '', name),
    Array.isArray(given)
      ? given.map(value => fill(values, name, value))
      : fill(values, name, given),
  ]);
  return { url: path, ...(qs.length > 0 && { qs: Object.fromEntries(qs) }) };
}

/**
 * @param {RecordedValues} values
 * @param {Exchange} exchange
 * @param {Session['logins']} logins
 */
function fillHeaders(values, { headers, method }, logins) {
  const wanted = headers.filter(
    ([name, value]) => SENT_HEADER.test(name) && !DEFAULT_HEADER.test(`${name}: ${value}`),
  );
  const filled = wanted.flatMap(([name, value]) => {
    const [scheme = ''] = (name === 'authorization' && /^\w+ /.exec(value)) || [];
    const text = value.slice(scheme.length);
    values.made.login ??= logins.get(text) ?? null;
    return logins.has(text) ? [] : [[name, scheme + fill(values, name, text)]];
  });
  // Django requires it for forms over TLS.
  if (method !== 'GET' && headers.some(([name]) => name === 'referer'))
    filled.push(['referer', '{{ target }}/']);
  return filled.length > 0 ? { headers: Object.fromEntries(filled) } : {};
}

/** @param {RecordedValues} values @param {Exchange} exchange @returns {Record<string, any>} */
function fillBody(values, { body, method }) {
  if (method === 'GET' || method === 'HEAD' || body === null) return {};
  const [[kind, data] = []] = Object.entries(body);
  if (!kind) return {};
  const filled = fillAll(values, data, '');
  const text = JSON.stringify(filled);
  const exact = kind === 'json' ? text.replace(NUMBER, '$1') : text;
  return exact === text ? { [kind]: filled } : { body: exact };
}

/** For display. @param {string} name */
const mask = name => (isPrivate('', name) ? MASKED : name);

/** The same for `roomId`, `room` and `rooms`; '' for `id` @param {string} name */
function stemOf(name) {
  const word = name
    .toLowerCase()
    .replace(/[^a-z]/g, '')
    .replace(/ies$/, 'y');
  return word.replace(/(?:ids?|key|slug|code|ref|no|nr|number)$|[es]+$/, '').replace(/[es]+$/, '');
}

/**
 * Whether a field (for a path segment: the one before it) means the same as a value of a response: both have one name,
 * or the value is an id in a list of that name.
 * @param {string} name @param {Found} found
 */
function isSameName(name, { key, owner }) {
  const stem = stemOf(name);
  return stem !== '' && (key === name || stem === (stemOf(key) || stemOf(owner)));
}
