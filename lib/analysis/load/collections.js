/** Garbage collections of the workers: what they cost, and which requests paid. */
import { countInterval, mapEstimate } from '../../base/math/intervals.js';
import { most, sum } from '../../base/math/summary.js';
import { addServer } from '../../run/server-sums.js';

/** @import { Estimate } from '../../base/math/estimate.d.ts' */
/** @import { CollectionsReport, CollectionSums } from '../../run/facts/load-report.d.ts' */
/** @import { Report } from '../../run/facts/report.d.ts' */
/** @import { Collections } from '../../run/facts/records.d.ts' */
/** @import { Endpoints } from '../read/load/endpoints.js' */

const GENERATIONS = [0, 1, 2];

/** @param {Endpoints} load @returns {CollectionsReport | null} null: none was reported */
export function buildCollections(load) {
  const servers = load.list().flatMap(({ name }) => {
    const { server } = load.of(name);
    return server ? [{ name, ...server }] : [];
  });
  /** @type {Collections | undefined} */
  let all;
  for (const { gc } of servers) if (gc) all = addServer(all ?? {}, gc);
  if (!all) return null;
  const whole = all;
  const endpoints = servers.flatMap(({ name, count: requests, cpuMs, gc }) => {
    const own = gc && sumUp(gc, key => key.startsWith('r'));
    return gc && own?.count ? [{ name, requests, ...own, share: shareOf(gc, [cpuMs]) }] : [];
  });
  const costs = servers.map(({ cpuMs }) => cpuMs);
  return {
    python: whole.python,
    objects: whole.objects || null,
    share: shareOf(whole, costs),
    generations: GENERATIONS.map(own => sumUp(whole, key => key.endsWith(`${own}`))),
    endpoints: endpoints.sort((a, b) => b.cpuMs - a.cpuMs),
    outside: sumUp(whole, key => key.startsWith('n')),
  };
}

/** @param {Collections} collections @param {(key: string) => boolean} takes @returns {CollectionSums} */
function sumUp({ sums }, takes) {
  const own = Object.keys(sums).flatMap(key => (takes(key) ? (sums[key] ?? []) : []));
  return {
    count: sum(own.map(({ count }) => count)),
    cpuMs: sum(own.map(({ cpuUs }) => cpuUs)) / 1000,
    longestMs: Math.max(0, most(own.map(({ longestUs }) => longestUs))) / 1000,
  };
}

/**
 * Of those in requests. A few full collections can be nearly all of it, so the interval is that of how many there are.
 * @param {Collections} collections @param {(number | null)[]} cpuMs of the requests
 * @returns {Estimate | null} null: not known
 */
function shareOf({ sums }, cpuMs) {
  const known = cpuMs.flatMap(ms => ms ?? []);
  if (known.length < cpuMs.length || sum(known) === 0) return null;
  const own = Object.entries(sums).flatMap(([key, one]) => (key.startsWith('r') ? one : []));
  const share = (/** @type {(count: number) => number} */ likely) =>
    sum(own.map(({ count, cpuUs }) => (cpuUs / count) * likely(count))) / 1000 / sum(known);
  const high = Math.min(
    1,
    share(count => countInterval(count).high),
  );
  return { value: share(count => count), low: share(count => countInterval(count).low), high };
}

/**
 * The collector's own clock gives the CPU of full collections. Where samples of `gc.collect()` leave its share open, this
 * one is closer.
 * @template {Pick<Report, 'profile' | 'load' | 'cpu'>} F
 * @param {F} facts
 * @returns {F}
 */
export function countExplicit({ profile, ...facts }) {
  const { share, generations = [], endpoints = [] } = facts.load?.collections ?? {};
  const { requests = 0, perRequest = null } = facts.cpu ?? {};
  const cpuOf = (/** @type {CollectionSums[]} */ some) => sum(some.map(({ cpuMs }) => cpuMs));
  const full = cpuOf(endpoints) * (cpuOf(generations.slice(2)) / cpuOf(generations));
  const value = full / ((requests ?? 0) * (perRequest?.value ?? 0));
  const causes = profile?.causes.map(cause => {
    const { low, high } = cause.share;
    const isOpen = value >= (low ?? value) && value <= (high ?? value);
    if (cause.id !== 'explicit-garbage-collection' || !share || !perRequest || !isOpen)
      return cause;
    const counted = mapEstimate(share, own => Math.min(1, (own * value) / share.value));
    const cpuMsPerRequest = mapEstimate(counted, own => own * perRequest.value);
    return { ...cause, share: counted, cpuMsPerRequest };
  });
  return /** @type {any} */ ({ ...facts, profile: profile && { ...profile, causes } });
}
