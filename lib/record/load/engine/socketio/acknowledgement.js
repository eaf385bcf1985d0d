/** `acknowledge`: the emit is over when the server has called back. */
import { addAnswerSample } from './answer-sample.js';
import { compileCheck } from './check-answer.js';
import { waitLimitMs } from './wait-limit.js';

/** Timers count whole milliseconds, and fire up to one before `performance.now()` says so. */
const EARLY_MS = 2;

/**
 * @param {any} spec
 * @param {import('../engine.d.ts').Scope} scope
 * @returns {(sending: import('./emit-step.js').Sending) => Promise<void>} it emits, too
 */
export function compileAcknowledge(spec, scope) {
  const { services, config, helpers } = scope;
  const { recorder } = services;
  const check = compileCheck(spec, helpers);
  const limitMs = waitLimitMs(spec, config);
  return async ({ space, context, args }) => {
    /** @type {Answer | null} */
    let answer = null;
    try {
      answer = await emitAndWait(space, args, limitMs);
      recorder.measure('socketio.acknowledge_time', answer.afterMs);
      if (!check.fits(answer.args, context)) throw new Error('data is not valid');
      await check.judge(answer.args, context);
      recorder.measure('socketio.response_time', answer.afterMs);
    } catch (error) {
      addAnswerSample(args[0], error, answer?.args ?? null, services);
      throw error;
    }
  };
}

/** @typedef {{args: any[], afterMs: number}} Answer */

/**
 * @param {import('./namespace-socket.js').NamespaceSocket} space
 * @param {any[]} args
 * @param {number} limitMs
 * @returns {Promise<Answer>}
 */
function emitAndWait(space, args, limitMs) {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const answer = (/** @type {Error | null} */ error, /** @type {any[]} */ ...answered) => {
      if (!error) resolve({ args: answered, afterMs: performance.now() - startedAt });
      // Either it took too long, or the connection that it would have come over is gone.
      else if (performance.now() - startedAt >= limitMs - EARLY_MS)
        reject(new Error('acknowledge timeout'));
      else reject(space.error());
    };
    /** @type {any} */ (space.socket.timeout(limitMs)).emit(...args, answer);
  });
}
