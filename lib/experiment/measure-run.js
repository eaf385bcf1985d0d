/** One run at one load with one measured phase: a step of a search, a side of a pair, a warm-up of the demo. */
import { LoadflameError } from '../base/errors.js';
import { throwIfInterrupted } from '../base/process/interruptible.js';
import { MEASURED, planPhases } from './choose-load.js';
import { runSession } from './session.js';

/** @import { RunFiles } from '../run/run-folder.js' */
/** @import { TryLoad } from '../run/facts/try.d.ts' */
/** @import { SessionOptions } from './session.js' */

/** @typedef {Omit<SessionOptions, 'load'> & {load: NonNullable<SessionOptions['load']>}} RunOptions */

/**
 * Warms the target up with the load, then measures it. Reports of the run are of the measured phase.
 * @param {RunOptions} options
 * @param {TryLoad} load replaces the phases of the script
 * @param {AbortSignal} [stop] ends the load early, and keeps what was measured
 * @returns {Promise<RunFiles>}
 * @throws {LoadflameError} LOAD_CRASHED, INTERRUPTED, and errors of a session
 */
export function measureRun({ load: { script, options: own }, ...session }, load, stop) {
  const { signal } = session;
  const phases = planPhases(load);
  const overrides = { ...own.overrides, config: { ...own.overrides?.config, phases } };
  const { warmUpSec, untilSteady } = load;
  const wholeSecondAfterMs = untilSteady ? undefined : warmUpSec * 1000;
  const options = { ...own, overrides, untilSteady, wholeSecondAfterMs };
  return completeRun(
    {
      ...session,
      signal: stop ? AbortSignal.any([signal, stop]) : signal,
      measuredPhase: MEASURED,
      load: { script, options },
    },
    signal,
  );
}

/**
 * @param {SessionOptions} options
 * @param {AbortSignal} [signal] of an interruption
 * @returns {Promise<RunFiles>} of a run whose generator did not crash
 * @throws {LoadflameError} LOAD_CRASHED, INTERRUPTED, and errors of a session
 */
export async function completeRun(options, signal = options.signal) {
  const { files, loadEnd } = await runSession(options);
  throwIfInterrupted(signal);
  if (loadEnd?.reason === 'crashed')
    throw new LoadflameError('LOAD_CRASHED', { reason: loadEnd.logTail || 'no output' });
  return files;
}
