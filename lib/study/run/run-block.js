/** A block is one variant, run once: starts its target, runs its steps, stops the target. */

import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { throwIfInterrupted } from '../../process/interruptible.js';
import { chooseNextCell } from './choose-next-cell.js';
import { runCell } from './run-cell.js';
import { startTarget } from './start-target.js';

/** @import { Block, CellKey } from '../../facts/study-records.d.ts' */
/** @import { Attempt } from './attempt.d.ts' */
/** @import { BlockTarget } from './start-target.js' */

/** A generator takes at least this long to start and sends nothing meanwhile, so that time counts as rest. */
const GENERATOR_START_MS = 1000;
/** These end the study and not just the block: the next block would fail the same way, and a fix is easy. */
const ENDS_STUDY = ['STUDY_PROGRAM_MISSING', 'PYSPY_MISSING', 'RUN_FOLDER_UNWRITABLE'];

/**
 * @param {Attempt} attempt
 * @param {Block} block
 * @throws {LoadflameError} INTERRUPTED, and errors that end the whole study
 */
export async function runBlock(attempt, block) {
  const { plan, journal, signal } = attempt;
  const choose = () => chooseNextCell(plan, block, journal.records);
  /** @type {BlockTarget | null} */
  let target = null;
  /** @type {string | null} */
  let failure = null;
  if (choose().cell) {
    journal.append({ kind: 'block-start', ...block });
    try {
      target = await startTarget(attempt, block);
    } catch (error) {
      throwIfInterrupted(signal);
      failure = reasonOf(error);
    }
  }
  try {
    if (target) failure = await runCells(attempt, target, choose);
    if (failure !== null) failCells(attempt, failure, choose);
  } finally {
    await target?.stop();
  }
  journal.append({ kind: 'block-end', ...block, stop: choose().stop, failure });
}

/**
 * @param {Attempt} attempt
 * @param {BlockTarget} target
 * @param {() => {cell: CellKey | null}} choose
 * @returns {Promise<string | null>} why no further cell can run; null when all ran
 */
async function runCells(attempt, target, choose) {
  const { plan, journal, signal } = attempt;
  /** @type {string | null} */
  let died = null;
  void target.failure.then(error => {
    died = error.message;
  });
  /** @type {Promise<unknown> | null} */
  let rest = null;
  for (let { cell } = choose(); cell; { cell } = choose()) {
    // Nothing else runs while a cell is measured.
    await rest;
    throwIfInterrupted(signal);
    if (died !== null) return died;
    const onProgress = attempt.cellBegins(cell);
    journal.append({ kind: 'cell-start', ...cell });
    const outcome = await runCell(attempt, target, cell, onProgress);
    const restMs = Math.max(0, plan.study.settleSec * 1000 - GENERATOR_START_MS);
    const settled = sleep(restMs, undefined, { signal }).catch(() => {});
    journal.append({ kind: 'cell-end', ...cell, ...outcome });
    attempt.cellEnds({ ...cell, ...outcome });
    const report =
      outcome.folder === null
        ? null
        : attempt.report(path.join(attempt.files.folder, outcome.folder));
    rest = Promise.all([settled, report]);
  }
  await rest;
  return null;
}

/**
 * Records the cells that can't run. If the load rises until saturation, only the next step is known.
 * @param {Attempt} attempt
 * @param {string} reason
 * @param {() => {cell: CellKey | null}} choose
 */
function failCells({ plan, journal, cellEnds }, reason, choose) {
  for (let { cell } = choose(); cell; { cell } = choose()) {
    const end = { ...cell, folder: null, outcome: /** @type {const} */ ('failed'), reason };
    journal.append({ kind: 'cell-end', ...end });
    cellEnds(end);
    if (plan.study.load.untilSaturated) return;
  }
}

/** @param {unknown} error @returns {string} */
function reasonOf(error) {
  const { code, message } = /** @type {Error & {code?: string}} */ (error);
  if (code !== undefined && ENDS_STUDY.includes(code)) throw error;
  return message;
}
