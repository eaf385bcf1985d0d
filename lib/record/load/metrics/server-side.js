/** Sums up what responses report about their server, per second. */
import { createHash } from 'node:crypto';

/** @import { EndpointSecond, Second, ServerSums } from './second.d.ts' */

/** Worker ids are untrusted, and each restart of a worker makes a new one. */
const MAX_WORKERS = 500;
const MAX_ROUTES = 20;

/**
 * @typedef {object} AnswerSigns what a response carries; most carry nothing
 * @property {string | null} timing its Server-Timing
 * @property {readonly string[] | null} setCookies
 * @property {() => string} readCookie Cookie of its request
 * @property {number} status
 * @property {(() => string) | null} readRoute name of the endpoint by method and path, if the script gave it another
 * @property {() => string | null} readCalls its Loadflame-Calls
 */

/** @param {{stickyCookie?: string | null}} [options] */
export function createServerSide({ stickyCookie = null } = {}) {
  const sticky = createStickyCookies(stickyCookie);
  return {
    /**
     * @param {Second} second
     * @param {EndpointSecond} entry
     * @param {AnswerSigns} signs
     * @returns {{reported: ServerTiming | null, instance: string | null}} the companion's report, and who responded
     */
    note(second, entry, { timing, setCookies, readCookie, status, readRoute }) {
      const reported = timing === null ? null : parseServerTiming(timing);
      if (reported) {
        const sums = entry.server ?? { count: 0, totalMs: 0, cpuMs: 0 };
        entry.server = sums;
        sums.count += 1;
        sums.totalMs += reported.totalMs;
        sums.cpuMs =
          sums.cpuMs === null || reported.cpuMs === null ? null : sums.cpuMs + reported.cpuMs;
        if (reported.aroundMs !== null) sums.aroundMs = (sums.aroundMs ?? 0) + reported.aroundMs;
        if (reported.blockedMs !== null)
          addBlocked(sums, reported.blockedMs, reported.blockedCpuMs);
        add(second.workers, reported.worker, MAX_WORKERS);
        if (readRoute) {
          entry.routes ??= {};
          add(entry.routes, readRoute(), MAX_ROUTES);
        }
      }
      const backend =
        setCookies === null && !sticky.isKnown ? null : sticky.backendOf(setCookies, readCookie);
      if (backend !== null) add(second.backends, backend, Number.POSITIVE_INFINITY);
      const instance = backend ?? reported?.worker.split('.')[0] ?? null;
      if (status >= 400 && instance !== null) {
        second.failed[status] ??= {};
        add(second.failed[status], instance, MAX_WORKERS);
      }
      return { reported, instance };
    },
    knowsBackends: () => sticky.isKnown,
  };
}

/** @param {Record<string, number>} counts @param {string} name @param {number} most */
function add(counts, name, most) {
  const known = counts[name];
  if (known !== undefined) counts[name] = known + 1;
  else if (Object.keys(counts).length < most) counts[name] = 1;
  else counts['(others)'] = (counts['(others)'] ?? 0) + 1;
}

/** @param {ServerSums} sums @param {number} ms @param {number} cpuMs */
function addBlocked(sums, ms, cpuMs) {
  sums.blocked ??= { count: 0, ms: 0, cpuMs: 0, longestMs: 0 };
  sums.blocked.count += 1;
  sums.blocked.ms += ms;
  sums.blocked.cpuMs += cpuMs;
  sums.blocked.longestMs = Math.max(sums.blocked.longestMs, ms);
}

// -- The companion's entries in a response's Server-Timing (`companion/loadflame_companion.py`).

/** There may be entries of others before and after; without a worker they are not the companion's. */
const OURS =
  /total;dur=(\d+(?:\.\d+)?), (?:cpu;dur=(\d+(?:\.\d+)?), )?(?:blocked;dur=(\d+(?:\.\d+)?), blocked-cpu;dur=(\d+(?:\.\d+)?), )?worker;desc="([0-9a-f]{8}\.\d{1,10})"(?:, around;dur=(\d+(?:\.\d+)?))?(?:, now;dur=(\d{12,14}(?:\.\d+)?))?/;

