/** One endpoint that came much more often for a while, and those that were slower meanwhile. */
import { mergeSketches } from '../../../base/math/sketch.js';
import { quantile, sum } from '../../../base/math/summary.js';
import { windowsOf } from '../../read/load/build-grid.js';

/** @import { Sketch } from '../../../base/math/sketch.js' */
/** @import { Spike } from '../../../run/facts/timeline.d.ts' */

/** @typedef {{name: string, requests: number[], latency: Sketch[]}} EndpointSeries per window */

/** Multiple of the usual rate, and requests a second above it: less is no spike. */
const SPIKE = 3;
const LEAST_PER_SEC = 5;
const LEAST_WINDOWS = 3;
const LEAST_MS = 3000;
/** Others that come more often too are no victims: which endpoint slowed which is then unknown. */
const STEADY = 1.5;
/** After a spike the queue is still being worked off: these windows count neither as spike nor as calm. */
const DRAIN_WINDOWS = 3;
export const LEAST_REQUESTS = 50;
const SLOWER = 2;
const LEAST_SLOWER_MS = 10;
/** Share of the spike's windows in which most requests were slower than usual. */
const MOST_WINDOWS = 0.8;

/**
 * Finds nothing where the other endpoints are requested more often as well. A spike is compared with the time before
 * it, because it leaves a queue behind. One at the start is compared with the time after it.
 * @param {number[]} edgesMs
 * @param {EndpointSeries[]} endpoints
 * @returns {Spike | null} null without a spike; `victims` is empty where it slowed no endpoint
 */
export function findSpike(edgesMs, endpoints) {
  const lengthsSec = windowsOf(edgesMs).map(({ startMs, endMs }) => (endMs - startMs) / 1000);
  const found = endpoints.map(one => judgeSpike(one, endpoints, { edgesMs, lengthsSec }));
  return found.find(spike => spike?.victims.length) ?? found.find(spike => spike !== null) ?? null;
}

/**
 * @param {EndpointSeries} one
 * @param {EndpointSeries[]} endpoints
 * @param {{edgesMs: number[], lengthsSec: number[]}} grid
 * @returns {Spike | null}
 */
function judgeSpike(one, endpoints, { edgesMs, lengthsSec }) {
  const rates = one.requests.map((n, at) => n / (lengthsSec[at] || 1));
  // What a spike leaves behind may last as long as everything before it, so the median does not show what is usual.
  const usual = quantile(rates, 0.25);
  const windows = [...rates.keys()].filter(
    at => (rates[at] ?? 0) >= Math.max(usual * SPIKE, usual + LEAST_PER_SEC),
  );
  const lengthOf = (/** @type {number[]} */ list) => sum(list.map(at => lengthsSec[at] ?? 0));
  const lengthMs = lengthOf(windows) * 1000;
  if (windows.length < LEAST_WINDOWS || lengthMs < LEAST_MS) return null;
  const isNear = (/** @type {number} */ at) =>
    windows.some(own => at >= own && at <= own + DRAIN_WINDOWS);
  const calm = lengthsSec.flatMap((_, at) => (isNear(at) ? [] : [at]));
  const before = calm.filter(at => at < (windows[0] ?? 0));
  const outside = before.length >= LEAST_WINDOWS ? before : calm;
  const others = endpoints.filter(other => other !== one);
  const countIn = (/** @type {EndpointSeries} */ { requests }, /** @type {number[]} */ list) =>
    sum(list.map(at => requests[at] ?? 0));
  const isSteady = others.every(other => {
    const [during, usually] = [windows, outside].map(list => countIn(other, list) / lengthOf(list));
    return (during ?? 0) <= Math.max((usually ?? 0) * STEADY, LEAST_PER_SEC);
  });
  if (outside.length < LEAST_WINDOWS || !isSteady) return null;
  const victims = others.flatMap(other => {
    const slower = compareLatency(other.latency, windows, outside);
    return slower ? [{ endpoint: other.name, p95Ms: slower }] : [];
  });
  return {
    endpoint: one.name,
    perSec: { usual, spike: countIn(one, windows) / lengthOf(windows) },
    startMs: edgesMs[windows[0] ?? 0] ?? 0,
    lengthMs,
    windows,
    outside,
    others: others.length,
    victims: victims.sort((a, b) => b.p95Ms.during - a.p95Ms.during),
  };
}

/**
 * @param {Sketch[]} latency per window @param {number[]} windows of the spike @param {number[]} outside
 * @returns {{outside: number, during: number} | null} p95, where it was clearly longer
 */
function compareLatency(latency, windows, outside) {
  const [before, during] = [outside, windows].map(list =>
    mergeSketches(list.flatMap(at => latency[at] ?? [])),
  );
  if (!before || !during || Math.min(before.count, during.count) < LEAST_REQUESTS) return null;
  const usual = before.quantile(0.5) ?? 0;
  const known = windows.flatMap(at => latency[at]?.quantile(0.5) ?? []);
  const slow = known.filter(ms => ms > usual);
  const [own, other] = [during.quantile(0.95) ?? 0, before.quantile(0.95) ?? 0];
  const isLonger = own >= other * SLOWER && own >= other + LEAST_SLOWER_MS;
  return isLonger && slow.length >= known.length * MOST_WINDOWS
    ? { outside: other, during: own }
    : null;
}
