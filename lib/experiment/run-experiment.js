/** Measures what a strategy asks for, until the strategy ends, the time is over, or the user interrupts it. */
import { throwIfInterrupted } from '../base/process/interruptible.js';

/** @typedef {'time' | 'interrupted' | 'failed'} OwnEnd */
/** @import { ExperimentFolder } from './experiment-folder.js' */

/**
 * @template {object} Next
 * @template {string} End
 * @param {Pick<ExperimentFolder, 'runs' | 'earlierMs' | 'stays' | 'redactError' | 'end'>} folder is closed at the end
 * @param {object} experiment
 * @param {() => Next | {end: End}} experiment.next the strategy: pure, from everything that was measured
 * @param {(next: Next, leftMs: number) => Promise<void>} experiment.measure
 * @param {(next: Next) => number} [experiment.estimateMs] how long `measure` takes
 * @param {number} [experiment.maxMs] starts nothing that would end later
 * @param {() => Promise<void>} [experiment.close] stops what `measure` started, also after a failure
 * @param {AbortSignal} experiment.signal
 * @returns {Promise<{end: End | OwnEnd, elapsedMs: number, failure: unknown}>} why it ended, with what `measure` threw;
 *   time of all attempts
 * @throws {LoadflameError} where no run was measured and no folder stays: INTERRUPTED, or what `measure` throws
 */
export async function runExperiment(folder, experiment) {
  const { next, measure, estimateMs = () => 0, maxMs = Infinity, close, signal } = experiment;
  const startedMs = Date.now();
  const proceed = async () => {
    for (;;) {
      const chosen = next();
      if ('end' in chosen) return /** @type {{end: End}} */ (chosen).end;
      const leftMs = startedMs + maxMs - Date.now();
      if (leftMs < estimateMs(chosen)) return 'time';
      await measure(chosen, leftMs);
    }
  };
  /** @type {unknown} */
  let failure = null;
  /** @type {End | OwnEnd} */
  let end = 'failed';
  try {
    end = await proceed();
  } catch (error) {
    if (signal.aborted) end = 'interrupted';
    else failure = folder.redactError(error);
  } finally {
    try {
      await close?.();
    } finally {
      folder.end(end, failure);
    }
  }
  if (!folder.stays && folder.runs.length === 0 && (end === 'interrupted' || end === 'failed')) {
    throwIfInterrupted(signal);
    throw failure;
  }
  return { end, failure, elapsedMs: folder.earlierMs + Date.now() - startedMs };
}
