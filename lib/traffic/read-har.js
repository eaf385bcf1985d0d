/**
 * Reads a session that a browser recorded (HTTP Archive 1.2): the requests of a flow, and why others are excluded.
 */
import { getPublicSuffix } from 'tough-cookie';
import { readClaims } from '../auth/read-token.js';
import { LoadflameError } from '../errors.js';
import { parseOrNull } from '../files/parse-json.js';
import { isPlain } from '../files/read-yaml.js';
import { readRegularJson } from '../files/regular-file.js';
import { readAddress, STATIC } from './addresses.js';
import { listCookies } from './response-values.js';

/** @import { Exchange, HarLogin, HarReason, Session, WebAddress } from '../facts/traffic.d.ts' */

const METHOD = /^(?:GET|POST|PUT|PATCH|DELETE|HEAD)$/;
const STATIC_TYPE = /^(?:image|font|audio|video)\/|css|javascript/i;

/**
 * @param {string} file
 * @returns {Session}
 * @throws {LoadflameError} TRAFFIC_UNREADABLE, TRAFFIC_NO_HAR
 */
export function readHar(file) {
  let entries;
  try {
    entries = readRegularJson(file)?.log?.entries;
  } catch (cause) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (cause);
    throw new LoadflameError('TRAFFIC_UNREADABLE', { file, reason: code ?? message }, { cause });
  }
  if (!Array.isArray(entries) || entries.length === 0 || !entries.every(isEntry))
    throw new LoadflameError('TRAFFIC_NO_HAR', { file });
  return selectExchanges(entries.map(readEntry).sort((a, b) => a.startMs - b.startMs));
}

/** @param {any} entry */
function isEntry(entry) {
  const { request, response, startedDateTime } = entry ?? {};
  const isSent = isPlain(request) && /^\w+$/.test(request.method) && URL.canParse(request.url);
  return isSent && isPlain(response) && !Number.isNaN(Date.parse(startedDateTime));
}

