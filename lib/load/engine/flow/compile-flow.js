/** Compiles a flow to steps: does as much as possible before users arrive. */
import { setImmediate as nextTurn, setTimeout } from 'node:timers/promises';
import { parseSeconds } from '../../script/durations.js';
import { compileRequest } from '../http/compile-request.js';
import { compileSse } from '../sse/event-stream.js';
import { callHook, requireHook } from './hooks.js';
import { readPath } from './paths.js';
import { compileCounted, compileTemplate, fillTemplate } from './template.js';

/** @import { StepSpec } from '../../script.d.ts' */
/** @import { Scope, Step, StepCompiler } from '../engine.d.ts' */

const DEFAULT_LIMIT = 100;

/**
 * `- parallel: [steps]`, with `limit`: the first failure ends the user; running steps end by themselves, others do not
 * begin.
 * @type {StepCompiler}
 */
function compileParallel(spec, scope) {
  const steps = scope.compile(spec.parallel ?? []);
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
function compileThink(spec, { config, services: { hurry } }) {
  const jitter = compileTemplate(
    spec.jitter || config.http?.defaults?.think?.jitter || config.defaults?.think?.jitter,
  ).fill;
  return context => {
    const filled = fillTemplate(spec.think, context);
    const seconds = Number(filled) < 0 ? 0 : parseSeconds(filled);
    if (seconds === null) throw new Error(`Invalid think time: ${filled || spec.think}`);
    const ms = addJitter(seconds * 1000, jitter(context));
    if (!hurry) return setTimeout(ms);
    return setTimeout(ms, undefined, { signal: hurry }).catch(() => {});
  };
}

/**
 * @param {number} ms
 * @param {unknown} jitter largest deviation in ms, or a percentage: `20%`
 */
function addJitter(ms, jitter) {
  const most = Number.parseInt(`${jitter ?? 0}`, 10) * (`${jitter}`.endsWith('%') ? ms / 100 : 1);
  return Math.max(0, ms + (Math.random() * 2 - 1) * (most || 0));
}

/**
 * `- function: name`
 * @type {StepCompiler}
 */
function compileFunction({ function: name = '' }, scope) {
  requireHook(name, scope);
  return context => callHook(name, requireHook(name, scope), [context, scope.ee], scope);
}

/**
 * `- log: text`
 * @type {StepCompiler}
 */
function compileLog(spec, scope) {
  const fill = compileCounted(spec.log, 'log', scope);
  return context => console.log(fill(context));
}

/**
 * @param {StepSpec[] | undefined} specs lists inside (YAML anchors) are flattened
 * @param {Scope} scope
 * @returns {Step[]}
 */
export function compileFlow(specs, scope) {
  const kinds = { ...STEP_KINDS, ...scope.sockets?.steps };
  return [specs ?? []].flat(Number.POSITIVE_INFINITY).map(spec => {
    const kind = Object.keys(kinds).find(key => key in spec) ?? '';
    return (kinds[kind] ?? compileRequest)(spec, scope);
  });
}

// -- Kinds of steps by their key: the first that a step has, then those of sockets; otherwise it is a request.

/** @type {Record<string, StepCompiler>} in Artillery's order */
const STEP_KINDS = {
  loop: compileLoop,
  parallel: compileParallel,
  think: compileThink,
  log: compileLog,
  function: compileFunction,
  sse: compileSse,
};

// -- Loops: `count`, `over` or `whileTrue`.

/** After this many iterations without waiting, other code gets its turn. */
const SYNC_ITERATIONS = 100;

/**
 * `- loop: [steps]` with `count` (number, `'5-10'`, template), `over` (list or name of a variable)
 * or `whileTrue` (function of the processor); without them it never ends.
 * @type {StepCompiler}
 */
function compileLoop(spec, scope) {
  if (spec.whileTrue) requireHook(spec.whileTrue, scope);
  const steps = scope.compile(spec.loop ?? []);
  const count = spec.count || -1;
  const indexName = spec.loopValue || '$loopCount';
  const elementName = spec.loopElement || '$loopElement';
  const written = Array.isArray(spec.over)
    ? spec.over.map(item => compileTemplate(item).fill)
    : null;

  return async context => {
    const { from, to } = parseCount(
      typeof count === 'string' ? fillTemplate(count, context) : count,
    );
    const over = spec.over === undefined ? undefined : resolveList(spec.over, context);
    const elementAt = (/** @type {number} */ at) => written?.[at]?.(context) ?? over?.[at];
    context.vars[elementName] = over ? elementAt(from) : from;
    context.vars[indexName] = from;
    if (over === null) return;

    let index = from;
    let syncRounds = 0;
    while (spec.whileTrue || (over ? index !== over.length : index < to || to === -1)) {
      const pending = runSteps(steps, context);
      if (pending !== undefined) await pending;
      else if (++syncRounds % SYNC_ITERATIONS === 0) await nextTurn();
      index++;
      context.vars[indexName]++;
      if (over) context.vars[elementName] = elementAt(index);
      if (spec.whileTrue) {
        const hook = requireHook(spec.whileTrue, scope);
        if (!(await callHook(spec.whileTrue, hook, [context], scope, { givesValue: true }))) return;
      }
    }
  };
}

/**
 * A list as written, or the variable that contains one; null if there is none: the loop is skipped.
 * @param {any} over @param {any} context
 * @returns {any[] | null | undefined}
 */
function resolveList(over, context) {
  if (over && typeof over === 'object') return over;
  if (!over || typeof over !== 'string') return undefined;
  const list = readPath(context.vars, over);
  return Array.isArray(list) ? list : null;
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

// -- Runs steps in order: steps that end immediately need no promise.

/**
 * @param {Step[]} steps
 * @param {any} context
 * @returns {void | Promise<void>} a promise only if a step returned one
 */
export function runSteps(steps, context) {
  for (let index = 0; index < steps.length; index++) {
    const pending = /** @type {Step} */ (steps[index])(context);
    if (pending !== undefined) {
      const rest = index + 1;
      return rest === steps.length ? pending : runRest(pending, steps, rest, context);
    }
  }
  return undefined;
}

/** @param {Promise<void>} first @param {Step[]} steps @param {number} from @param {any} context */
async function runRest(first, steps, from, context) {
  await first;
  for (let index = from; index < steps.length; index++) {
    const pending = /** @type {Step} */ (steps[index])(context);
    if (pending !== undefined) await pending;
  }
}
