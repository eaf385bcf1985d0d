/** The load of each run of an experiment: the script's main phase, as a warm-up and a measured phase. */
import { LoadflameError } from '../base/errors.js';
import { prepareLoad } from '../load/start-load.js';
import { readScenarioBlock } from './preflight/scenario-block.js';

/** @import { Config } from '../base/config/read-config.js' */
/** @import { TryLoad } from '../run/facts/try.d.ts' */
/** @import { LoadOptions } from '../load/load.d.ts' */
/** @import { Phase } from '../load/script.d.ts' */

/** The phase after the warm-up: the figures cover it. */
export const MEASURED = 'measured';
/** In the first seconds, code is compiled, connections open and queues fill. */
export const WARM_UP = { warmUpSec: 10, untilSteady: true };

/** @typedef {Pick<TryLoad, 'warmUpSec' | 'untilSteady' | 'durationSec'>} Times */

/**
 * A closed loop of `users`, else the script's longest phase: its users, or its highest arrival rate.
 * @param {string} script
 * @param {Config} config
 * @param {{options: LoadOptions, users?: number, warmUpSec?: number, durationSec: number}} asked
 * @returns {{load: TryLoad, script: {name: string, sha256: string}, target: string}}
 * @throws {LoadflameError} SCRIPT_…, LOAD_NOT_REPEATABLE
 */
export function chooseLoad(script, config, { options, users, warmUpSec, durationSec }) {
  const { variables } = readScenarioBlock(script, options);
  const prepared = prepareLoad(script, config.withVariables(variables), options);
  const times = { ...(warmUpSec === undefined ? WARM_UP : { warmUpSec }), durationSec };
  const { name, sha256, target } = prepared;
  const own = { script: { name, sha256 }, target };
  const [main] = prepared.phases.toSorted((a, b) => (b.duration ?? 0) - (a.duration ?? 0));
  const closed = users ?? main?.users;
  if (closed) return { ...own, load: closedLoop(closed, times) };
  const level = main ? rateOf(main) : 0;
  if (!(level > 0)) throw new LoadflameError('LOAD_NOT_REPEATABLE', { script });
  const most = main?.maxVusers ?? null;
  const mode = (main?.mode ?? prepared.script.config.mode) === 'poisson' && { mode: 'poisson' };
  const load = /** @type {TryLoad} */ ({ model: 'open', level, most, ...mode, ...times });
  return { ...own, load };
}

/** @param {number} level @param {Times} times @returns {TryLoad} */
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
 * The same load twice: to warm the target up, and to measure it.
 * @param {TryLoad} load
 * @returns {Phase[]} the last one is measured
 */
export function planPhases({ model, level, most, mode, warmUpSec, durationSec }) {
  const users =
    model === 'closed' ? { users: level } : { arrivalRate: level, ...(mode && { mode }) };
  const own = { ...users, ...(most !== null && { maxVusers: most }) };
  const measured = { name: MEASURED, duration: durationSec, ...own };
  return warmUpSec > 0
    ? [{ ...measured, name: 'warm-up', duration: warmUpSec }, measured]
    : [measured];
}

/** @param {any[]} steps of flows, or scenarios @returns {any[]} */
export function withoutPauses(steps) {
  return steps.flatMap(step => {
    if (step.think !== undefined) return [];
    const nested = step.flow ? 'flow' : step.loop ? 'loop' : null;
    return nested ? { ...step, [nested]: withoutPauses(step[nested]) } : step;
  });
}
