/** Which seconds of a cell are measured. */
import { streamMetrics } from '../../analysis/read-run.js';

/** @import { LoadTest } from '../../analysis/load/load-totals.js' */
/** @import { RunRecords } from '../../analysis/read-run.js' */
/** @import { TimeRange } from '../../analysis/report.d.ts' */

const SECOND_MS = 1000;
/** The phase after the warm-up, in the scripts of cells. */
export const PLATEAU = 'plateau';

/**
 * @typedef {object} Plateau
 * @property {LoadTest} test
 * @property {Record<string, any>} phase its `phase-start` record
 * @property {TimeRange} window whole seconds
 * @property {Record<string, any>[]} seconds the `second` records of the window
 */

/**
 * The last phase that is named `plateau`, without the seconds at its ends that are only partly in it:
 * what is counted is counted per second.
 * @param {Pick<RunRecords, 'files' | 'manifest' | 'load' | 'metricsBytes'>} records
 * @returns {Promise<Plateau | null>} null where no whole second of such a phase was recorded
 */
export async function findMeasurementWindow(records) {
  for (const test of records.load.tests.toReversed()) {
    const phase = test.records.findLast(
      ({ kind, name }) => kind === 'phase-start' && name === PLATEAU,
    );
    if (!phase) continue;
    const window = {
      startMs: Math.ceil(phase.t / SECOND_MS) * SECOND_MS,
      endMs: Math.floor(findEndMs(test, phase) / SECOND_MS) * SECOND_MS,
    };
    if (window.endMs <= window.startMs) return null;
    const seconds = [];
    for await (const record of streamMetrics(records)) {
      const { kind, fromMs } = record;
      if (kind === 'second' && fromMs >= window.startMs && fromMs < window.endMs)
        seconds.push(record);
    }
    return { test, phase, window, seconds };
  }
  return null;
}

/**
 * A load that was stopped or killed has no `phase-end`; then its last second is the end.
 * @param {Plateau['test']} test @param {Record<string, any>} phase
 */
function findEndMs({ records, end, lastSecondMs }, phase) {
  const { index, spec, t } = phase;
  const recorded = records.find(record => record.kind === 'phase-end' && record.index === index);
  const endMs = recorded?.t ?? end?.t ?? (lastSecondMs ?? t) + SECOND_MS;
  return Math.min(endMs, t + (Number(spec?.duration) || Infinity) * SECOND_MS);
}
