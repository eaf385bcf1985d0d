/** The `emit` step. It waits for `acknowledge`, `response`, both or nothing. */

import { setImmediate, setTimeout } from 'node:timers/promises';
import { compileCounted } from '../flow/template.js';
import { addAnswerSample, compileCheck, waitLimitMs } from './check-answer.js';
import { socketsOf } from './user-sockets.js';

/** @import { Scope, StepCompiler } from '../engine.d.ts' */
/** @import { NamespaceSocket } from './namespace-socket.js' */

/**
 * @typedef {object} Sending one emit of one user
 * @property {NamespaceSocket} space
 * @property {any} context
 * @property {any[]} args event name first
 */

/** @type {StepCompiler} */
export function compileEmit(spec, scope) {
  const { services } = scope;
  const { recorder } = services;
  const { emit } = spec;
  const step = `emit ${emit.channel ?? [emit].flat()[0]}`;
  const namespace = compileCounted(spec.namespace, step, scope);
  const toArgs = compileArgs(emit, step, scope);
  const acknowledge = spec.acknowledge ? compileAcknowledge(spec.acknowledge, step, scope) : null;
  const response =
    spec.response?.channel || spec.response?.on
      ? compileResponse(spec.response, step, scope)
      : null;

  /** @param {NamespaceSocket} space @param {any} context */
  const send = (space, context) => {
    recorder.count('socketio.emit', 1);
    const sending = { space, context, args: toArgs(context) };
    // Listen for the response before sending the event.
    const answered = response?.(sending);
    if (acknowledge) {
      const acknowledged = acknowledge(sending);
      return answered ? Promise.all([answered, acknowledged]).then(() => {}) : acknowledged;
    }
    try {
      /** @type {any} */ (space.socket).emit(...sending.args);
    } catch (error) {
      answered?.catch(() => {});
      throw error;
    }
    // A promise only if the emit has to wait; it also resolves when the connection ends.
    return answered ?? (isFull(space) ? wait(space) : undefined);
  };

  return context => {
    const space = socketsOf(context, scope).reach(namespace(context));
    return space instanceof Promise
      ? space.then(connected => send(connected, context))
      : send(space, context);
  };
}

/**
 * @param {any} emit `{channel, data}`, `[name, ...args]` or a name
 * @param {string} step
 * @param {Scope} scope
 * @returns {(context: any) => any[]}
 */
function compileArgs(emit, step, scope) {
  // Without `data`, null is sent, as in Artillery.
  const args =
    typeof emit === 'string' ? [emit] : Array.isArray(emit) ? emit : [emit.channel, emit.data];
  const fill = compileCounted(args, step, scope);
  return context => {
    const filled = fill(context);
    if (!['string', 'number'].includes(typeof filled[0])) throw new Error('invalid arguments');
    return filled;
  };
}

// -- `acknowledge`: the emit is over when the server has called back.

/** Timers have whole milliseconds, and fire up to 1 ms early by `performance.now()`. */
const EARLY_MS = 2;

/**
 * @param {any} spec
 * @param {string} step
 * @param {Scope} scope
 * @returns {(sending: Sending) => Promise<void>} also emits
 */
function compileAcknowledge(spec, step, scope) {
  const { services, config } = scope;
  const { recorder } = services;
  const check = compileCheck(spec, step, scope);
  const limitMs = waitLimitMs(spec, config);
  return async ({ space, context, args }) => {
    /** @type {Answer | null} */
    let answer = null;
    const fits = check.expect(context);
    try {
      answer = await emitAndWait(space, args, limitMs);
      recorder.measure('socketio.acknowledge_time', answer.afterMs);
      if (!fits(answer.args)) throw new Error('data is not valid');
      await check.judge(answer.args, context);
      recorder.measure('socketio.response_time', answer.afterMs);
    } catch (error) {
      addAnswerSample(args, error, answer?.args ?? null, services);
      throw error;
    }
  };
}

/** @typedef {{args: any[], afterMs: number}} Answer */

/**
 * @param {NamespaceSocket} space
 * @param {any[]} args
 * @param {number} limitMs
 * @returns {Promise<Answer>}
 */
function emitAndWait(space, args, limitMs) {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const answer = (/** @type {Error | null} */ error, /** @type {any[]} */ ...answered) => {
      if (!error) resolve({ args: answered, afterMs: performance.now() - startedAt });
      // Either it took too long, or the connection is gone.
      else if (performance.now() - startedAt >= limitMs - EARLY_MS)
        reject(new Error('acknowledge timeout'));
      else reject(space.error());
    };
    /** @type {any} */ (space.socket.timeout(limitMs)).emit(...args, answer);
  });
}

// -- `response`: the emit is over when the server has sent an event, or several that fit together.

/**
 * @param {any} spec
 * @param {string} step
 * @param {Scope} scope
 * @returns {(sending: Sending) => Promise<void>} listens immediately
 */
function compileResponse(spec, step, scope) {
  const { services, config } = scope;
  const { recorder } = services;
  const channel = compileCounted(spec.channel || spec.on, step, scope);
  const check = compileCheck(spec, step, scope);
  const limitMs = waitLimitMs(spec, config);
  return async ({ space, context, args }) => {
    /** @type {any[]} arguments of all events that came */
    const received = [];
    const fits = check.expect(context);
    const startedAt = performance.now();
    try {
      const last = await space.inbox.wait(channel(context), {
        limitMs,
        accept(push) {
          received.push(...push.args);
          return fits(received);
        },
        timeout: () => new Error(received.length > 0 ? 'data is not valid' : 'response timeout'),
      });
      const afterMs = last.atMs - startedAt;
      recorder.measure('socketio.response_wait', afterMs);
      await check.judge(received, context);
      recorder.measure('socketio.response_time', afterMs);
    } catch (error) {
      addAnswerSample(args, error, received.length > 0 ? received : null, services);
      throw error;
    }
  };
}

// -- An emit without a response must not outrun its connection: unsent data stays in memory.

const MAX_UNSENT_BYTES = 65_536;
const MAX_UNSENT_PACKETS = 64;
const POLL_MS = 1;

/** @param {NamespaceSocket} space */
async function wait(space) {
  // Usually packets wait only for the event loop.
  await setImmediate();
  while (isFull(space) && !space.isOver) await setTimeout(POLL_MS);
}

/** @param {NamespaceSocket} space */
function isFull({ socket }) {
  const { engine } = socket.io;
  if (!socket.connected || !engine) return false;
  const { writeBuffer, transport } = engine;
  return (
    writeBuffer.length >= MAX_UNSENT_PACKETS ||
    Number(/** @type {any} */ (transport).unsentBytes?.()) >= MAX_UNSENT_BYTES
  );
}
