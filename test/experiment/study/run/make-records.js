/** A plan of a study, and a journal of cells that nobody ran. */
import { planStudy } from '../../../../lib/experiment/study/plan-study.js';

/** @import { Load, Study } from '../../../../lib/run/facts/study-file.d.ts' */
/** @import { Block, CellFigures, CellKey, JournalRecord, StopReason, StudyPlan } from '../../../../lib/run/facts/study-records.d.ts' */

/**
 * @param {{steps: Load['steps'], variants?: string[], repeats?: number, profile?: boolean}} options
 * @returns {StudyPlan} blocks in the order of the variants
 */
export function makePlan({ steps, variants = ['a'], repeats = 1, profile = false }) {
  const study = /** @type {Study} */ (
    /** @type {unknown} */ ({
      name: 'made',
      factors: [],
      exclude: [],
      services: [],
      target: { url: 'http://127.0.0.1:1', gunicorn: { pid: '1' }, workers: null },
      load: {
        model: 'closed',
        steps,
        untilSaturated: !Array.isArray(steps),
        stop: { gain: 0.05, p95Ms: null, errors: 0.01, skipped: 0.01 },
      },
      warmUpSec: 1,
      durationSec: 4,
      settleSec: 1,
      repeats,
      seed: 1,
      record: { profile: profile ? 'plateau' : 'off', processes: [], probes: [] },
    })
  );
  const blocks = Array.from({ length: repeats }, (_, index) =>
    variants.map(variant => ({ variant, repeat: index + 1 })),
  ).flat();
  return {
    ...planStudy(study),
    variants: variants.map(id => ({ id, label: id, factors: {} })),
    blocks,
  };
}

export function makeRecords() {
  let t = 0;
  /** @type {JournalRecord[]} */
  const all = [];
  /** `a r1 16 profile` @type {string[]} */
  const cells = [];
  /** @type {(StopReason['id'] | null)[]} */
  const stops = [];
  return {
    all,
    cells,
    stops,
    begin() {
      all.push({ t, kind: 'attempt', pid: 1, pidStartTicks: 1, version: '1' });
    },
    /** @param {CellKey} cell @param {number | null} throughputPerSec null: it failed */
    endCell(cell, throughputPerSec) {
      t += 6000;
      const { variant, repeat, step, purpose } = cell;
      cells.push(`${variant} r${repeat} ${step}${purpose === 'profile' ? ' profile' : ''}`);
      const end = { t, kind: /** @type {const} */ ('cell-end'), ...cell, folder: null };
      if (throughputPerSec === null) all.push({ ...end, outcome: 'failed', reason: 'it broke' });
      else all.push({ ...end, outcome: 'measured', figures: makeFigures(throughputPerSec) });
    },
    /** @param {Block} block @param {StopReason | null} stop @param {string | null} [failure] */
    endBlock(block, stop, failure = null) {
      stops.push(stop?.id ?? null);
      all.push({ t, kind: 'block-end', ...block, stop, failure });
    },
  };
}

/** As much of them as the choice of cells asks for. @param {number} throughputPerSec */
function makeFigures(throughputPerSec) {
  return /** @type {CellFigures} */ (
    /** @type {unknown} */ ({
      throughputPerSec,
      requests: throughputPerSec * 4,
      errors: 0,
      latency: null,
      users: { created: 4, failed: 0, skipped: 0, activeMean: 4 },
      host: { cores: 1, cpus: 2 },
      generator: { cores: 0.2, utilization: 0.2, signs: [] },
    })
  );
}
