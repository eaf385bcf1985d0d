/** Errors that came together: by code and endpoint, over seconds. */
import { poissonTail } from '../../../math/distributions.js';
import { least, most } from '../../../math/summary.js';

const SECOND_MS = 1000;
/** Lengths of time in which errors are counted together; a burst may be sharp or drawn out. */
const SCALES_SEC = [1, 3, 10, 30];
/** Fewer errors than this are no burst, however rare they are otherwise. */
const LEAST_ERRORS = 3;
/** Chance that so many come together by accident, at the rate of the rest of the run. */
const ACCIDENT = 1e-4;
/** Seconds without an error inside of one burst. */
const PAUSE_SEC = 2;
/** Rounds of taking bursts out of the rate that they are compared with. */
const ROUNDS = 3;
/** Of a kind's errors outside of bursts, to be told as errors all the time. */
const STEADY_ERRORS = 5;
const STEADY_SHARE = 0.1;
/** An endpoint with so much of a burst is its endpoint. */
const NEARLY_ALL = 0.8;
const MOST_ENDPOINTS = 5;
const MOST_BURSTS = 20;

/** @typedef {Omit<import('../../../facts/logs.d.ts').ErrorBurst, 'log' | 'answeredBy'>} Burst */

/**
 * @typedef {object} Series errors of one kind
 * @property {string} code
 * @property {string | null} endpoint
 * @property {Map<number, number>} errors second (epoch, s) → how many
 * @property {Map<number, number>} requests of the endpoint, or of all
 */

/** Errors and requests per second, from `second` records. */
export class ErrorSeries {
  /** @type {Map<string, Series>} */
  #byKind = new Map();
  /** @type {Map<string, Map<number, number>>} endpoint → second → requests */
  requests = new Map();
  /** @type {Map<string, Map<number, number>>} endpoint → second → requests without an answer */
  #unanswered = new Map();
  /** @type {Map<number, number>} */
  #all = new Map();
  /** @type {{code: string, fromMs: number, id: string, count: number}[]} of instances that told who they are */
  #answered = [];

