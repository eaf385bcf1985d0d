/**
 * The mix of a log: which endpoints, how often, in which sequences and when. Memory use does not grow with the log.
 */

import {
  findGroups,
  foldConstants,
  groupEndpoint,
  nameEndpoint,
} from '../../base/config/endpoint-names.js';
import { addTo, entryOf } from '../../base/files/maps.js';
import { createRandom } from '../../base/math/random.js';
import { sum } from '../../base/math/summary.js';
import { NO_HOST, readAddress, STATIC } from './addresses.js';
import { buildCurve } from './arrival-curve.js';
import { createSessions } from './sessions.js';

/** @import { LeftOutReason, LoggedRequest, MixFlow, Traffic } from '../../run/facts/traffic.d.ts' */
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

/** Clients may forge hosts: those beyond these share one mix. */
const MOST_HOSTS = 50;
const OTHERS = 'other hosts';

/** A mix per virtual host. */
export function createHostMixes() {
  /** @type {Map<string, Mix>} */
  const mixes = new Map();
  return {
    /** @param {LoggedRequest} request */
    add(request) {
      const isKnown = mixes.size < MOST_HOSTS || mixes.has(request.host);
      entryOf(mixes, isKnown ? request.host : OTHERS, () => new Mix()).add(request);
    },
    /** @returns {Traffic} of the most frequent host */
    finish() {
      const all = [...mixes].map(([host, mix]) => ({ host, ...mix.finish() }));
      const rank = (/** @type {Traffic} */ one) => (one.host === OTHERS ? 0 : one.requests);
      const [most = { host: '', ...new Mix().finish() }, ...rest] = all.sort(
        (a, b) => rank(b) - rank(a),
      );
      for (const { host, requests } of rest) {
        addTo(most.leftOut, `host ${host || 'none'}`, requests);
        most.requests += requests;
      }
      return most;
    },
  };
}

export class Mix {
  /** Requests of each endpoint. @type {Map<string, number>} */
  #endpoints = new Map();
  /** @type {string[]} */
  #groups = [];
  /** @type {Map<string, number>} */
  #leftOut = new Map();
  /** @type {Map<string, number>} */
  #masked = new Map();
  /** @type {Map<number, number>} */
  #perMinute = new Map();
  /**
   * A uniform sample of all requests to send (J. Vitter's algorithm R, 1985).
   * @type {{name: string, address: string}[]}
   */
  #sample = [];
  /** Endpoints that redirect: the log also contains the request for the redirect's target. @type {Set<string>} */
  #redirecting = new Set();
  #sessions = createSessions();
  // The same log gives the same script.
  #random = createRandom(1);
  #counts = { requests: 0, kept: 0, firstMs: Infinity, lastMs: -Infinity };

  /** @param {LoggedRequest} request */
  add(request) {
    const { method, status } = request;
    this.#counts.requests += 1;
    const address = readAddress(request.target);
    if (!address || address.path.length > LONGEST_PATH) return this.#leave('unreadable');
    let name = nameEndpoint({ method, url: NO_HOST + address.path }, NO_HOST, this.#groups);
    const [reason] = REASONS.find(([, fits]) => fits(request, address.path)) ?? [];
    if (reason) return this.#leave(reason, reason === 'failed' ? `${status}` : name);
    if (address.masked.includes('')) return this.#leave('masked', name);
    if (this.#isTooMany(name)) {
      this.#regroup();
      name = groupEndpoint(name, this.#groups);
      if (this.#isTooMany(name)) return this.#leave('rare');
    }
    addTo(this.#endpoints, name, 1);
    for (const parameter of address.masked)
      addTo(this.#masked, this.#masked.size < MOST_ENDPOINTS ? parameter : 'others', 1);
    if (status >= 300 && status < 400 && status !== 304) this.#redirecting.add(name);
    this.#keep({ name, address: address.path + address.query }, request.atMs);
    this.#sessions.follow(request, name);
  }

  /** @returns {Omit<Traffic, 'host'>} */
  finish() {
    this.#regroup();
    const groups = this.#groups;
    const { sequences, ...totals } = this.#sessions.finish();
    const rename = this.#createRename();
    const addresses = Map.groupBy(this.#sample, ({ name }) => rename(name));
    const flows = chooseFlows(this.#endpoints, sequences, rename)
      .filter(({ names }) => names.every(name => addresses.has(name)))
      .slice(0, MOST_FLOWS);
    const rare = this.#counts.kept - sum(flows.map(({ names, count }) => names.length * count));
    if (rare > 0) addTo(this.#leftOut, 'rare ', rare);
    return {
      ...this.#counts,
      ...totals,
      flows,
      groups,
      addresses,
      redirecting: new Set([...this.#redirecting].map(rename)),
      curve: buildCurve(this.#perMinute, this.#counts),
      leftOut: this.#leftOut,
      masked: this.#masked,
    };
  }

  /** @param {string} name */
  #isTooMany(name) {
    return !this.#endpoints.has(name) && this.#endpoints.size >= MOST_ENDPOINTS;
  }

  #regroup() {
    this.#groups.push(...findGroups([...this.#endpoints.keys()], MOST_WORDS));
    const rename = this.#createRename();
    const before = this.#endpoints;
    this.#endpoints = new Map();
    for (const [name, count] of before) addTo(this.#endpoints, rename(name), count);
  }

  /** @returns {(name: string) => string} */
  #createRename() {
    const group = (/** @type {string} */ name) => groupEndpoint(name, this.#groups);
    const alike = Map.groupBy([...this.#endpoints.keys()].map(group), foldConstants);
    return name => {
      const own = group(name);
      const folded = foldConstants(own);
      return alike.get(folded)?.some(other => other !== own) ? folded : own;
    };
  }

  /** @param {LeftOutReason} reason */
  #leave(reason, name = '') {
    const key = `${reason} ${name}`;
    const isNamed = this.#leftOut.size < MOST_ENDPOINTS || this.#leftOut.has(key);
    addTo(this.#leftOut, isNamed ? key : reason, 1);
  }

  /** @param {{name: string, address: string}} request @param {number} atMs */
  #keep(request, atMs) {
    const counts = this.#counts;
    const { kept } = counts;
    const at = kept < SAMPLE_SIZE ? kept : Math.floor(this.#random() * (kept + 1));
    if (at < SAMPLE_SIZE) this.#sample[at] = request;
    counts.kept += 1;
    counts.firstMs = Math.min(counts.firstMs, atMs);
    counts.lastMs = Math.max(counts.lastMs, atMs);
    addTo(this.#perMinute, Math.floor(atMs / 60_000), 1);
  }
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
    for (const name of names) addTo(single, name, -count);
    const thinkSec = names.map((_, at) => sum(found.map(one => one.thinkSec[at - 1] ?? 0)) / count);
    flows.push({ names, thinkSec, count });
  }
  for (const [name, count] of single)
    if (count > 0) flows.push({ names: [name], thinkSec: [0], count });
  return flows.sort((a, b) => b.count - a.count);
}
