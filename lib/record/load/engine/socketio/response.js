/** `response`: the emit is over when the server has sent an event, or several that fit together. */

import { compileTemplate } from '../flow/template.js';
import { addAnswerSample } from './answer-sample.js';
import { compileCheck } from './check-answer.js';
import { waitLimitMs } from './wait-limit.js';

/**
 * @param {any} spec
 * @param {import('../engine.d.ts').Scope} scope
 * @returns {(sending: import('./emit-step.js').Sending) => Promise<void>} listens at once
 */
export function compileResponse(spec, scope) {
  const { services, config, helpers } = scope;
  const { recorder } = services;
  const channel = compileTemplate(spec.channel || spec.on, helpers).fill;
  const check = compileCheck(spec, helpers);
  const limitMs = waitLimitMs(spec, config);
  return async ({ space, context, args }) => {
    /** @type {any[]} arguments of all events that came */
    const received = [];
    const startedAt = performance.now();
    try {
      const last = await space.inbox.wait(channel(context), {
        limitMs,
        accept(push) {
          received.push(...push.args);
          return check.fits(received, context);
        },
        timeout: () => new Error(received.length > 0 ? 'data is not valid' : 'response timeout'),
      });
      const afterMs = last.atMs - startedAt;
      recorder.measure('socketio.response_wait', afterMs);
      await check.judge(received, context);
      recorder.measure('socketio.response_time', afterMs);
    } catch (error) {
      addAnswerSample(args[0], error, received.length > 0 ? received : null, services);
      throw error;
    }
  };
}
