/**
 * Reads a session that a browser recorded (HTTP Archive 1.2): the requests of a flow, and why others are excluded.
 */
import querystring from 'node:querystring';
import { getPublicSuffix } from 'tough-cookie';
import { LoadflameError } from '../../base/errors.js';
import { nameOther } from '../../base/files/detect-format.js';
import { entryOf } from '../../base/files/maps.js';
import { parseJson, parseOrNull } from '../../base/files/parse-json.js';
import { isPlain } from '../../base/files/read-yaml.js';
import { readRegularFile } from '../../base/files/regular-file.js';
import { readClaims } from '../auth/read-token.js';
import { readAddress, STATIC } from './addresses.js';
import { listCookies } from './response-values.js';

/** @import { Exchange, HarLogin, HarReason, Session, WebAddress } from '../../run/facts/traffic.d.ts' */

const READS = /^(?:GET|HEAD)$/;
const METHOD = /^(?:GET|POST|PUT|PATCH|DELETE|HEAD)$/;
/** Begins a text that is a number in JSON. */
const DIGITS = '\u0000';
/** A proxy for TLS (Charles, mitmproxy) records its tunnels as well. */
const OF_CLIENT = /^(?:OPTIONS|CONNECT)$/;
const STATIC_TYPE = /^(?:image|font|audio|video)\/|css|javascript/i;

/**
 * @param {string} file
 * @returns {Session}
 * @throws {LoadflameError} TRAFFIC_UNREADABLE, TRAFFIC_NO_HAR
 */
export function readHar(file) {
  let text = '';
  let entries;
  try {
    text = readRegularFile(file);
    entries = parseJson(text)?.log?.entries;
  } catch (cause) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (cause);
    const reason = (text && nameOther(text, 'a HAR')) || (code ?? message);
    throw new LoadflameError('TRAFFIC_UNREADABLE', { file, reason }, { cause });
  }
  if (!Array.isArray(entries) || entries.length === 0) {
    const none = `has ${entries ? 'no entry in' : 'no list'} \`log.entries\``;
    const problem = nameOther(text, 'a HAR') ?? none;
    throw new LoadflameError('TRAFFIC_NO_HAR', { file, problem });
  }
  const unread = entries.flatMap((entry, at) => {
    const problem = findProblem(entry);
    return problem ? [`entry ${at + 1} has ${problem}`] : [];
  });
  if (unread.length * 2 > entries.length) {
    const problem = `has ${entries.length} entries, and ${unread.length} cannot be read: ${unread[0]}`;
    throw new LoadflameError('TRAFFIC_NO_HAR', { file, problem });
  }
  const read = entries.filter(entry => findProblem(entry) === undefined).map(readEntry);
  const session = selectExchanges(read.sort((a, b) => a.startMs - b.startMs));
  if (unread.length > 0) session.leftOut.set('unreadable', unread);
  return session;
}

/** Why an entry cannot be read; the first match counts. @type {[problem: string, is: (entry: any) => boolean][]} */
const PROBLEMS = [
  ['no request', ({ request }) => !/^[!-~]{1,20}$/.test(request?.method ?? '')],
  ['no response', entry => !isPlain(entry.response)],
  ['no time (startedDateTime)', entry => Number.isNaN(Date.parse(entry.startedDateTime))],
  ['no whole address', ({ request }) => !URL.canParse(request.url)],
];

/** @param {any} entry */
const findProblem = entry => PROBLEMS.find(([, is]) => is(entry ?? {}))?.[0];

