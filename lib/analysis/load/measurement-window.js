/** Which seconds of a load are measured, after a warm-up. */
import { ofKind } from '../../run/ndjson.js';
import { SECOND_MS } from '../read/load/build-grid.js';

/** @import { RunRecords } from '../read/read-run.js' */
/** @import { LoadPart } from '../read/load/load-totals.js' */

/** @typedef {import('../../run/facts/records.d.ts').RecordOf<'metrics', 'phase-start'>} PhaseStart */

/** A window of whole seconds of the load. @typedef {LoadPart & {phase: PhaseStart}} Plateau */

/**
 * The last phase of a name, without seconds at its ends that are only partly inside: everything is counted per
 * second.
 * @param {Pick<RunRecords, 'load'>} records
 * @param {string} name
 * @returns {Plateau | null} null where no whole second of such a phase was recorded
 */
export function findMeasurementWindow(records, name) {
  const found = findPhase(records, name);
  if (!found) return null;
  const { test, phase } = found;
  const startMs = Math.ceil(phase.t / SECOND_MS) * SECOND_MS;
  const endMs = Math.floor(findEndMs(test, phase) / SECOND_MS) * SECOND_MS;
  if (endMs <= startMs) return null;
  const seconds = ofKind(test.records, 'second').filter(
    ({ fromMs }) => fromMs >= startMs && fromMs < endMs,
  );
  return { test, phase, window: { startMs, endMs }, seconds };
}

/** @param {Pick<RunRecords, 'load'>} records @param {string} wanted @returns {Pick<Plateau, 'test' | 'phase'> | null} */
export function findPhase({ load }, wanted) {
  for (const test of load.tests.toReversed()) {
    const phase = ofKind(test.records, 'phase-start').findLast(({ name }) => name === wanted);
    if (phase) return { test, phase };
  }
  return null;
}

/**
 * A load that was stopped or killed has no `phase-end`: its last second is then the end.
 * @param {Plateau['test']} test @param {PhaseStart} phase
 */
function findEndMs({ records, end, lastSecondMs }, { index, spec, t }) {
  const recorded = records.find(record => record.kind === 'phase-end' && record.index === index);
  const endMs = recorded?.t ?? end?.t ?? (lastSecondMs ?? t) + SECOND_MS;
  return Math.min(endMs, t + (Number(spec?.duration) || Infinity) * SECOND_MS);
}
