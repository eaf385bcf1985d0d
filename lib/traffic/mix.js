/** The mix of a log: which endpoints, how often and when. Its memory does not grow with the log. */
import { sum } from '../math/summary.js';
import { groupEndpoint, nameEndpoint } from '../run/endpoint-names.js';
import { NO_HOST, readAddress, STATIC } from './addresses.js';
import { buildCurve } from './arrival-curve.js';

/** @import { LeftOutReason, LoggedRequest, Traffic } from '../facts/traffic.d.ts' */

/** More words in one place of a path are values. */
const MOST_WORDS = 50;
const MOST_ENDPOINTS = 1000;
const LONGEST_PATH = 200;
const SAMPLE_SIZE = 20_000;
/** Endpoints that are sent. */
const MOST_SENT = 100;
const SESSION_ENDS_AFTER_SEC = 30 * 60;
/** The one that was silent longest is forgotten first. */
const MOST_CLIENTS = 200_000;

const HEALTH =
  /(?:^|\/)(?:_?health(?:z|[-_]?check)?|heartbeat|livez?|liveness|readyz?|readiness|ping|status|metrics)\/?$/i;
const PROBE = /kube-probe|health.?check|googlehc|prometheus|blackbox|uptime|pingdom/i;

/** Why a request is not sent; the first that fits. @type {[LeftOutReason, (request: LoggedRequest, path: string) => boolean][]} */
const REASONS = [
  ['health', ({ agent }, path) => HEALTH.test(path) || PROBE.test(agent)],
  ['static', (_, path) => STATIC.test(path)],
  // What a server failed to do (5xx), or a client did not wait for (499), is part of the load.
  ['failed', ({ status }) => status < 200 || (status >= 400 && status < 499)],
  ['method', ({ method }) => method !== 'GET'],
];

export function createMix() {
  /** Requests of each endpoint. @type {Map<string, number>} */
  let endpoints = new Map();
  /** @type {string[]} */
  const groups = [];
  /** @type {Map<string, number>} */
  const leftOut = new Map();
  /** @type {Map<string, number>} */
  const masked = new Map();
  /** @type {Map<number, number>} */
  const perMinute = new Map();
  /** Of all that is sent, each with the same chance (J. Vitter's algorithm R, 1985). @type {{name: string, address: string}[]} */
  const sample = [];
  /** Endpoints that redirect: the log has what was asked for then. @type {Set<string>} */
  const redirecting = new Set();
  const counts = { requests: 0, kept: 0, firstMs: Infinity, lastMs: -Infinity };
  const totals = { sessions: 0, thinks: 0, thinkSec: 0 };
  /** When each client asked last. @type {Map<string, number>} */
  const clients = new Map();

  const regroup = () => {
    groups.push(...findGroups([...endpoints.keys()]));
    const before = endpoints;
    endpoints = new Map();
    for (const [name, count] of before) increase(endpoints, groupEndpoint(name, groups), count);
  };
  /** @param {LeftOutReason} reason */
  const leave = (reason, name = '') => {
    const key = `${reason} ${name}`;
    increase(leftOut, leftOut.size < MOST_ENDPOINTS || leftOut.has(key) ? key : reason);
  };

  /** @param {LoggedRequest} request */
  const followSession = ({ client, atMs }) => {
    // Lines of several files may go back in time.
    const gapSec = Math.abs(atMs - (clients.get(client) ?? Infinity)) / 1000;
    if (gapSec > SESSION_ENDS_AFTER_SEC) totals.sessions += 1;
    else {
      totals.thinks += 1;
      totals.thinkSec += gapSec;
    }
    clients.delete(client);
    clients.set(client, atMs);
    if (clients.size > MOST_CLIENTS) clients.delete(clients.keys().next().value ?? '');
  };

  return {
    /** @param {LoggedRequest} request */
    add(request) {
      const { method, status, atMs } = request;
      counts.requests += 1;
      const address = readAddress(request.target);
      if (!address || address.path.length > LONGEST_PATH) return leave('unreadable');
      let name = nameEndpoint({ method, url: NO_HOST + address.path }, NO_HOST, groups);
      const [reason] = REASONS.find(([, fits]) => fits(request, address.path)) ?? [];
      if (reason) return leave(reason, reason === 'failed' ? `${status}` : name);
      if (address.masked.includes('')) return leave('masked', name);
      if (!endpoints.has(name) && endpoints.size >= MOST_ENDPOINTS) {
        regroup();
        name = groupEndpoint(name, groups);
        if (!endpoints.has(name) && endpoints.size >= MOST_ENDPOINTS) return leave('rare');
      }
      increase(endpoints, name);
      for (const parameter of address.masked)
        increase(masked, masked.size < MOST_ENDPOINTS ? parameter : 'others');
      if (status >= 300 && status < 400 && status !== 304) redirecting.add(name);
      const at =
        counts.kept < SAMPLE_SIZE ? counts.kept : Math.floor(Math.random() * (counts.kept + 1));
      if (at < SAMPLE_SIZE) sample[at] = { name, address: address.path + address.query };
      counts.kept += 1;
      counts.firstMs = Math.min(counts.firstMs, atMs);
      counts.lastMs = Math.max(counts.lastMs, atMs);
      increase(perMinute, Math.floor(atMs / 60_000));
      followSession(request);
    },
    /** @returns {Traffic} */
    finish() {
      regroup();
      const rename = (/** @type {string} */ name) => groupEndpoint(name, groups);
      const addresses = Map.groupBy(sample, ({ name }) => rename(name));
      const mix = [...endpoints]
        .filter(([name]) => addresses.has(name))
        .sort(([, a], [, b]) => b - a)
        .slice(0, MOST_SENT);
      const sent = sum(mix.map(([, count]) => count));
      if (sent < counts.kept) increase(leftOut, 'rare ', counts.kept - sent);
      return {
        ...counts,
        ...totals,
        mix: new Map(mix),
        groups,
        addresses,
        redirecting: new Set([...redirecting].map(rename)),
        curve: buildCurve(perMinute, counts),
        leftOut,
        masked,
      };
    },
  };
}

/**
 * Paths with a place where many words stand: values, such as names of users.
 * @param {string[]} names of endpoints, with ids folded
 * @returns {string[]} as ENDPOINTS has them: `/users/:user/posts`
 */
export function findGroups(names) {
  const paths = names.map(name => name.slice(name.indexOf('/')).split('/'));
  /** @type {Set<string[]>} */
  const grouped = new Set();
  for (let at = 1; paths.some(({ length }) => length > at); at++) {
    const deep = paths.filter(({ length }) => length > at);
    for (const [place, below] of Map.groupBy(deep, path => path.slice(0, at).join('/'))) {
      if (new Set(below.map(path => path[at])).size <= MOST_WORDS) continue;
      const parameter = `:${/(\w+?)s?$/.exec(place)?.[1] ?? 'word'}`;
      for (const path of below) path[at] = parameter;
      for (const path of below) grouped.add(path);
    }
  }
  // ENDPOINTS has commas between paths.
  return [...new Set([...grouped].map(path => path.join('/')))].filter(path => !path.includes(','));
}

/** @template T @param {Map<T, number>} counts @param {T} key */
function increase(counts, key, by = 1) {
  counts.set(key, (counts.get(key) ?? 0) + by);
}
