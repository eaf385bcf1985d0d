/** From a flow as written to steps: everything that can be worked out before users arrive, is. */

import { setTimeout } from 'node:timers/promises';
import { parseSeconds } from '../../script/durations.js';
import { compileRequest } from '../http/compile-request.js';
import { callHook, findHook } from './hooks.js';
import { compileLoop } from './loop.js';
import { runSteps } from './run-steps.js';
import { fillTemplate } from './template.js';

/** @import { Scope, Step, StepCompiler, StepKind } from '../engine.d.ts' */

const DEFAULT_LIMIT = 100;

/**
 * `- parallel: [steps]`, with `limit`: the first failure ends the user; steps under way are left to
 * end by themselves, others do not begin.
 * @type {StepCompiler}
 */
export function compileParallel(spec, scope) {
  const steps = scope.compile(spec.parallel);
  const limit = Number(spec.limit) || DEFAULT_LIMIT;
  return async context => {
    let next = 0;
    let failed = false;
    const runLane = async () => {
      while (next < steps.length && !failed) {
        const step = /** @type {Step} */ (steps[next++]);
        try {
          await runSteps([step], context);
        } catch (error) {
          failed = true;
          throw error;
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(limit, steps.length) }, runLane));
  };
}

/**
 * `- think: 2`: number of seconds, text such as `500ms`, or a template; with `jitter`.
 * @type {StepCompiler}
 */
export function compileThink(spec, { config }) {
  const jitter =
    spec.jitter || config.http?.defaults?.think?.jitter || config.defaults?.think?.jitter;
  return context => {
    const filled = fillTemplate(spec.think, context);
    const seconds = Number(filled) < 0 ? 0 : parseSeconds(filled);
    if (seconds === null) throw new Error(`Invalid think time: ${filled || spec.think}`);
    return setTimeout(addJitter(seconds * 1000, jitter));
  };
}

/**
 * @param {number} ms
 * @param {unknown} jitter at most so many ms more or less, or a percentage: `20%`
 */
function addJitter(ms, jitter) {
  const most = Number.parseInt(`${jitter ?? 0}`, 10) * (`${jitter}`.endsWith('%') ? ms / 100 : 1);
  return Math.max(0, ms + (Math.random() * 2 - 1) * (most || 0));
}

/**
 * `- function: name`
 * @type {StepCompiler}
 */
export function compileFunction(spec, scope) {
  const name = spec.function;
  return context => {
    const hook = findHook(name, scope);
    if (hook) return callHook(name, hook, [context, scope.ee], scope);
    scope.ee.emit('error', `Undefined function "${name}"`);
    return undefined;
  };
}

/**
 * `- log: text`
 * @type {StepCompiler}
 */
export function compileLog(spec) {
  return context => {
    console.log(fillTemplate(spec.log, context));
  };
}

/**
 * @param {Record<string, any>[] | undefined} specs lists inside (YAML anchors) are flattened
 * @param {Scope} scope
 * @returns {Step[]}
 */
export function compileFlow(specs, scope) {
  const kinds = [...STEP_KINDS, ...(scope.sockets?.steps ?? [])];
  return [specs ?? []].flat(Number.POSITIVE_INFINITY).map(spec => {
    const { compile } = kinds.find(({ matches }) => matches(spec)) ?? { compile: compileRequest };
    return compile(spec, scope);
  });
}

// -- The kinds of steps; the first that matches is it, then those of sockets; else it is a request.

/** @type {StepKind[]} in Artillery's order */
const STEP_KINDS = [
  { kind: 'loop', matches: spec => spec.loop, compile: compileLoop },
  { kind: 'parallel', matches: spec => spec.parallel, compile: compileParallel },
  { kind: 'think', matches: spec => spec.think !== undefined, compile: compileThink },
  { kind: 'log', matches: spec => spec.log !== undefined, compile: compileLog },
  { kind: 'function', matches: spec => spec.function, compile: compileFunction },
];