  /** @param {import('../seconds.js').SecondRecord} record */
  add({ fromMs, endpoints = {}, counters = {}, failed = {} }) {
    const second = Math.round(fromMs / SECOND_MS);
    for (const [code, ids] of Object.entries(failed))
      for (const [id, count] of Object.entries(ids))
        this.#answered.push({ code, fromMs, id, count });
    for (const [name, { requests = 0, errors = 0, statuses = {} }] of Object.entries(endpoints)) {
      add(mapOf(this.requests, name), second, requests);
      add(this.#all, second, requests);
      let refused = 0;
      for (const [status, { count = 0 }] of Object.entries(statuses)) {
        if (Number(status) < 400) continue;
        refused += count;
        this.#count(status, name, second, count);
      }
      if (errors > refused) add(mapOf(this.#unanswered, name), second, errors - refused);
    }
    for (const [name, n] of Object.entries(counters))
      if (name.startsWith('errors.') && n > 0)
        this.#count(name.slice('errors.'.length), null, second, n);
  }

  /** @param {string} code @param {string | null} endpoint @param {number} second @param {number} n */
  #count(code, endpoint, second, n) {
    const key = `${code}\n${endpoint}`;
    const requests = endpoint === null ? this.#all : mapOf(this.requests, endpoint);
    const series = this.#byKind.get(key) ?? { code, endpoint, errors: new Map(), requests };
    this.#byKind.set(key, series);
    add(series.errors, second, n);
  }

  /** Errors by the instance that answered. @param {Burst} burst @returns {Map<string, number>} */
  answeredBy({ code, startMs, endMs }) {
    const sums = new Map();
    for (const { code: own, fromMs, id, count } of this.#answered)
      if (own === code && fromMs >= startMs && fromMs < endMs)
        sums.set(id, (sums.get(id) ?? 0) + count);
    return sums;
  }

  /** @returns {{firstSec: number, lastSec: number}} */
  range() {
    const times = [
      ...this.#all.keys(),
      ...[...this.#byKind.values()].flatMap(({ errors }) => [...errors.keys()]),
    ];
    return { firstSec: least(times), lastSec: most(times) };
  }

  /** @returns {Series[]} */
  list() {
    return [...this.#byKind.values()].map(item =>
      nameEndpoint(item, this.#unanswered, this.requests),
    );
  }
}

/** @param {Map<string, Map<number, number>>} maps @param {string} name */
function mapOf(maps, name) {
  const known = maps.get(name) ?? new Map();
  maps.set(name, known);
  return known;
}

/**
 * A scan of Poisson counts (Naus, "The distribution of the size of the maximum cluster of points on a
 * line", JASA 60, 1965, in its simplest form): windows that hold more errors than the requests in them
 * make likely at the rate of the rest.
 * @param {ErrorSeries} errors
 * @returns {Burst[]} oldest first; at most 20, the largest
 */
export function findBursts(errors) {
  const range = errors.range();
  const bursts = errors.list().flatMap(series => findInSeries(series, range));
  return mergeKinds(bursts, errors.requests)
    .sort((a, b) => b.errors - a.errors)
    .slice(0, MOST_BURSTS)
    .sort((a, b) => a.startMs - b.startMs);
}

/**
 * Errors without an answer are counted by name for the whole second; where nearly all requests that got
 * none in these seconds went to one endpoint, it is theirs.
 * @param {Series} series
 * @param {Map<string, Map<number, number>>} unanswered
 * @param {Map<string, Map<number, number>>} requests
 * @returns {Series}
 */
function nameEndpoint(series, unanswered, requests) {
  if (series.endpoint !== null) return series;
  const hits = [...unanswered].map(([name, perSecond]) => ({
    name,
    n: [...series.errors.keys()].reduce((sum, second) => sum + (perSecond.get(second) ?? 0), 0),
  }));
  const total = hits.reduce((sum, { n }) => sum + n, 0);
  const top = hits.find(({ n }) => n > 0 && n >= total * NEARLY_ALL);
  if (!top) return series;
  return { ...series, endpoint: top.name, requests: requests.get(top.name) ?? series.requests };
}

/**
 * @param {Series} series
 * @param {{firstSec: number, lastSec: number}} range
 * @returns {Burst[]}
 */
function findInSeries({ code, endpoint, errors, requests }, { firstSec, lastSec }) {
  /** @type {Set<number>} */
  let hot = new Set();
  for (let round = 0; round < ROUNDS; round++) {
    const next = markHot(errors, requests, hot, { firstSec, lastSec });
    if (next.size === hot.size) break;
    hot = next;
  }
  const groups = groupSeconds([...hot].sort((a, b) => a - b));
  const bursts = groups
    .map(seconds => describe(code, endpoint, seconds, errors, false))
    .filter(burst => burst.errors >= LEAST_ERRORS);
  const rest = [...errors.keys()].filter(second => !hot.has(second)).sort((a, b) => a - b);
  const total = sumOf(errors, [...errors.keys()]);
  const steady = describe(code, endpoint, rest, errors, true);
  const isTold = steady.errors >= STEADY_ERRORS && steady.errors >= total * STEADY_SHARE;
  return isTold ? [...bursts, steady] : bursts;
}

/**
 * Seconds with errors inside of windows that hold too many.
 * @param {Map<number, number>} errors
 * @param {Map<number, number>} requests
 * @param {Set<number>} taken out of the rate
 * @param {{firstSec: number, lastSec: number}} range
 */
function markHot(errors, requests, taken, { firstSec, lastSec }) {
  let [restErrors, restRequests] = [0, 0];
  for (let second = firstSec; second <= lastSec; second++) {
    if (taken.has(second)) continue;
    restErrors += errors.get(second) ?? 0;
    // Requests without errors count as one at least, so that a silent second is time, too.
    restRequests += Math.max(1, requests.get(second) ?? 0);
  }
  const rate = restErrors / Math.max(1, restRequests);
  /** @type {Set<number>} */
  const hot = new Set(taken);
  for (const scale of SCALES_SEC) {
    if (scale > (lastSec - firstSec + 1) / 2) break;
    let [inside, asked] = [0, 0];
    for (let second = firstSec; second <= lastSec; second++) {
      inside += errors.get(second) ?? 0;
      asked += Math.max(1, requests.get(second) ?? 0);
      const gone = second - scale;
      if (gone >= firstSec) {
        inside -= errors.get(gone) ?? 0;
        asked -= Math.max(1, requests.get(gone) ?? 0);
      }
      if (inside < LEAST_ERRORS || poissonTail(inside, rate * asked) >= ACCIDENT) continue;
      for (let at = Math.max(firstSec, gone + 1); at <= second; at++) {
        if (errors.get(at)) hot.add(at);
      }
    }
  }
  return hot;
}

/** @param {number[]} seconds ascending @returns {number[][]} */
function groupSeconds(seconds) {
  /** @type {number[][]} */
  const groups = [];
  for (const second of seconds) {
    const last = groups.at(-1);
    if (last && second - (last.at(-1) ?? 0) <= PAUSE_SEC + 1) last.push(second);
    else groups.push([second]);
  }
  return groups;
}

/**
 * @param {string} code @param {string | null} endpoint @param {number[]} seconds ascending
 * @param {Map<number, number>} errors @param {boolean} isSteady
 */
function describe(code, endpoint, seconds, errors, isSteady) {
  const n = sumOf(errors, seconds);
  return {
    startMs: (seconds[0] ?? 0) * SECOND_MS,
    endMs: ((seconds.at(-1) ?? 0) + 1) * SECOND_MS,
    code,
    endpoint,
    endpoints: endpoint === null ? [] : [{ name: endpoint, errors: n }],
    errors: n,
    requests: null,
    isSteady,
  };
}

/**
 * The same code on several endpoints at the same time is one burst.
 * @param {Burst[]} bursts
 * @param {Map<string, Map<number, number>>} requests
 * @returns {Burst[]}
 */
function mergeKinds(bursts, requests) {
  /** @type {Burst[]} */
  const merged = [];
  for (const burst of bursts.sort((a, b) => a.startMs - b.startMs)) {
    const same = merged.find(
      other =>
        other.code === burst.code && other.isSteady === burst.isSteady && overlaps(other, burst),
    );
    if (!same) {
      merged.push(burst);
      continue;
    }
    same.startMs = Math.min(same.startMs, burst.startMs);
    same.endMs = Math.max(same.endMs, burst.endMs);
    same.errors += burst.errors;
    same.endpoints.push(...burst.endpoints);
  }
  return merged.map(burst => {
    const endpoints = burst.endpoints.sort((a, b) => b.errors - a.errors);
    const seconds = Array.from(
      { length: (burst.endMs - burst.startMs) / SECOND_MS },
      (_, index) => burst.startMs / SECOND_MS + index,
    );
    const asked = endpoints.map(({ name }) => sumOf(requests.get(name) ?? new Map(), seconds));
    const [top] = endpoints;
    return {
      ...burst,
      endpoint: top && top.errors >= burst.errors * NEARLY_ALL ? top.name : null,
      endpoints: endpoints.slice(0, MOST_ENDPOINTS),
      requests: asked.length > 0 ? asked.reduce((sum, n) => sum + n, 0) : null,
    };
  });
}

/** By half of the shorter one. @param {Burst} a @param {Burst} b */
function overlaps(a, b) {
  const common = Math.min(a.endMs, b.endMs) - Math.max(a.startMs, b.startMs);
  return common >= Math.min(a.endMs - a.startMs, b.endMs - b.startMs) / 2;
}

/** @param {Map<number, number>} counts @param {number} key @param {number} n */
function add(counts, key, n) {
  counts.set(key, (counts.get(key) ?? 0) + n);
}

/** @param {Map<number, number>} counts @param {number[]} keys */
function sumOf(counts, keys) {
  return keys.reduce((sum, key) => sum + (counts.get(key) ?? 0), 0);
}
