/** The kinds of steps; the first that matches is it. */
import { compileRequest } from '../http/compile-request.js';
import { SOCKETIO_STEPS } from '../socketio/steps.js';
import { WEBSOCKET_STEPS } from '../websocket/steps.js';
import { compileFunction } from './function.js';
import { compileLog } from './log.js';
import { compileLoop } from './loop.js';
import { compileParallel } from './parallel.js';
import { compileThink } from './think.js';

/**
 * @typedef {object} StepKind
 * @property {string} kind
 * @property {(spec: Record<string, any>, scope: import('../engine.d.ts').Scope) => unknown} matches
 * @property {import('../engine.d.ts').StepCompiler} compile
 */

/** @type {StepKind[]} in Artillery's order */
export const STEP_KINDS = [
  { kind: 'loop', matches: spec => spec.loop, compile: compileLoop },
  { kind: 'parallel', matches: spec => spec.parallel, compile: compileParallel },
  { kind: 'think', matches: spec => spec.think !== undefined, compile: compileThink },
  { kind: 'log', matches: spec => spec.log !== undefined, compile: compileLog },
  { kind: 'function', matches: spec => spec.function, compile: compileFunction },
  ...SOCKETIO_STEPS,
  ...WEBSOCKET_STEPS,
  { kind: 'request', matches: () => true, compile: compileRequest },
];
