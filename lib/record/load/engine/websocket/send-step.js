/**
 * `- send: text or object`; with `capture` or `match` below it, or `reply: true` beside it, the step is
 * over when the next message has come. `- wait: {capture, match}` waits without sending.
 */

import { nameError } from '../../metrics/error-samples.js';
import { compileTemplate } from '../flow/template.js';
import { compileCaptures } from '../http/captures.js';
import { socketOf } from './user-socket.js';

/** @import { Services, StepCompiler } from '../engine.d.ts' */

const DEFAULT_TIMEOUT_SEC = 10;

/** @type {StepCompiler} */
export function compileSend(spec, scope) {
  const { config, services } = scope;
  const { recorder } = services;
  const params = spec.wait ?? spec.send;
  const captures =
    params !== null && typeof params === 'object' ? compileCaptures(params, scope) : null;
  // An object without them is the message itself, as in Artillery.
  const written = captures ? params.payload : spec.wait === undefined ? params : undefined;
  const payload = compileTemplate(written).fill;
  const waits = captures !== null || spec.reply === true || spec.wait !== undefined;
  const limitMs =
    (Number(spec.timeout) ||
      Number(config.timeout) ||
      Number(config.ws?.timeout) ||
      DEFAULT_TIMEOUT_SEC) * 1000;

  return async context => {
    const socket = socketOf(context);
    const message = payload(context);
    const startedAt = performance.now();
    let text = null;
    try {
      const sent = message === undefined ? null : socket.send(toText(message));
      if (!waits) {
        await sent;
        return;
      }
      // The answer may come before the system says that the question is sent.
      [text] = await Promise.all([socket.next(limitMs), sent]);
      recorder.count('websocket.replies', 1);
      recorder.measure('websocket.reply_time', performance.now() - startedAt);
      if (captures?.({ headers: {}, body: asBody(text) }, context)?.fails) {
        throw new Error('Failed capture or match');
      }
    } catch (error) {
      addSample(error, text, services);
      throw error;
    }
  };
}

/** @param {unknown} message */
function toText(message) {
  return message !== null && typeof message === 'object'
    ? JSON.stringify(message)
    : String(message);
}

/** Captures with `json` look into what can be read as such. @param {string} text @returns {any} */
function asBody(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** @param {unknown} error @param {string | null} answer @param {Services} services */
function addSample(error, answer, { samples }) {
  const endpoint = 'WebSocket';
  const code = nameError(error);
  if (samples.wants(endpoint, code)) samples.add({ endpoint, code, body: answer ?? '' });
}
