/** Starts virtual users: picks a scenario, creates a context, and counts how the user ends. */
import { entryOf } from '../../base/files/maps.js';
import { sum } from '../../base/math/summary.js';
import { ARRIVAL } from '../engine/http/http-user.js';
import { CUT } from '../engine/index.js';
import { countError, nameError, nameFirstFailure } from '../metrics/error-samples.js';

/** @import { ScenarioSpec } from '../script.d.ts' */
/** @import { Arrival, Scenario } from '../engine/engine.d.ts' */
/** @import { SecondRecorder } from '../metrics/second-recorder.js' */
/** @import { Phase } from '../pacing/schedule.js' */
/** @import { ContextFactory } from './context.js' */

/**
 * @typedef {object} RunnableScenario
 * @property {ScenarioSpec} spec as written
 * @property {string} name or index
 * @property {Scenario} run
 */

/**
 * @param {object} options
 * @param {(phase: Phase) => RunnableScenario} options.pick
 * @param {ContextFactory} options.contexts
 * @param {SecondRecorder} options.recorder
 */
export function createUsers({ pick, contexts, recorder }) {
  /** @type {Map<RunnableScenario, ReturnType<typeof listCounts>>} */
  const known = new Map();
  let active = 0;
  /** @type {(() => void) | null} */
  let onIdle = null;

  return {
    active: () => active,
    /**
     * @param {Arrival} arrival
     * @param {Phase} phase
     * @param {(error?: unknown) => void} done
     */
    start(arrival, phase, done) {
      const scenario = pick(phase);
      const counts = entryOf(known, scenario, () => listCounts(scenario));
      recorder.countAll(counts.created);
      const startedMs = performance.now();
      let over = false;
      /** @type {any} */
      let context = null;
      const end = (/** @type {unknown} */ error) => {
        if (over) return;
        over = true;
        active -= 1;
        recorder.countAll(error === CUT ? {} : error ? counts.failed : counts.completed);
        const first = error === CUT ? null : nameFirstFailure(context, error);
        if (first) recorder.count(first, 1);
        if (!error) recorder.measure('vusers.session_length', performance.now() - startedMs);
        done(error);
        if (active === 0) onIdle?.();
      };
      active += 1;
      try {
        context = contexts.create(scenario.spec);
        context[ARRIVAL] = arrival;
        scenario.run(context, end);
      } catch (error) {
        if (!over) countError(recorder, nameError(error));
        end(error);
      }
    },
    /** Resolves when all running users have ended. @returns {Promise<void>} */
    ended() {
      return new Promise(resolve => {
        if (active === 0) resolve();
        else onIdle = resolve;
      });
    },
  };
}

/** Counters of a user; created once: a closed loop has thousands per second. @param {RunnableScenario} scenario */
function listCounts({ name }) {
  const count = (/** @type {string} */ how) => ({
    [`vusers.${how}_by_name.${name}`]: 1,
    [`vusers.${how}`]: 1,
  });
  const completed = { ...count('completed'), 'vusers.failed': 0 };
  return { created: count('created'), failed: count('failed'), completed };
}

/**
 * Picks scenarios by their weights and a phase's `more`; or the one that `--scenario-name` selects (text or regular
 * expression).
 * @param {RunnableScenario[]} scenarios
 * @param {object} options
 * @param {string} [options.scenarioName]
 * @param {(weight: unknown) => number} options.readWeight
 * @returns {(phase: Phase) => RunnableScenario}
 * @throws {Error} if no scenario or several have the name, or no weight is above zero
 */
export function createPick(scenarios, { scenarioName, readWeight }) {
  if (scenarioName) {
    const only = findByName(scenarios, scenarioName);
    return () => only;
  }
  const weights = scenarios.map(({ spec }) => Math.max(0, readWeight(spec.weight ?? 1)));
  const total = sum(weights);
  if (total === 0) throw new Error('no scenario has a weight above 0');
  return ({ more, arrivalRate, arrivalCount = 0, duration = 1 }) => {
    // Called for each arrival, and few phases have `more`.
    const extra =
      more &&
      draw(scenarios, arrivalRate ?? arrivalCount / duration, ({ name }) => more[name] ?? 0);
    const drawn = extra ?? draw(scenarios, total, (_, index) => weights[index] ?? 0);
    return /** @type {RunnableScenario} */ (drawn);
  };
}

/**
 * @param {RunnableScenario[]} scenarios
 * @param {number} total
 * @param {(scenario: RunnableScenario, index: number) => number} shareOf the total
 */
function draw(scenarios, total, shareOf) {
  let left = Math.random() * total;
  for (const [index, scenario] of scenarios.entries()) {
    left -= shareOf(scenario, index);
    if (left < 0) return scenario;
  }
  return undefined;
}

/** @param {RunnableScenario[]} scenarios @param {string} wanted */
function findByName(scenarios, wanted) {
  const pattern = new RegExp(wanted);
  const found = scenarios.filter(
    ({ spec }) => spec.name === wanted || pattern.test(String(spec.name)),
  );
  const [only] = found;
  if (!only) throw new Error(`no scenario is named ${wanted}`);
  if (found.length > 1) throw new Error(`${found.length} scenarios are named like ${wanted}`);
  return only;
}
