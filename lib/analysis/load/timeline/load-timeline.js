/** The load over the windows of a run. */
import { mean, sum } from '../../../base/math/summary.js';
import { listServerIds } from '../../read/load/endpoints.js';
import { packSketches } from '../../sample-table/pack.js';
import { findSpike } from './find-spike.js';

/** @import { Timeline } from '../../../run/facts/timeline.d.ts' */
/** @import { EndpointSum } from '../../read/load/endpoints.js' */
/** @import { LoadSeries } from '../../read/load/load-series.js' */

/** The load of each window, as the Report shows it. @param {LoadSeries} series @returns {NonNullable<Timeline['load']>} */
export function buildLoadTimeline({ edgesMs, latencyOf, windows, endpoints: byName }) {
  const ids = listServerIds([...byName.values()].flat());
  return {
    requests: windows.map(({ requests }) => requests),
    errors: windows.map(({ errors }) => errors),
    answered: listAnswered(windows),
    usersActive: windows.map(({ users }) => (users.size > 0 ? mean([...users.values()]) : null)),
    latencyOf: latencyOf,
    p50Ms: windows.map(({ latency }) => latency.quantile(0.5)),
    p95Ms: windows.map(({ latency }) => latency.quantile(0.95)),
    p99Ms: windows.map(({ latency }) => latency.quantile(0.99)),
    endpoints: [...byName].map(([name, own]) => ({
      name,
      requests: own.map(({ requests }) => requests),
      errors: own.map(({ errors }) => errors),
      answered: listAnswered(
        own.map(({ requests, codes }) => ({ requests, answered: sum(Object.values(codes)) })),
      ),
      measured: listMeasured(own),
      ...listSums(own, ids),
      ...listCollected(own),
    })),
    spike: findSpike(
      edgesMs,
      [...byName].map(([name, own]) => ({
        name,
        requests: own.map(({ requests }) => requests),
        latency: own.map(window => (latencyOf === 'total' ? window.total : window.timeToFirstByte)),
      })),
    ),
    latency: packSketches(listSketches([...byName.values()].flat())),
  };
}

/** @param {{requests: number, answered: number}[]} windows */
function listAnswered(windows) {
  return windows.some(({ requests, answered }) => answered !== requests)
    ? windows.map(({ answered }) => answered)
    : null;
}

/**
 * Where the server reports on some responses of a window, their mean counts for all of its responses.
 * @param {EndpointSum[]} windows @param {string[]} ofServer ids of the measures that servers report
 */
function listSums(windows, ofServer) {
  const ids = [...new Set(windows.flatMap(({ sums }) => Object.keys(sums)))];
  const sums = ids.map(id => [id, windows.map(own => own.sums[id] ?? 0)]);
  if (windows.some(({ server }) => server))
    for (const id of ofServer)
      sums.push([
        id,
        windows.map(({ server, codes }) =>
          server ? ((server.sums?.[id] ?? 0) / server.count) * sum(Object.values(codes)) : 0,
        ),
      ]);
  return sums.length > 0 && { sums: Object.fromEntries(sums) };
}

/** @param {EndpointSum[]} windows */
function listCollected(windows) {
  const all = windows.map(({ server }) => Object.values(server?.gc?.sums ?? {}));
  const collectedMs = all.map(own => sum(own.map(({ cpuUs }) => cpuUs)) / 1000);
  return collectedMs.some(ms => ms > 0) && { collectedMs };
}

/** Responses for each that was alone in its worker: with more, its mean would cover other responses. */
const MOST_PER_ALONE = 1.1;

/** If one response lacks thread CPU, the sum would cover other responses. @param {EndpointSum[]} windows */
function listMeasured(windows) {
  const none = { count: 0, cpuMs: 0, aroundMs: 0, ended: { count: 0, ms: 0 } };
  const sums = windows.map(({ server }) => ({ ...none, ...server }));
  if (sums.every(({ count }) => count === 0) || sums.some(({ cpuMs }) => cpuMs === null))
    return null;
  const round = (/** @type {number} */ ms) => Number(ms.toFixed(3));
  const perAlone = sum(sums.map(({ count }) => count)) / sum(sums.map(({ ended }) => ended.count));
  const isKnown = perAlone <= MOST_PER_ALONE;
  const endedMs = sums.map(({ ended }) => (isKnown ? round(ended.ms * perAlone) : 0));
  return {
    answers: sums.map(({ count }) => count),
    cpuMs: sums.map(({ cpuMs, aroundMs }, at) =>
      round((cpuMs ?? 0) + aroundMs + (endedMs[at] ?? 0)),
    ),
    aroundMs: sums.map(({ aroundMs }) => round(aroundMs)),
    ...(isKnown && { endedMs }),
  };
}

/** One by one, so that only one is in memory as JSON. @param {EndpointSum[]} windows */
function* listSketches(windows) {
  for (const { timeToFirstByte, total } of windows) {
    yield timeToFirstByte.toJson();
    yield total.toJson();
  }
}