/** @param {any} entry @returns {Exchange} */
function readEntry({ startedDateTime, time, request, response }) {
  const { text = '', size = -1, encoding, mimeType = '' } = response.content ?? {};
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
      isLost: text === '' && size !== 0 && response.status < 300 && response.status !== 204,
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

/** URLSearchParams takes quadratic time for fields without a value. @param {string} text */
export const parseQuery = text => querystring.parse(text, '&', '=', { maxKeys: 0 });

/** @param {any} data @returns {Exchange['body']} */
function readBody(data) {
  if (!isPlain(data)) return {};
  const mimeType = String(data.mimeType);
  const text = String(data.text ?? '');
  const params = Array.isArray(data.params) ? data.params.filter(isPlain) : [];
  // Playwright may write bodies as files beside the recording.
  if (text === '' && params.length === 0) return data._sha1 || data._file ? null : {};
  // Firefox and Chrome decode them only where there is no text.
  const fields =
    text === ''
      ? params.map(({ name, value }) => [String(name), String(value ?? '')])
      : Object.entries(parseQuery(text));
  const form = Object.fromEntries(fields);
  if (/x-www-form-urlencoded/i.test(mimeType))
    return fields.every(([name, value]) => form[name] === value && !Array.isArray(value))
      ? { form }
      : null;
  const json = parseOrNull(text) && JSON.parse(text, keepDigits);
  return typeof json === 'object' && json !== null ? { json } : null;
}

/** A number that JavaScript would round, as a text with its digits. @param {string} _key @param {unknown} value @param {{source: string}} [context] Node gives it */
function keepDigits(_key, value, context) {
  const isRounded = typeof value === 'number' && !(Math.abs(value) <= Number.MAX_SAFE_INTEGER);
  return isRounded && context ? DIGITS + context.source : value;
}

/** @param {Exchange[]} all in recorded order @returns {Session} */
function selectExchanges(all) {
  // An API that issues its own tokens is not an identity provider: that login is part of the flow.
  const apis = new Set(all.filter(takesToken).map(({ url }) => url.origin));
  const issuing = all.filter(one => !apis.has(one.url.origin) && readLogin(one).length > 0);
  const providers = new Set(issuing.map(({ url }) => url.origin));
  const others = all.filter(({ url }) => !providers.has(url.origin));
  /** Why a request is excluded; the first match wins. @type {[HarReason, (exchange: Exchange) => boolean][]} */
  const reasons = [
    ['preflight', ({ method }) => OF_CLIENT.test(method)],
    ['internal', ({ url }) => !/^(?:https?|wss?):/.test(url.protocol)],
    ['foreign', ({ url }) => nameSite(url) !== site && !providers.has(url.origin)],
    [
      'static',
      ({ url, answer, method }) =>
        READS.test(method) && (STATIC.test(url.pathname) || STATIC_TYPE.test(answer.mimeType)),
    ],
    ['login', ({ url }) => providers.has(url.origin)],
    ['websocket', ({ url, status }) => status === 101 || /^ws/.test(url.protocol)],
    ['failed', ({ status }) => !(status >= 200 && status < 400)],
    ['stream', ({ answer }) => /event-stream/.test(answer.mimeType)],
    ['body', ({ body, method }) => body === null || !METHOD.test(method)],
  ];
  const own = others.filter(one => reasons.every(([why, is]) => why === 'foreign' || !is(one)));
  const known = own.length > 0 ? own : others.filter(({ url }) => /^http|^ws/.test(url.protocol));
  const sites = [...Map.groupBy(known, ({ url }) => nameSite(url))];
  const [site] = sites.reduce((a, b) => (b[1].length > a[1].length ? b : a), ['', []]);
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
      const name = `${method} ${reason === 'foreign' ? url.origin : reason === 'internal' ? url.protocol : (readAddress(url.pathname)?.path ?? '')}`;
      entryOf(leftOut, reason, () => /** @type {string[]} */ ([])).push(name);
      continue;
    } else exchanges.push(exchange);
    const [, location] = answer.headers.find(([name]) => name === 'location') ?? [];
    if (status < 300 || !location || !URL.canParse(location, url.href)) continue;
    const next = new URL(location, url.href);
    // The engine repeats a POST, where browsers send a GET.
    const isFollowed = next.origin === url.origin && (method !== 'POST' || status > 302);
    if (isFollowed) redirected.set(next.href, first ?? exchange);
    else (first ?? exchange).followRedirect = false;
  }
  const origins = [...Map.groupBy(exchanges, ({ url }) => url.origin)];
  const [[origin = '', kept = []] = [], ...rest] = origins.sort(
    ([, a], [, b]) => b.length - a.length,
  );
  const foreign = rest.flatMap(([other, { length }]) => Array(length).fill(other));
  if (foreign.length > 0) leftOut.set('foreign', [...(leftOut.get('foreign') ?? []), ...foreign]);
  return { origin, exchanges: kept, logins: new Map(issuing.flatMap(readLogin)), cookies, leftOut };
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
