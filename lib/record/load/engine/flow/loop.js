import { setImmediate as nextTurn } from 'node:timers/promises';
import { callCondition, findHook } from './hooks.js';
import { readPath } from './paths.js';
import { runSteps } from './run-steps.js';
import { fillTemplate } from './template.js';

/** @import { Scope, StepCompiler } from '../engine.d.ts' */

/** Iterations that never wait let others run now and then. */
const SYNC_ITERATIONS = 100;

/**
 * `- loop: [steps]` with `count` (number, `'5-10'`, template), `over` (list or name of a variable)
 * or `whileTrue` (function of the processor); without them it never ends.
 * @type {StepCompiler}
 */
export function compileLoop(spec, scope) {
  const steps = scope.compile(spec.loop);
  const count = spec.count || -1;
  const indexName = spec.loopValue || '$loopCount';
  const elementName = spec.loopElement || '$loopElement';

  return async context => {
    const { from, to } = parseCount(
      typeof count === 'string' ? fillTemplate(count, context) : count,
    );
    const over = spec.over === undefined ? undefined : resolveList(spec.over, context);
    const goesOn = (/** @type {number} */ index) =>
      over ? index !== over.length : index < to || to === -1;
    context.vars[elementName] = over ? over[from] : from;
    context.vars[indexName] = from;
    if (over === null) return;

    let index = from;
    let syncRounds = 0;
    while (spec.whileTrue || goesOn(index)) {
      const pending = runSteps(steps, context);
      if (pending !== undefined) await pending;
      else if (++syncRounds % SYNC_ITERATIONS === 0) await nextTurn();
      index++;
      context.vars[indexName]++;
      if (over) context.vars[elementName] = over[index];
      if (spec.whileTrue && !(await askWhileTrue(spec.whileTrue, context, scope))) return;
    }
  };
}

/**
 * A list as written, or the variable that holds one; null if there is none: the loop is skipped.
 * @param {any} over @param {any} context
 * @returns {any[] | null | undefined}
 */
function resolveList(over, context) {
  if (over && typeof over === 'object') return over;
  if (!over || typeof over !== 'string') return undefined;
  const list = readPath(context.vars, over);
  return Array.isArray(list) ? list : null;
}

/** @param {string} name @param {any} context @param {Scope} scope */
function askWhileTrue(name, context, scope) {
  const hook = findHook(name, scope);
  if (!hook) throw new Error(`Undefined function "${name}"`);
  return callCondition(name, hook, context, scope);
}

/**
 * By Artillery's rules.
 * @param {unknown} count
 * @returns {{from: number, to: number}}
 */
function parseCount(count) {
  if (typeof count === 'number') return { from: 0, to: count };
  if (typeof count !== 'string') return { from: 0, to: 0 };
  if (!Number.isNaN(Number(count))) return { from: 0, to: Number(count) };
  if (!/\d-\d/.test(count)) return { from: 0, to: 0 };
  const [from, to] = count.split('-').map(Number);
  return { from: from ?? 0, to: to ?? 0 };
}