/** @param {any} entry @returns {Exchange} */
function readEntry({ startedDateTime, time, request, response }) {
  const { text = '', encoding, mimeType = '' } = response.content ?? {};
  const startMs = Date.parse(startedDateTime);
  return {
    method: `${request.method}`.toUpperCase(),
    url: new URL(request.url.replace(/#.*$/, '')),
    headers: readHeaders(request.headers),
    body: readBody(request.postData),
    status: Number(response.status),
    answer: {
      headers: readHeaders(response.headers),
      text: encoding === 'base64' ? Buffer.from(`${text}`, 'base64').toString() : String(text),
      mimeType: String(mimeType),
    },
    startMs,
    endMs: startMs + (Number(time) || 0),
    followRedirect: true,
  };
}

/** @param {any} list @returns {Exchange['headers']} */
function readHeaders(list) {
  const fields = Array.isArray(list) ? list.filter(isPlain) : [];
  return fields.map(({ name, value }) => [String(name).toLowerCase(), String(value)]);
}

/** @param {any} data @returns {Exchange['body']} */
function readBody(data) {
  if (!isPlain(data)) return {};
  const mimeType = String(data.mimeType);
  const text = String(data.text ?? '');
  const fields = [...new URLSearchParams(text)];
  const form = Object.fromEntries(fields);
  if (/x-www-form-urlencoded/i.test(mimeType))
    return Object.keys(form).length === fields.length ? { form } : null;
  const json = parseOrNull(text);
  return typeof json === 'object' && json !== null ? { json } : null;
}

/** @param {Exchange[]} all in recorded order @returns {Session} */
function selectExchanges(all) {
  // An API that issues its own tokens is not an identity provider: that login is part of the flow.
  const apis = new Set(all.filter(takesToken).map(({ url }) => url.origin));
  const issuing = all.filter(one => !apis.has(one.url.origin) && readLogin(one).length > 0);
  const providers = new Set(issuing.map(({ url }) => url.origin));
  const others = all.filter(({ url }) => !providers.has(url.origin));
  const page = others.find(({ answer }) => /html/.test(answer.mimeType)) ?? others[0];
  const site = nameSite(page?.url);
  /** Why a request is excluded; the first match wins. @type {[HarReason, (exchange: Exchange) => boolean][]} */
  const reasons = [
    ['foreign', ({ url }) => nameSite(url) !== site && !providers.has(url.origin)],
    ['preflight', ({ method }) => method === 'OPTIONS'],
    ['static', ({ url, answer }) => STATIC.test(url.pathname) || STATIC_TYPE.test(answer.mimeType)],
    ['login', ({ url }) => providers.has(url.origin)],
    ['failed', ({ status }) => !(status >= 200 && status < 400)],
    ['stream', ({ answer }) => /event-stream/.test(answer.mimeType)],
    ['body', ({ body, method }) => body === null || !METHOD.test(method)],
  ];
  /** @type {Session['leftOut']} */
  const leftOut = new Map();
  /**
   * The redirected request, by the redirect's target: the engine follows redirects by itself.
   * @type {Map<string, Exchange>}
   */
  const redirected = new Map();
  /** Cookies of the provider. @type {Session['cookies']} */
  const cookies = new Set();
  /** @type {Exchange[]} */
  const exchanges = [];
  for (const exchange of all) {
    const { url, method, answer, status } = exchange;
    const first = redirected.get(url.href);
    const [reason] = reasons.find(([, fits]) => fits(exchange)) ?? [];
    if (reason === 'login') for (const [name] of listCookies(answer)) cookies.add(name);
    if (first && !reason) {
      redirected.delete(url.href);
      first.answer = { ...answer, headers: [...first.answer.headers, ...answer.headers] };
      first.endMs = exchange.endMs;
    } else if (reason) {
      if (first) first.followRedirect = false;
      const name = `${method} ${reason === 'foreign' ? url.origin : readAddress(url.pathname)?.path}`;
      leftOut.set(reason, [...(leftOut.get(reason) ?? []), name]);
      continue;
    } else exchanges.push(exchange);
    const [, location] = answer.headers.find(([name]) => name === 'location') ?? [];
    if (status < 300 || !location || !URL.canParse(location, url.href)) continue;
    const next = new URL(location, url.href);
    if (next.origin === url.origin) redirected.set(next.href, first ?? exchange);
    else (first ?? exchange).followRedirect = false;
  }
  const origins = [...Map.groupBy(exchanges, ({ url }) => url.origin)];
  const [[origin = '', own = []] = [], ...rest] = origins.sort(
    ([, a], [, b]) => b.length - a.length,
  );
  const foreign = rest.flatMap(([other, { length }]) => Array(length).fill(other));
  if (foreign.length > 0) leftOut.set('foreign', [...(leftOut.get('foreign') ?? []), ...foreign]);
  return { origin, exchanges: own, logins: new Map(issuing.flatMap(readLogin)), cookies, leftOut };
}

/** @param {Exchange} exchange */
function takesToken({ url, headers }) {
  const isAsked = headers.some(
    ([name, value]) => name === 'authorization' && /^bearer /i.test(value),
  );
  return isAsked && !/userinfo/.test(url.pathname);
}

/** The registrable domain of a host, or its IP address. @param {WebAddress | undefined} url */
function nameSite(url) {
  const host = url?.hostname ?? '';
  return getPublicSuffix(host, { allowSpecialUseDomain: true, ignoreError: true }) ?? host;
}

/**
 * Reads the response of a token endpoint (RFC 6749, section 5.1).
 * @param {Exchange} exchange @returns {[token: string, login: HarLogin][]}
 */
function readLogin({ url, body, answer }) {
  const given = parseOrNull(answer.text);
  if (!body?.form?.grant_type || given === null) return [];
  const token = given.access_token;
  const { iss: issuer = url.origin } = readClaims(String(token));
  return [[token, { issuer: String(issuer), clientId: body.form.client_id ?? '' }]];
}
