/**
 * `- send: text or object`; with `capture` or `match` below it, or `reply: true` beside it, the step is
 * over when the next message has come. `- wait: {capture, match}` waits without sending.
 */

import { nameError } from '../../metrics/error-samples.js';
import { compileTemplate } from '../flow/template.js';
import { compileCaptures } from '../http/captures.js';
import { socketOf } from './user-socket.js';

/** @import { StepCompiler } from '../engine.d.ts' */

const DEFAULT_TIMEOUT_SEC = 10;

/** @type {StepCompiler} */
export function compileSend(spec, scope) {
  const { config, services } = scope;
  const { recorder, samples } = services;
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
    const sent = message === undefined ? null : toText(message);
    const startedAt = performance.now();
    let text = null;
    try {
      const sending = sent === null ? undefined : socket.send(sent);
      if (!waits) return await sending;
      // The answer may come before the system says that the question is sent.
      [text] = await Promise.all([socket.next(limitMs), sending]);
      recorder.count('websocket.replies', 1);
      recorder.measure('websocket.reply_time', performance.now() - startedAt);
      if (captures?.({ headers: {}, body: asBody(text) }, context)?.fails) {
        throw new Error('Failed capture or match');
      }
    } catch (error) {
      samples.add({
        endpoint: 'WebSocket',
        code: nameError(error),
        requestBody: sent,
        body: text ?? '',
      });
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
