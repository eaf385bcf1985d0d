/** Which cell of a study comes next: pure, from the plan and the journal. */
import { isGeneratorLimit } from '../study/analysis/bottleneck/generator-limit.js';
import { listServers, listSteps, matchesFactors } from '../study/analysis/matrix.js';
import { judgeStop } from '../study/analysis/stop-rule.js';

/** @import { Load } from '../../run/facts/study-file.d.ts' */
/** @import { Block, CellFigures, CellKey, CellOutcome, JournalRecord, StopReason, StudyPlan, Variant } from '../../run/facts/study-records.d.ts' */

/** @typedef {CellKey & {folder: string | null} & CellOutcome} EndedCell */

/**
 * The strategy of a study: its blocks, one after the other.
 * @param {StudyPlan} plan
 * @param {JournalRecord[]} records of the journal
 * @returns {{block: Block, cell: CellKey | null} | {end: 'complete'}} `cell` null: the block ends
 */
export function nextCell(plan, records) {
  const block = plan.blocks.find(one => !hasEnded(records, one));
  return block ? { block, ...chooseNextCell(plan, block, records) } : { end: 'complete' };
}

/**
 * Steps ascend. With *until saturated*, the first good block of a variant decides where they end, and later blocks
 * run the same steps. The profile comes last in that first block.
 * @param {StudyPlan} plan
 * @param {Block} block
 * @param {JournalRecord[]} records of the journal
 * @returns {{cell: CellKey, stop: null} | {cell: null, stop: StopReason | null}} `stop`: why the steps
 *   ended before the last
 */
export function chooseNextCell(plan, { variant, repeat }, records) {
  const ended = listEndedCells(records, variant).filter(cell => cell.repeat === repeat);
  const measured = ended.filter(({ purpose }) => purpose === 'measure');
  const decided = findDecidedSteps(records, { variant, repeat });
  const { load } = plan.study;
  const stop = decided || !load.untilSaturated ? null : findStop(measured, load);
  const steps = decided ?? listSteps(load);
  const next = stop ? undefined : steps.find(step => !measured.some(cell => cell.step === step));
  if (next !== undefined)
    return { cell: { variant, repeat, step: next, purpose: 'measure' }, stop: null };
  const best = findBest(measured);
  const isProfileDue =
    isProfiled(plan, variant) &&
    !decided &&
    best !== null &&
    !ended.some(({ purpose }) => purpose === 'profile');
  if (isProfileDue)
    return { cell: { variant, repeat, step: best, purpose: 'profile' }, stop: null };
  if (stop || decided || !load.untilSaturated) return { cell: null, stop };
  return { cell: null, stop: { id: 'most', facts: { step: steps.at(-1) ?? 0 } } };
}

/**
 * @param {JournalRecord[]} records
 * @param {string} [variant] only of this one
 * @returns {EndedCell[]} in the order in which they ended
 */
export function listEndedCells(records, variant) {
  return records
    .filter(record => record.kind === 'cell-end')
    .filter(cell => variant === undefined || cell.variant === variant);
}

/** @param {JournalRecord[]} records @param {Block} block */
export function hasEnded(records, { variant, repeat }) {
  return records.some(
    record => record.kind === 'block-end' && record.variant === variant && record.repeat === repeat,
  );
}

/**
 * The steps of a variant, once a block has ended without a failure.
 * @param {JournalRecord[]} records
 * @param {Block} block that asks; it is not itself counted
 * @returns {number[] | null} ascending; null: not decided yet
 */
function findDecidedSteps(records, { variant, repeat }) {
  const end = records.find(
    record =>
      record.kind === 'block-end' &&
      record.variant === variant &&
      record.repeat !== repeat &&
      record.failure === null,
  );
  if (end?.kind !== 'block-end') return null;
  return listEndedCells(records, variant)
    .filter(cell => cell.repeat === end.repeat && cell.purpose === 'measure')
    .map(({ step }) => step);
}

/** @param {EndedCell[]} cells @param {Load} load @returns {StopReason | null} */
function findStop(cells, load) {
  const points = cells.flatMap(cell =>
    // A spike's step is only a part of the load.
    cell.outcome === 'measured' ? [toPoint((load.base ?? 0) + cell.step, cell.figures)] : [],
  );
  return judgeStop(points, load.stop);
}

/** @param {number} step whole load @param {CellFigures} figures */
function toPoint(step, figures) {
  const { throughputPerSec, latency, requests, errors, users } = figures;
  const arrivals = users.created + users.skipped;
  return {
    step,
    throughputPerSec,
    p95Ms: latency?.p95Ms ?? null,
    errorRate: requests > 0 ? errors / requests : 0,
    skippedRate: arrivals > 0 ? users.skipped / arrivals : 0,
    isGeneratorLimit: isGeneratorLimit(figures),
    requests,
  };
}

/** The step with the highest throughput. @param {EndedCell[]} cells */
function findBest(cells) {
  const rateOf = (/** @type {EndedCell} */ cell) =>
    cell.outcome === 'measured' ? cell.figures.throughputPerSec : -1;
  const [best] = cells.toSorted((a, b) => rateOf(b) - rateOf(a));
  return best?.outcome === 'measured' ? best.step : null;
}

/**
 * @param {StudyPlan} plan
 * @param {string} id
 * @returns {Variant}
 */
export function findVariant({ variants }, id) {
  const variant = variants.find(one => one.id === id);
  if (!variant) throw new TypeError(`the plan has no variant ${id}`);
  return variant;
}

/**
 * Does a variant get a cell with py-spy? The study must ask for one, and the variant must have a gunicorn.
 * @param {StudyPlan} plan
 * @param {string} id
 */
function isProfiled(plan, id) {
  const { record, target, services } = plan.study;
  if (record.profile === 'off') return false;
  return listServers(target).some(server => {
    if (!('service' in server)) return true;
    const service = services.find(({ name }) => name === server.service);
    return matchesFactors(service?.when ?? null, findVariant(plan, id).factors);
  });
}
