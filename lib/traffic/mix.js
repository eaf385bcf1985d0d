/**
 * The mix of a log: which endpoints, how often, in which sequences and when. Memory use does not grow with the log.
 */
import { createRandom } from '../math/random.js';
import { sum } from '../math/summary.js';
import { groupEndpoint, nameEndpoint } from '../run/endpoint-names.js';
import { NO_HOST, readAddress, STATIC } from './addresses.js';
import { buildCurve } from './arrival-curve.js';
import { createSessions } from './sessions.js';

/** @import { LeftOutReason, LoggedRequest, MixFlow, Traffic } from '../facts/traffic.d.ts' */
/** @import { Sequence } from './sessions.js' */

/** If a position in a path has more different words than this, they are values. */
const MOST_WORDS = 50;
const MOST_ENDPOINTS = 1000;
const LONGEST_PATH = 200;
const SAMPLE_SIZE = 20_000;
/** Share of all sequences. Each request of a rarer sequence becomes a user of its own. */
const LEAST_SHARE = 0.01;
const MOST_FLOWS = 100;

/** A whole path, perhaps below a common prefix: `/orders/7/status` is a request of a user. */
const HEALTH =
  /^\/(?:(?:-|_|api|actuator|internal|system|v\d{1,2})\/){0,3}(?:_?health(?:z|[-_]?check)?(?:\/(?:live|ready|liveness|readiness))?|heartbeat|livez?|liveness|readyz?|readiness|ping|status|metrics)\/?$/i;
const PROBE = /kube-probe|health.?check|googlehc|prometheus|blackbox|uptime|pingdom/i;

/**
 * Why a request is excluded; the first match wins.
 * @type {[LeftOutReason, (request: LoggedRequest, path: string) => boolean][]}
 */
const REASONS = [
  ['health', ({ agent }, path) => HEALTH.test(path) || PROBE.test(agent)],
  ['static', (_, path) => STATIC.test(path)],
  // Failures of the server (5xx), and requests that clients gave up on (499), are part of the load.
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
  /**
   * A uniform sample of all requests to send (J. Vitter's algorithm R, 1985).
   * @type {{name: string, address: string}[]}
   */
  const sample = [];
  /** Endpoints that redirect: the log also contains the request for the redirect's target. @type {Set<string>} */
  const redirecting = new Set();
  const sessions = createSessions();
  // The same log gives the same script.
  const random = createRandom(1);
  const counts = { requests: 0, kept: 0, firstMs: Infinity, lastMs: -Infinity };

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
      const at = counts.kept < SAMPLE_SIZE ? counts.kept : Math.floor(random() * (counts.kept + 1));
      if (at < SAMPLE_SIZE) sample[at] = { name, address: address.path + address.query };
      counts.kept += 1;
      counts.firstMs = Math.min(counts.firstMs, atMs);
      counts.lastMs = Math.max(counts.lastMs, atMs);
      increase(perMinute, Math.floor(atMs / 60_000));
      sessions.follow(request, name);
    },
    /** @returns {Traffic} */
    finish() {
      regroup();
      const { sequences, ...totals } = sessions.finish();
      const rename = (/** @type {string} */ name) => groupEndpoint(name, groups);
      const addresses = Map.groupBy(sample, ({ name }) => rename(name));
      const flows = chooseFlows(endpoints, sequences, rename)
        .filter(({ names }) => names.every(name => addresses.has(name)))
        .slice(0, MOST_FLOWS);
      const sent = sum(flows.map(({ names, count }) => names.length * count));
      if (sent < counts.kept) increase(leftOut, 'rare ', counts.kept - sent);
      return {
        ...counts,
        ...totals,
        flows,
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
 * Frequent sequences, and single requests for everything outside them; together they have the mix of the log.
 * @param {Map<string, number>} endpoints
 * @param {Sequence[]} sequences by endpoint names before the last grouping
 * @param {(name: string) => string} rename
 * @returns {MixFlow[]} the most frequent first
 */
function chooseFlows(endpoints, sequences, rename) {
  const least = LEAST_SHARE * sum(sequences.map(({ count }) => count));
  const same = Map.groupBy(sequences, ({ names }) => names.map(rename).join('\n'));
  const single = new Map(endpoints);
  /** @type {MixFlow[]} */
  const flows = [];
  for (const [key, found] of same) {
    const names = key.split('\n');
    const count = sum(found.map(one => one.count));
    if (names.length === 1 || count < least) continue;
    for (const name of names) increase(single, name, -count);
    const thinkSec = names.map((_, at) => sum(found.map(one => one.thinkSec[at - 1] ?? 0)) / count);
    flows.push({ names, thinkSec, count });
  }
  for (const [name, count] of single)
    if (count > 0) flows.push({ names: [name], thinkSec: [0], count });
  return flows.sort((a, b) => b.count - a.count);
}

/**
 * Paths with a position that has many different words: values, such as user names.
 * @param {string[]} names of endpoints, with ids folded
 * @returns {string[]} in the form of ENDPOINTS: `/users/:user/posts`
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
  // ENDPOINTS separates paths by commas.
  return [...new Set([...grouped].map(path => path.join('/')))].filter(path => !path.includes(','));
}

/** @template T @param {Map<T, number>} counts @param {T} key */
function increase(counts, key, by = 1) {
  counts.set(key, (counts.get(key) ?? 0) + by);
}
