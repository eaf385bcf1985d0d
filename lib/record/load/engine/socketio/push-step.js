/**
 * A step of ours: `on: {channel, data?, match?, capture?, timeout?, sentAt?, answer?}` waits for
 * what the server sends by itself. One that came since the namespace was connected, and that no
 * step took, counts: the oldest first.
 */
import { compileTemplate } from '../flow/template.js';
import { findCaptures } from '../http/captures.js';
import { addAnswerSample, compileCheck, waitLimitMs } from './check-answer.js';
import { socketsOf } from './user-sockets.js';

/** @import { StepCompiler } from '../engine.d.ts' */
/** @import { Push } from './inbox.js' */

/** @type {StepCompiler} */
export function compileOn(spec, scope) {
  const { services, config } = scope;
  const { recorder } = services;
  const on = typeof spec.on === 'string' ? { channel: spec.on } : spec.on;
  const namespace = compileTemplate(spec.namespace ?? on.namespace).fill;
  const toChannel = compileTemplate(on.channel).fill;
  const answer = compileTemplate(on.answer).fill;
  const check = compileCheck(on, scope);
  const limitMs = waitLimitMs(on, config);

  return async context => {
    const channel = toChannel(context);
    /** @type {Push | null} */
    let push = null;
    try {
      const { inbox } = await socketsOf(context, scope).reach(namespace(context));
      const accept = (/** @type {Push} */ { args }) => check.fits(args, context);
      push = inbox.take(channel, accept);
      if (push) recorder.count('socketio.push_early', 1);
      else {
        const startedAt = performance.now();
        push = await inbox.wait(channel, {
          limitMs,
          accept,
          timeout: () => new Error('push timeout'),
        });
        recorder.measure('socketio.push_wait', push.atMs - startedAt);
      }
      recorder.count('socketio.push', 1);
      if (on.sentAt) measureLatency(push, on.sentAt, context);
      if (on.answer !== undefined) push.acknowledge?.(answer(context));
      await check.judge(push.args, context);
    } catch (error) {
      addAnswerSample([channel], error, push?.args ?? null, services);
      throw error;
    }
  };

  /** @param {Push} push @param {string} path @param {any} context */
  function measureLatency(push, path, context) {
    const sentAtMs = readSendTime(push.args, path, context);
    const latencyMs = performance.timeOrigin + push.atMs - sentAtMs;
    // The server's clock is another one: a push from the future says nothing but that.
    if (latencyMs >= 0) recorder.measure('socketio.push_latency', latencyMs);
    else recorder.count('socketio.push_without_latency', 1);
  }
}

/** Below this, a number is in seconds: in milliseconds it would be a day of 1973. */
const SMALLEST_MS = 1e11;

/**
 * When a server sent a push, if that stands in it.
 * @param {any[]} args
 * @param {string} path JSONPath to a time in ms or s since 1970, or as ISO 8601
 * @param {any} context
 * @returns {number} ms since 1970, NaN where there is none
 */
function readSendTime(args, path, context) {
  const spec = { json: path, as: 'sentAt' };
  const value = findCaptures({ capture: spec }, { body: args }, context)?.captures.sentAt?.value;
  const time = Number(value || Number.NaN);
  if (Number.isNaN(time)) return Date.parse(String(value));
  return time < SMALLEST_MS ? time * 1000 : time;
}
