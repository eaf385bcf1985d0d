/** Which seconds of a cell are measured. */
import { splitLoadTests } from '../../analysis/load-windows.js';

const SECOND_MS = 1000;
/** The phase after the warm-up, in the scripts of cells. */
export const PLATEAU = 'plateau';

/**
 * @typedef {object} Plateau
 * @property {import('../../analysis/load-windows.js').LoadTest} test
 * @property {Record<string, any>} phase its `phase-start` record
 * @property {import('../../analysis/report.d.ts').TimeRange} window whole seconds
 * @property {Record<string, any>[]} seconds the `second` records of the window
 */

/**
 * The last phase that is named `plateau`, without the seconds at its ends that are only partly in it:
 * what is counted is counted per second.
 * @param {Record<string, any>[]} metrics
 * @returns {Plateau | null} null where no whole second of such a phase was recorded
 */
export function findPlateau(metrics) {
  for (const test of splitLoadTests(metrics).reverse()) {
    const phase = test.records.findLast(
      ({ kind, name }) => kind === 'phase-start' && name === PLATEAU,
    );
    if (!phase) continue;
    const window = {
      startMs: Math.ceil(phase.t / SECOND_MS) * SECOND_MS,
      endMs: Math.floor(findEndMs(test, phase) / SECOND_MS) * SECOND_MS,
    };
    if (window.endMs <= window.startMs) return null;
    const seconds = test.records.filter(
      ({ kind, fromMs }) => kind === 'second' && fromMs >= window.startMs && fromMs < window.endMs,
    );
    return { test, phase, window, seconds };
  }
  return null;
}

/**
 * A load that was stopped or killed has no `phase-end`; then its last second is the end.
 * @param {Plateau['test']} test @param {Record<string, any>} phase
 */
function findEndMs({ records, end }, phase) {
  const { index, spec, t } = phase;
  const last = records.findLast(({ kind }) => kind === 'second');
  const told = records.find(record => record.kind === 'phase-end' && record.index === index);
  const endMs = told?.t ?? end?.t ?? (last?.fromMs ?? t) + SECOND_MS;
  return Math.min(endMs, t + (Number(spec?.duration) || Infinity) * SECOND_MS);
}
