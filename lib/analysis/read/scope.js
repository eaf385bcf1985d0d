/** Which time all figures of a run cover. */
import { least, most } from '../../base/math/summary.js';
import { ofKind } from '../../run/ndjson.js';
import { findLoadWindow, spanOf } from './load/load-totals.js';
import { findSampling, measureSegments } from './read-run-profile.js';

/** @import { TimeRange } from '../../base/math/estimate.d.ts' */
/** @import { ArtilleryReport } from '../../run/facts/records.d.ts' */
/** @import { ProfileReport } from '../../run/facts/profile-report.d.ts' */
/** @import { RunRecords } from './read-run.js' */

/**
 * @typedef {object} Scope
 * @property {TimeRange | null} window
 * @property {TimeRange[]} windows in which samples, CPU time and requests count
 * @property {NonNullable<ProfileReport['segments']>} segments of the recording in it
 */

/** @param {RunRecords} records @returns {Scope} */
export function findScope({ load, artillery, segments: all, processes }) {
  const ofLoad = listLoadWindows(load, artillery);
  const { window, ...segments } = measureSegments(all, spanOf(ofLoad) ?? spanOfWorkers());
  return { window, windows: ofLoad.length > 0 || !window ? ofLoad : [window], segments };

  /** @returns {TimeRange | null} null: the profiler's recording sets it */
  function spanOfWorkers() {
    const times = findSampling(all) ? [] : listWorkerSamples(processes).map(({ t }) => t);
    return times.length > 0 ? { startMs: least(times), endMs: most(times) } : null;
  }
}

/** @param {RunRecords['load']} load @param {RunRecords['artillery']} [artillery] @returns {TimeRange[]} */
export function listLoadWindows({ tests, window }, artillery) {
  if (artillery && tests.length > 0) return [readWindow(artillery)];
  return window ? [window] : tests.flatMap(test => findLoadWindow(test) ?? []);
}

/** @param {ArtilleryReport} json that `artillery run --output` wrote @returns {TimeRange} */
export function readWindow({ aggregate }) {
  const startMs = Number(aggregate.firstCounterAt ?? aggregate.firstMetricAt ?? 0);
  const lastMs = Number(aggregate.lastCounterAt ?? aggregate.lastMetricAt ?? 0);
  return { startMs, endMs: Math.max(startMs + 1, lastMs) };
}

/** What the operating system counted for workers. @param {RunRecords['processes']} processes */
export const listWorkerSamples = processes =>
  ofKind(processes, 'sample').filter(({ role }) => role === 'worker');