/**
 * @typedef {object} ServerTiming
 * @property {number} totalMs from when the worker took the request to the headers of its response
 * @property {number | null} cpuMs CPU time for it, by the clock of its threads; null if unknown
 * @property {number | null} blockedMs the longest step of the request that blocked the event loop for more than
 *   100 ms; null if there was none
 * @property {number} blockedCpuMs CPU time of that step
 * @property {string} worker `<instance>.<pid>`
 * @property {number | null} aroundMs CPU time of the server between requests, not in `cpuMs`; null if `cpuMs`
 *   includes it, or unknown
 * @property {number | null} nowMs its clock, epoch; null from older companions
 */

/**
 * @param {string} text of the header
 * @returns {ServerTiming | null}
 */
function parseServerTiming(text) {
  const match = OURS.exec(text);
  if (!match) return null;
  return {
    totalMs: Number(match[1]),
    cpuMs: match[2] === undefined ? null : Number(match[2]),
    blockedMs: match[3] === undefined ? null : Number(match[3]),
    blockedCpuMs: Number(match[4] ?? 0),
    worker: match[5] ?? '',
    aroundMs: match[6] === undefined ? null : Number(match[6]),
    nowMs: match[7] === undefined ? null : Number(match[7]),
  };
}

// -- Which instance of the API served a request, by the cookie with which a router keeps users there.

/**
 * Cookies with the same value for all users of an instance. Those that differ per user or response are useless and
 * omitted on purpose: AWSALB and AWSELB, GCLB, ingress-nginx since 0.25 (`1700000000.12.34.567|…`).
 * @type {{router: string, name: RegExp, value: RegExp}[]}
 */
const RULES = [
  { router: 'OpenShift', name: /^[0-9a-f]{32}$/, value: /^[0-9a-f]{32}$/ },
  { router: 'ingress-nginx', name: /^(?:INGRESSCOOKIE|route)$/, value: /^[0-9a-f]{32,40}$/ },
  { router: 'HAProxy', name: /^(?:SERVERID|SRV)$/, value: /./ },
  { router: 'Traefik', name: /^_[0-9a-f]{5}$/, value: /^(?:[0-9a-f]{16}|https?:.*)$/ },
  { router: 'Azure', name: /^ARRAffinity(?:SameSite)?$/, value: /^[0-9a-f]{32,}$/ },
  { router: 'BIG-IP', name: /^BIGipServer/, value: /^\d+\.\d+\.\d+$/ },
];
/** A router has few instances; a cookie with a value per user would have any number. */
const MAX_BACKENDS = 100;
const PAIR = /^\s*([^=;\s]+)=([^;]*)/;

/**
 * @param {string | null} [ownName] of the cookie, if no rule covers it
 */
export function createStickyCookies(ownName = null) {
  const rules = ownName
    ? [{ router: '', name: { test: (/** @type {string} */ name) => name === ownName }, value: /./ }]
    : RULES;
  /** @type {string | null} the first cookie that was set; a router behind a router has another */
  let name = null;
  /** @type {Map<string, string>} value → id */
  const ids = new Map();

  /** @param {string} value */
  const idOf = value => {
    let id = ids.get(value);
    if (id === undefined) {
      if (ids.size >= MAX_BACKENDS) return '(others)';
      id = createHash('sha256').update(value).digest('hex').slice(0, 8);
      ids.set(value, id);
    }
    return id;
  };

  return {
    /**
     * The backend of a response: its router sets a cookie in the first response to a user, who sends it with every
     * request from then on.
     * @param {readonly string[] | null} setCookies of the response
     * @param {() => string} readCookie of the request
     * @returns {string | null} 8 hex digits; null if unknown
     */
    backendOf(setCookies, readCookie) {
      for (const text of setCookies ?? []) {
        const [, found = '', value = ''] = PAIR.exec(text) ?? [];
        const fits = rules.some(rule => rule.name.test(found) && rule.value.test(value));
        if (!fits || (name !== null && name !== found)) continue;
        name = found;
        return idOf(value);
      }
      if (name === null) return null;
      for (const text of readCookie().split(';')) {
        const [, found, value = ''] = PAIR.exec(text) ?? [];
        if (found === name) return idOf(value);
      }
      return null;
    },
    /** Whether any response has set a cookie; until then requests need no check. */
    get isKnown() {
      return name !== null;
    },
  };
}
