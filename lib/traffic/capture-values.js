/**
 * Converts a recorded session to a flow: values that an earlier response contains are captured there and sent again,
 * secrets become variables, and everything else is sent as recorded.
 */
import { isPlain } from '../files/read-yaml.js';
import { decode, isSecretField } from '../files/redaction.js';
import { isPathToken } from '../run/endpoint-names.js';
import { isPrivate } from './addresses.js';
import { listValues } from './response-values.js';

/** @import { Exchange, RecordedFlow, Session, WebAddress } from '../facts/traffic.d.ts' */
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
const LEAST_THINK_SEC = 0.1;
/** Two braces would start a template. */
const BRACE = '{{ brace }}';

/** @param {Session} session @returns {RecordedFlow} */
export function buildFlow({ exchanges, logins, cookies }) {
  /** @type {Map<string, (Found & {step: Record<string, any>, as?: string})[]>} */
  const births = new Map();
  /** What requests contained before any response. @type {Set<string>} */
  const said = new Set();
  /** Names of captures by value. @type {Map<string, string>} */
  const names = new Map();
  /** @type {RecordedFlow} */
  const made = {
    flow: [],
    variables: {},
    login: null,
    cookies: new Set(),
    captured: [],
    hasBraces: false,
  };

  /** @param {string} name @param {string} text */
  const declare = (name, text) => {
    const base = `RECORDED_${name.toUpperCase().replace(/\W+/g, '_').slice(0, 40) || 'VALUE'}`;
    const own = names.get(text) ?? (base in made.variables ? `${base}_${names.size + 1}` : base);
    names.set(text, own);
    made.variables[own] = {
      secret: true,
      about: `${name.slice(0, 40) || 'value'} of the recorded session`,
    };
    return `{{ $env.${own} }}`;
  };
  /** @param {string} text @param {(found: Found) => boolean} fits */
  const findBirth = (text, fits) => {
    const birth = births.get(text)?.find(fits);
    if (!birth) return null;
    if (!birth.as) {
      birth.as = `${birth.key.replace(/\W+/g, '_').slice(0, 40)}_${made.captured.length + 1}`;
      birth.step.capture = [...(birth.step.capture ?? []), { ...birth.spec, as: birth.as }];
      made.captured.push(birth.as);
    }
    return `{{ ${birth.as} }}`;
  };
  /**
   * @param {string} name name of the field; for a path segment, the previous segment
   * @param {string | number} value @param {boolean} isHidden @param {boolean} [isTyped]
   * @returns {string | null} a template, if it is not to be sent as recorded
   */
  const replace = (name, value, isHidden, isTyped) => {
    const text = String(value);
    const stem = name.toLowerCase().replace(/[^a-z]|(?:[-_]?ids?|s)$/g, '');
    const isOfType = (/** @type {Found} */ found) =>
      !isTyped || typeof found.value === typeof value;
    const isNamed = (/** @type {Found} */ { key, place }) =>
      ID_KEY.test(key) && (place.includes(stem) ? stem.length > 2 : key === name);
    const captured =
      findBirth(text, found => isOfType(found) && isNamed(found)) ??
      (TELLING.test(text) ? findBirth(text, isOfType) : null);
    said.add(text);
    if (captured) return captured;
    return isHidden ? declare(name, text) : null;
  };
  /** @param {string} name @param {any} value @param {boolean} [isTyped] */
  const fill = (name, value, isTyped) => {
    if (typeof value !== 'string' && typeof value !== 'number') return value;
    const isHidden = isSecretField(name, value) || isPrivate(name, String(value));
    const replaced = replace(name, value, isHidden, isTyped);
    if (replaced !== null || typeof value === 'number' || !value.includes('{{'))
      return replaced ?? value;
    made.hasBraces = true;
    return value.replaceAll('{', BRACE);
  };
  /** @param {any} value JSON @param {string} name @returns {any} */
  const fillAll = (value, name) => {
    if (Array.isArray(value)) return value.map(one => fillAll(one, name));
    if (!isPlain(value)) return fill(name, value, true);
    const fields = Object.entries(value).map(([key, one]) => [fill('', key), fillAll(one, key)]);
    return Object.fromEntries(fields);
  };
  /** @param {WebAddress} url @returns {Record<string, any>} */
  const fillAddress = url => {
    let before = '';
    const path = url.pathname.replace(/[^/]+/g, segment => {
      const text = decode(segment);
      const replaced = replace(before, text, isPathToken(before, text) || isPrivate('', text));
      before = text;
      return replaced ?? segment;
    });
    const query = [...Map.groupBy(url.searchParams, ([name]) => name)];
    const qs = query.map(([name, same]) => {
      const values = same.map(([, value]) => fill(name, value));
      return [fill('', name), values.length > 1 ? values : values[0]];
    });
    return { url: path, ...(qs.length > 0 && { qs: Object.fromEntries(qs) }) };
  };
  /** @param {Exchange} exchange */
  const fillHeaders = ({ headers, method }) => {
    const wanted = headers.filter(
      ([name, value]) => SENT_HEADER.test(name) && !DEFAULT_HEADER.test(`${name}: ${value}`),
    );
    const filled = wanted.flatMap(([name, value]) => {
      const [scheme = ''] = (name === 'authorization' && /^\w+ /.exec(value)) || [];
      const text = value.slice(scheme.length);
      made.login ??= logins.get(text) ?? null;
      return logins.has(text) ? [] : [[name, scheme + fill(name, text)]];
    });
    // Django requires it for forms over TLS.
    if (method !== 'GET' && headers.some(([name]) => name === 'referer'))
      filled.push(['referer', '{{ target }}/']);
    return filled.length > 0 ? { headers: Object.fromEntries(filled) } : {};
  };
  /** @param {Exchange} exchange @returns {Record<string, any>} */
  const fillBody = ({ body, method }) => {
    if (method === 'GET' || method === 'HEAD' || body === null) return {};
    return Object.fromEntries(
      Object.entries(body).map(([kind, data]) => [kind, fillAll(data, '')]),
    );
  };

  const jar = new Set(cookies);
  let endMs = Infinity;
  for (const exchange of exchanges) {
    const thinkSec = (exchange.startMs - endMs) / 1000;
    if (thinkSec >= LEAST_THINK_SEC) made.flow.push({ think: Number(thinkSec.toFixed(1)) });
    endMs = exchange.endMs;
    for (const [name, value] of exchange.headers)
      for (const cookie of name === 'cookie' ? value.split(/=[^;]*;?\s*/) : [])
        if (cookie && !jar.has(cookie)) made.cookies.add(cookie);
    const step = {
      ...fillAddress(exchange.url),
      ...fillHeaders(exchange),
      ...fillBody(exchange),
      ...(!exchange.followRedirect && { followRedirect: false }),
    };
    made.flow.push({ [exchange.method.toLowerCase()]: step });
    for (const found of listValues(exchange)) {
      const text = String(found.value);
      if (found.spec.cookie) jar.add(found.spec.cookie);
      const known = births.get(text) ?? [];
      // The response to a write describes the created object, which may reuse the id of a deleted one.
      if (known.length > 0 && exchange.method !== 'GET') known.unshift({ ...found, step });
      else if (!said.has(text)) births.set(text, [...known, { ...found, step }]);
    }
  }
  return made;
}
