/** Measures the cells of a block: starts its target before the first, and stops it after the last. */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { throwIfInterrupted } from '../../../base/process/interruptible.js';
import { chooseNextCell } from '../../strategies/steps.js';
import { runCell } from './run-cell.js';
import { startTarget } from './start-target.js';

/** @import { Block, CellKey } from '../../../run/facts/study-records.d.ts' */
/** @import { EndedCell } from '../../strategies/steps.js' */
/** @import { Attempt } from './attempt.d.ts' */
/** @import { BlockTarget } from './start-target.js' */

/** A generator takes at least this long to start and sends nothing meanwhile, so that time counts as rest. */
const GENERATOR_START_MS = 1000;
/** These end the study and not just the block: the next block would fail the same way, and a fix is easy. */
const ENDS_STUDY = ['STUDY_PROGRAM_MISSING', 'PYSPY_MISSING', 'RUN_FOLDER_UNWRITABLE'];

/**
 * @typedef {object} OpenBlock
 * @property {BlockTarget | null} target
 * @property {string | null} failure why no further cell can run
 * @property {Promise<unknown>[]} rest must end before the next cell
 */

/**
 * @param {Attempt} attempt
 * @returns {{measure: (next: {block: Block, cell: CellKey | null}) => Promise<void>, close: () => Promise<void>}}
 *   `measure` throws INTERRUPTED, and errors that end the whole study
 */
export function createBlockRunner(attempt) {
  const { plan, opened, signal } = attempt;
  /** @type {OpenBlock | null} */
  let open = null;

  async function close() {
    await Promise.all(open?.rest ?? []);
    await open?.target?.stop();
    open = null;
  }

  /** @param {Block} block */
  async function end(block) {
    const failure = open?.failure ?? null;
    await close();
    const { stop } = chooseNextCell(plan, block, opened.records);
    opened.append({ kind: 'block-end', ...block, stop, failure });
  }

  return {
    close,
    async measure({ block, cell }) {
      if (!cell) return end(block);
      open ??= await startBlock(attempt, block);
      // Nothing else runs while a cell is measured.
      await Promise.all(open.rest);
      throwIfInterrupted(signal);
      const { target, failure } = open;
      if (target && failure === null) {
        open.rest = await measureCell(attempt, target, cell);
        return;
      }
      const outcome = { outcome: /** @type {const} */ ('failed'), reason: failure ?? '' };
      endCell(attempt, { ...cell, ...outcome, folder: null });
      // If the load rises until saturation, only the next step is known.
      if (plan.study.load.untilSaturated) await end(block);
    },
  };
}

/**
 * @param {Attempt} attempt
 * @param {Block} block
 * @returns {Promise<OpenBlock>}
 */
async function startBlock(attempt, block) {
  attempt.opened.append({ kind: 'block-start', ...block });
  /** @type {OpenBlock} */
  const open = { target: null, failure: null, rest: [] };
  try {
    open.target = await startTarget(attempt, block);
    void open.target.failure.then(({ message }) => {
      open.failure = message;
    });
  } catch (error) {
    throwIfInterrupted(attempt.signal);
    const { code, message } = /** @type {Error & {code?: string}} */ (error);
    if (code !== undefined && ENDS_STUDY.includes(code)) throw error;
    open.failure = message;
  }
  return open;
}

/**
 * @param {Attempt} attempt
 * @param {BlockTarget} target
 * @param {CellKey} cell
 * @returns {Promise<Promise<unknown>[]>} what must end before the next cell
 */
async function measureCell(attempt, target, cell) {
  const { plan, opened, signal, files } = attempt;
  const onProgress = attempt.cellBegins(cell);
  opened.append({ kind: 'cell-start', ...cell });
  const outcome = await runCell(attempt, target, cell, onProgress);
  const restMs = Math.max(0, plan.study.settleSec * 1000 - GENERATOR_START_MS);
  const settled = sleep(restMs, undefined, { signal }).catch(() => {});
  endCell(attempt, { ...cell, ...outcome });
  const { folder } = outcome;
  return [settled, ...(folder === null ? [] : [attempt.report(path.join(files.folder, folder))])];
}

/** @param {Attempt} attempt @param {EndedCell} cell */
function endCell({ opened, cellEnds }, cell) {
  opened.append({ kind: 'cell-end', ...cell });
  cellEnds(cell);
}
