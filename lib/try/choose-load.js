/** The load of each run: the script's main phase, split into a warm-up and a measured phase. */
import { LoadflameError } from '../errors.js';
import { readScenarioBlock } from '../preflight/scenario-block.js';
import { prepareLoad } from '../record/load/start-load.js';

/** @import { Config } from '../config/read-config.js' */
/** @import { TryLoad } from '../facts/try.d.ts' */
/** @import { LoadOptions } from '../record/load/load.d.ts' */
/** @import { Phase } from '../record/load/script.d.ts' */

/**
 * A closed loop of `users`, else the script's longest phase: its users, or its highest arrival rate.
 * @param {string} script
 * @param {Config} config
 * @param {{options: LoadOptions, users?: number, warmUpSec: number, durationSec: number}} asked
 * @returns {{load: TryLoad, script: {name: string, sha256: string}}}
 * @throws {LoadflameError} SCRIPT_…, TRY_SIDES
 */
export function chooseLoad(script, config, { options, users, warmUpSec, durationSec }) {
  const { variables } = readScenarioBlock(script, options);
  const prepared = prepareLoad(script, config.withVariables(variables), options);
  const times = { warmUpSec, durationSec };
  const { name, sha256 } = prepared;
  if (users) return { script: { name, sha256 }, load: closedLoop(users, times) };
  const [main] = prepared.phases.toSorted((a, b) => (b.duration ?? 0) - (a.duration ?? 0));
  if (main?.users) return { script: { name, sha256 }, load: closedLoop(main.users, times) };
  const level = main ? rateOf(main) : 0;
  if (!(level > 0))
    throw new LoadflameError('TRY_SIDES', {
      problem: `${script} has no phase with users or arrivals to repeat`,
      change: 'add --users <n> for a closed loop, or a phase with `arrivalRate` or `users`',
    });
  const most = main?.maxVusers ?? null;
  const mode = (main?.mode ?? prepared.script.config.mode) === 'poisson' && { mode: 'poisson' };
  const load = /** @type {TryLoad} */ ({ model: 'open', level, most, ...mode, ...times });
  return { script: { name, sha256 }, load };
}

/** @param {number} level @param {Pick<TryLoad, 'warmUpSec' | 'durationSec'>} times @returns {TryLoad} */
export function closedLoop(level, times) {
  return { model: 'closed', level, most: null, ...times };
}

/** @param {Phase} phase */
function rateOf({ arrivalRate = 0, rampTo = 0, arrivalCount, duration = 0 }) {
  // The phase spreads its arrivals evenly.
  if (arrivalCount !== undefined) return duration > 0 ? arrivalCount / duration : 0;
  return Math.max(arrivalRate, rampTo);
}

/**
 * @param {TryLoad} load
 * @param {'warm-up' | 'measured'} name
 * @returns {Phase}
 */
export function planPhase({ model, level, most, mode, warmUpSec, durationSec }, name) {
  const duration = name === 'warm-up' ? warmUpSec : durationSec;
  const users =
    model === 'closed' ? { users: level } : { arrivalRate: level, ...(mode && { mode }) };
  return { name, duration, ...users, ...(most !== null && { maxVusers: most }) };
}
