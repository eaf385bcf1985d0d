/** Sums up what responses report about their server, per second. */
import { hash } from 'node:crypto';
import { measureBlockers } from '../../run/blockers.js';
import { POOLS } from '../../run/pools.js';
import { addServer } from '../../run/server-sums.js';

/** @import { Collections } from '../../run/facts/records.d.ts' */
/** @import { ServerTiming } from '../../run/facts/whole-request.d.ts' */
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
 * @property {boolean} [isRouted] its endpoint is named by the route of the server's framework
 * @property {() => string | null} readCalls its Loadflame-Calls
 * @property {string | null} [query] of its step, as the script has it; null: not known
 * @property {number} [firstByteMs] from writing the request to the headers of its response
 */

/** @param {{stickyCookie?: string | null, redact?: (text: string) => string}} [options] */
export function createServerSide({ stickyCookie = null, redact = text => text } = {}) {
  const sticky = createStickyCookies(stickyCookie);
  return {
    /**
     * @param {Second} second
     * @param {EndpointSecond} entry
     * @param {AnswerSigns} signs
     * @returns {{reported: ServerTiming | null, instance: string | null}} the companion's report, and who responded
     */
    note(
      second,
      entry,
      { timing, setCookies, readCookie, status, readRoute, isRouted, firstByteMs = 0 },
    ) {
      const reported = timing === null ? null : parseServerTiming(timing);
      if (reported) {
        const sums = entry.server ?? { count: 0, totalMs: 0, cpuMs: 0 };
        entry.server = sums;
        sums.count += 1;
        sums.totalMs += reported.totalMs;
        sums.cpuMs =
          sums.cpuMs === null || reported.cpuMs === null ? null : sums.cpuMs + reported.cpuMs;
        if (reported.aroundMs !== null) sums.aroundMs = (sums.aroundMs ?? 0) + reported.aroundMs;
        const { blockedMs: longestMs, blockedCpuMs, endedMs } = reported;
        if (endedMs !== null) addServer(sums, { ended: { count: 1, ms: endedMs } });
        if (reported.gc) sums.gc = addServer(sums.gc ?? {}, reported.gc);
        if (longestMs !== null) {
          const blocked = { count: 1, ms: longestMs, cpuMs: blockedCpuMs, longestMs };
          addServer(sums, { blocked });
        }
        for (const { route, waitedMs } of measureBlockers(reported, firstByteMs))
          addWait(sums, redact(route), waitedMs);
        add(second.workers, reported.worker, MAX_WORKERS);
        if (second.workers[reported.worker])
          for (const [key, amount] of Object.entries(reported.pools ?? {}))
            add(second.counters, `${POOLS}${reported.worker}.${key}`, Infinity, amount);
        if (isRouted) entry.isRouted = true;
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

/**
 * @param {Record<string, number>} counts
 * @param {string} name
 * @param {number} most
 */
function add(counts, name, most, amount = 1) {
  const key = keyOf(counts, name, most);
  counts[key] = (counts[key] ?? 0) + amount;
}

/**
 * @param {ServerSums} sums
 * @param {string} route whose steps kept the loop
 * @param {number} ms
 */
function addWait(sums, route, ms) {
  sums.waited ??= {};
  addServer(sums.waited, { [keyOf(sums.waited, route, MAX_ROUTES)]: { count: 1, ms } });
}

/**
 * @param {Record<string, unknown>} known
 * @param {string} name
 * @param {number} most
 */
function keyOf(known, name, most) {
  return known[name] !== undefined || Object.keys(known).length < most ? name : '(others)';
}

// -- The companion's entries in a response's Server-Timing (`companion/loadflame/`).

/** There may be entries of others before and after; without a worker they are not the companion's. */
const OURS =
  /total;dur=(\d+(?:\.\d+)?), (?:cpu;dur=(\d+(?:\.\d+)?), )?(?:blocked;dur=(\d+(?:\.\d+)?), blocked-cpu;dur=(\d+(?:\.\d+)?), )?worker;desc="([0-9a-f]{8}(?:-\d{1,10})?\.\d{1,10})"(?:, around;dur=(\d+(?:\.\d+)?))?(?:, ended;dur=(\d+(?:\.\d+)?))?(?:, now;dur=(\d{12,14}(?:\.\d+)?))?(?:, companion;desc="[\w.+-]{1,30}")?(?:, pools;desc="(\d{1,6}) ([\w: ]{1,300})")?(?:, gc;desc="([\w.+-]{1,30}) ([\w: ]{1,300}) o(\d{1,10})")?(?:, paused;dur=(\d{1,9}(?:\.\d+)?))?((?:, blocker;dur=\d{1,9}(?:\.\d)?;desc="\d{1,9}(?:\.\d)? [^"]{1,260}"){0,5})/;
const BLOCKER = /dur=([\d.]+);desc="([\d.]+) ([A-Za-z-]{1,20} [^"]+)"/g;

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
    endedMs: match[7] === undefined ? null : Number(match[7]),
    nowMs: match[8] === undefined ? null : Number(match[8]),
    pools: match[9] ? parsePools(Number(match[9]), match[10] ?? '') : null,
    gc: match[11] ? parseCollections(match[11], match[12] ?? '', Number(match[13])) : null,
    pausedMs: Number(match[14] ?? 0),
    blockers: [...(match[15] ?? '').matchAll(BLOCKER)].map(([, ms, agoMs, route = '']) => {
      return { route: route.replaceAll('\\x3b', ';'), ms: Number(ms), agoMs: Number(agoMs) };
    }),
  };
}

const ROUTE =
  /, companion;desc="[\w.+-]{1,30}"(?:, pools;desc="[\w: ]{1,310}")?(?:, gc;desc="[\w.+: -]{1,350}")?(?:, paused;dur=[\d.]{1,20})?(?:, blocker;dur=[\d.]{1,20};desc="[^"]{1,290}"){0,5}, route;desc="(\/[!#-~]{0,199})"/;

/** The route that the server's framework found: `/posts/:id`. @param {string | null} timing */
export const readRoute = timing => (timing && ROUTE.exec(timing)?.[1]) || null;

/** "anyio:12:480:480:240": of each pool the numbers of `POOL_SUMS`. */
const POOL_SUMS = ['n', 'size', 'inUse', 'waiting'];
const POOL =
  /\b((?:gthread|anyio|to_thread|executor|processes|semaphore|connections)\d?):(\d{1,9}):(\d{1,9}):(\d{1,9}):(\d{1,9})\b/g;

/** @param {number} instants @param {string} text */
function parsePools(instants, text) {
  /** @type {Record<string, number>} */
  const sums = { 'all.n': instants };
  for (const [, name, ...numbers] of text.matchAll(POOL))
    for (const [at, key] of POOL_SUMS.entries()) sums[`${name}.${key}`] = Number(numbers[at]);
  return sums;
}

/** "r2:1:90000:90100": of requests (r) or of none (n), generation, number, CPU time, and the longest, in us. */
const COLLECTION = /\b([rn][0-2]):(\d{1,7}):(\d{1,10}):(\d{1,10})\b/g;

/**
 * @param {string} python version
 * @param {string} text
 * @param {number} objects 0: not counted
 * @returns {Collections}
 */
function parseCollections(python, text, objects) {
  const sums = [...text.matchAll(COLLECTION)].map(([, key = '', ...numbers]) => {
    const [count = 0, cpuUs = 0, longestUs = 0] = numbers.map(Number);
    return [key, { count, cpuUs, longestUs }];
  });
  return { python, objects, sums: Object.fromEntries(sums) };
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
      id = hash('sha256', value).slice(0, 8);
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
