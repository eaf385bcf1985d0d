/**
 * A step of ours: `on: {channel, data?, match?, capture?, timeout?, answer?}` waits for an event that
 * the server pushes. It takes the oldest one since the namespace connected that no step has taken.
 */
import { compileTemplate } from '../flow/template.js';
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
      if (on.answer !== undefined) push.acknowledge?.(answer(context));
      await check.judge(push.args, context);
    } catch (error) {
      addAnswerSample([channel], error, push?.args ?? null, services);
      throw error;
    }
  };
}
