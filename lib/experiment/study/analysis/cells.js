/** The state of each planned cell, from the journal: measured, failed, or missing. */

/** @import { Block, CellFigures, CellKey, JournalRecord, StopReason, StudyPlan } from '../../../run/facts/study-records.d.ts' */
/** @import { CellRow } from '../../../run/facts/study-report.d.ts' */

/**
 * @typedef {CellKey & {
 *   folder: string | null,
 *   outcome: 'measured' | 'failed' | 'missing',
 *   reason: string | null,
 *   figures: CellFigures | null,
 * }} Cell
 */

/**
 * @typedef {object} Cells
 * @property {Cell[]} all in the order of variants, steps, repeats
 * @property {(variant: string) => Cell[]} measuredOf without the profiled one
 * @property {(variant: string) => Cell | null} profiledOf
 * @property {(variant: string) => StopReason | null} stopOf of its first block that has one
 * @property {string[]} failures of blocks: why their target could not be started
 */

/**
 * A cell that was retried counts by its last end, but once measured it stays measured.
 * @param {StudyPlan} plan
 * @param {JournalRecord[]} journal
 * @returns {Cells}
 */
export function collectCells(plan, journal) {
  /** @type {Map<string, Cell>} */
  const byKey = new Map();
  for (const record of journal) {
    if (record.kind !== 'cell-end') continue;
    const { kind: _, t: __, ...cell } = record;
    const key = keyOf(cell);
    if (byKey.get(key)?.outcome === 'measured' && cell.outcome !== 'measured') continue;
    byKey.set(key, { reason: null, figures: null, ...cell });
  }
  for (const cell of listExpected(plan, journal, [...byKey.values()])) {
    if (byKey.has(keyOf(cell))) continue;
    const none = { folder: null, reason: null, figures: null };
    byKey.set(keyOf(cell), { ...cell, ...none, outcome: 'missing' });
  }
  const order = plan.variants.map(({ id }) => id);
  const all = [...byKey.values()].sort(
    (a, b) =>
      order.indexOf(a.variant) - order.indexOf(b.variant) ||
      a.step - b.step ||
      a.purpose.localeCompare(b.purpose) ||
      a.repeat - b.repeat,
  );
  const blockEnds = listBlockEnds(journal);
  return {
    all,
    measuredOf: variant =>
      all.filter(cell => cell.variant === variant && cell.purpose === 'measure' && cell.figures),
    profiledOf: variant =>
      all.findLast(
        cell => cell.variant === variant && cell.purpose === 'profile' && cell.figures,
      ) ?? null,
    stopOf: variant =>
      blockEnds.find(end => end.variant === variant && end.stop !== null)?.stop ?? null,
    failures: [...new Set(blockEnds.flatMap(({ failure }) => failure ?? []))],
  };
}

/**
 * Cells of the plan. If a variant continues until it is saturated, its first finished block decides its steps; before
 * that, only the cells seen so far count.
 * @param {StudyPlan} plan @param {JournalRecord[]} journal @param {Cell[]} seen
 * @returns {CellKey[]}
 */
function listExpected({ study, blocks }, journal, seen) {
  const ends = listBlockEnds(journal);
  const { steps } = study.load;
  return blocks.flatMap(({ variant, repeat }) => {
    const isOwn = (/** @type {Block} */ one) => one.variant === variant && one.repeat === repeat;
    if (!Array.isArray(steps) && ends.some(end => isOwn(end) && end.failure !== null)) return [];
    const measured = seen.filter(cell => cell.variant === variant && cell.purpose === 'measure');
    const own = Array.isArray(steps) ? steps : new Set(measured.map(({ step }) => step));
    return [...own].map(step => ({ variant, repeat, step, purpose: 'measure' }));
  });
}

/** The last end of each block: a failed one may have run again. @param {JournalRecord[]} journal */
function listBlockEnds(journal) {
  const ends = journal.filter(record => record.kind === 'block-end');
  return [...new Map(ends.map(end => [`${end.variant} ${end.repeat}`, end])).values()];
}

/** @param {CellKey} cell */
function keyOf({ variant, repeat, step, purpose }) {
  return [variant, repeat, step, purpose].join(' ');
}

/** All cells as rows of the table. @param {Cell[]} cells @returns {CellRow[]} */
export function listRows(cells) {
  return cells.map(({ purpose: kind, figures, ...own }) => ({
    ...own,
    kind,
    throughputPerSec: figures?.throughputPerSec ?? null,
    dispatchPerSec: figures?.dispatchPerSec ?? null,
    drainSec: figures?.burst?.drainSec ?? null,
    p50Ms: figures?.latency?.p50Ms ?? null,
    p95Ms: figures?.latency?.p95Ms ?? null,
    p99Ms: figures?.latency?.p99Ms ?? null,
    errorRate: figures ? figures.errors / Math.max(1, figures.requests) : null,
    components: figures?.components ?? [],
    hostCores: figures?.host?.cores ?? null,
  }));
}
