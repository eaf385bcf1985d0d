/** Resolves the values in `config.phases` to numbers; Artillery would divide them before it resolves them. */
import { LoadflameError } from '../../base/errors.js';
import { isPlain } from '../../base/files/read-yaml.js';
import { replaceTemplates } from '../../base/files/templates.js';
import { sum } from '../../base/math/summary.js';
import { readPath } from '../engine/flow/paths.js';
import { parseNumber, parseSeconds } from './durations.js';
import { refuseScript } from './read-script.js';

/** @import { Phase, ScriptConfig, Variables } from '../script.d.ts' */

const NUMBERS = ['arrivalRate', 'arrivalCount', 'rampTo', 'maxVusers', 'users'];
/** A phase without one of these sends nothing. */
const ARRIVALS = ['arrivalRate', 'rampTo', 'arrivalCount', 'users', 'pause'];
/** Keys for the number of arrivals, or a pause, can't be combined with `users`. */
const NOT_WITH_USERS = ['arrivalRate', 'arrivalCount', 'maxVusers', 'pause'];
const DURATIONS = ['duration', 'pause'];
/** @typedef {{file: string, locate: (at: (string | number)[]) => string}} Source */

/**
 * @param {ScriptConfig} config is modified: `phases` contains numbers afterwards
 * @param {Record<string, unknown>} variables values of `{{ name }}`
 * @param {Source} source
 * @param {{engine: 'loadflame' | 'artillery'}} options
 * @throws {LoadflameError} SCRIPT_NUMBER, SCRIPT_INVALID, SCRIPT_USERS_ARTILLERY
 */
export function resolvePhases(config, variables, source, { engine }) {
  if (config.phases === undefined) return;
  if (!Array.isArray(config.phases) || !config.phases.every(isPlain)) {
    const change =
      'write one list item per phase, e.g. `- duration: 30` with `arrivalRate: 5` below it';
    refuseScript(source, ['config', 'phases'], '`phases` is not a list of phases', change);
  }
  config.phases = config.phases
    .map((phase, i) => {
      const resolved = resolvePhase(phase, i, variables, source);
      if (!ARRIVALS.some(key => key in resolved)) {
        const change = 'add e.g. `arrivalRate: 5`, or `users: 8`';
        refuseScript(source, ['config', 'phases', i], 'the phase sends nothing', change);
      }
      if (resolved.users !== undefined) checkUsers(resolved, i, source, engine);
      if (resolved.more !== undefined) addMore(resolved, i, source, engine);
      const keepsRate = engine === 'loadflame' && (phase.mode ?? config.mode) === 'poisson';
      return keepsRate ? resolved : spreadFraction(resolved);
    })
    // A setting can skip a phase by a length of 0; Artillery would refuse it.
    .filter(phase => DURATIONS.every(key => phase[key] !== 0));
  if (config.phases.length === 0) {
    const change = 'give at least one phase a duration';
    refuseScript(source, ['config', 'phases'], 'no phase lasts longer than 0 s', change);
  }
}

/**
 * @param {Phase} phase
 * @param {number} index
 * @param {Record<string, unknown>} variables
 * @param {Source} source
 */
function resolvePhase(phase, index, variables, source) {
  /** @type {Record<string, any>} */
  const resolved = { ...phase, ...(isPlain(phase.more) && { more: { ...phase.more } }) };
  const own = [...NUMBERS, ...DURATIONS].map(key => ({ map: resolved, path: [key] }));
  const { more = {} } = resolved;
  const extra = Object.keys(more).map(key => ({ map: more, path: ['more', key] }));
  for (const { map, path } of [...own, ...extra]) {
    const key = path.at(-1) ?? '';
    const given = map[key];
    if (given === undefined || given === null) {
      delete map[key];
      continue;
    }
    const text = fillTemplate(given, variables);
    const value = DURATIONS.includes(key) ? parseSeconds(text) : parseNumber(text);
    if (value === null) {
      throw new LoadflameError('SCRIPT_NUMBER', {
        at: source.locate(['config', 'phases', index, ...path]),
        key,
        given: JSON.stringify(given),
        value: text === undefined ? 'not set' : JSON.stringify(text),
      });
    }
    map[key] = value;
  }
  return resolved;
}

/**
 * Closed-loop phases are our extension: a number of users that repeat their scenario.
 * @param {Phase} phase with numbers
 * @param {number} index
 * @param {Source} source
 * @param {'loadflame' | 'artillery'} engine
 */
function checkUsers(phase, index, source, engine) {
  const at = ['config', 'phases', index, 'users'];
  const refuse = (/** @type {string} */ problem, /** @type {string} */ change) =>
    refuseScript(source, at, problem, change);
  if (engine === 'artillery')
    throw new LoadflameError('SCRIPT_USERS_ARTILLERY', { at: source.locate(at), key: 'users' });
  for (const key of ['users', 'rampTo']) {
    if (Number.isInteger(phase[key] ?? 0)) continue;
    refuse(`\`${key}: ${phase[key]}\` is not a whole number of users`, 'write a whole number');
  }
  if (!phase.duration) refuse('a phase with `users` needs a duration', 'add e.g. `duration: 60`');
  const other = NOT_WITH_USERS.find(key => phase[key] !== undefined);
  const change = `leave out \`${other}\`: users repeat their scenario, they do not arrive`;
  if (other) refuse(`\`users\` and \`${other}\` are in one phase`, change);
}

/**
 * Extra arrivals of one scenario (`more`) are our extension: from here on the phase's rate includes them.
 * @param {Phase} phase with numbers; its rate is modified
 * @param {number} index
 * @param {Source} source
 * @param {'loadflame' | 'artillery'} engine
 */
function addMore(phase, index, source, engine) {
  const at = ['config', 'phases', index, 'more'];
  if (engine === 'artillery')
    throw new LoadflameError('SCRIPT_USERS_ARTILLERY', { at: source.locate(at), key: 'more' });
  if (!isPlain(phase.more) || phase.arrivalRate === undefined || phase.rampTo !== undefined)
    refuseScript(
      source,
      at,
      '`more` says of a scenario how many come beside `arrivalRate`, which does not change',
      'write e.g. `arrivalRate: 5` and `more: { <name of a scenario>: 20 }`',
    );
  phase.arrivalRate += sum(Object.values(phase.more));
}

/**
 * Artillery 2.0.34 fails with an assertion if an arrival rate is not whole (lib/dist.ts). Spreading the same number of
 * arrivals over the phase is equivalent.
 * @param {Phase} phase
 */
function spreadFraction(phase) {
  const { arrivalRate, rampTo, duration, ...rest } = phase;
  if (rampTo !== undefined || !arrivalRate || Number.isInteger(arrivalRate)) return phase;
  const arrivalCount = Math.max(1, Math.round(arrivalRate * (duration ?? 0)));
  return { ...rest, duration, arrivalCount };
}

/**
 * @param {unknown} value
 * @param {Variables} variables
 * @returns {unknown} undefined when a variable is not set
 */
function fillTemplate(value, variables) {
  if (typeof value !== 'string') return value;
  let missing = false;
  const text = replaceTemplates(value, name => {
    const found = readPath(variables, name);
    missing ||= found === undefined;
    return found;
  });
  return missing ? undefined : text;
}
