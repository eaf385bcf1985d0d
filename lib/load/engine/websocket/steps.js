/** The WebSocket part of the engine: kinds of steps, and the connection of a user. */

import { parseExact, parseOrNull } from '../../../base/files/parse-json.js';
import { optionsOfProxy } from '../../../base/process/proxies.js';
import { nameError } from '../../metrics/error-samples.js';
import { callHook, requireHook } from '../flow/hooks.js';
import { compileCounted } from '../flow/template.js';
import { compileCaptures } from '../http/captures.js';
import { readTlsOptions } from '../http/connection/connector.js';
import { waitLimitMs } from '../socketio/check-answer.js';
import { Handshake } from '../socketio/handshake.js';
import { closeSocket, openSocket, socketOf } from './user-socket.js';

/** @import { StepSpec } from '../../script.d.ts' */
/** @import { SocketEngine, StepCompiler } from '../engine.d.ts' */

/** For scenarios with `engine: ws`. @type {SocketEngine} */
export const ENGINE = {
  steps: { connect: compileConnect, send: compileSend, wait: compileSend },
  begin: beginWithConnect,
  close: closeSocket,
};

/**
 * A flow that does not begin with `connect` connects to the target, as in Artillery.
 * @param {StepSpec[] | undefined} specs lists inside are flattened
 * @returns {StepSpec[]}
 */
function beginWithConnect(specs) {
  /** @type {StepSpec[]} */
  const flow = [specs ?? []].flat(Number.POSITIVE_INFINITY);
  return flow[0] && 'connect' in flow[0] ? flow : [{ connect: {} }, ...flow];
}

// -- `- connect: address`, or `{target, headers, subprotocols, …}` of `ws`, or `{function: name}`.

/** @type {StepCompiler} */
function compileConnect(spec, scope) {
  const { config } = scope;
  const { function: hookName, ...written } =
    typeof spec.connect === 'string' ? { target: spec.connect } : (spec.connect ?? {});
  const resolve = compileCounted({ ...config.ws, ...written }, 'connect', scope);
  const { options: tls, servername } = readTlsOptions(config.tls ?? {});

  return async context => {
    const { target = config.target, headers = {}, subprotocols = [], ...others } = resolve(context);
    const options = { ...others, headers };
    const args = { target, subprotocols: [subprotocols].flat(), options };
    // Artillery's `connect: {function}` modifies the arguments of the connection.
    if (hookName) await callHook(hookName, requireHook(hookName, scope), [args, context], scope);
    const own = { address: args.target, extraHeaders: args.options.headers ?? {} };
    const handshake = new Handshake(context, own, scope);
    // The target may be shared with HTTP scenarios, and a script may name a path below it.
    const { href } = new URL(args.target, config.target);
    const address = new URL(href.replace(/^http/, 'ws'));
    await openSocket(context, scope, {
      address,
      subprotocols: args.subprotocols,
      options: {
        perMessageDeflate: false,
        ...optionsOfProxy(address),
        ...args.options,
        // Created once for all users, at the first connection that needs it.
        ...(address.protocol === 'wss:' && { ...tls, servername }),
        headers: handshake.headers(),
      },
      handshake,
    });
  };
}

// -- `- send: text or object`; with `capture` or `match` below it, or `reply: true` next to it, the step ends when the
//    next message has come. `- wait: {capture, match}` waits without sending.

/** @type {StepCompiler} */
function compileSend(spec, scope) {
  const { config, services } = scope;
  const { recorder, samples } = services;
  const params = spec.wait ?? spec.send;
  const captures =
    params !== null && typeof params === 'object' ? compileCaptures(params, scope) : null;
  // An object without these keys is the message itself, as in Artillery.
  const written = captures ? params.payload : spec.wait === undefined ? params : undefined;
  const payload = compileCounted(written, 'send', scope);
  const waits = captures !== null || spec.reply === true || spec.wait !== undefined;
  const limitMs = waitLimitMs(spec, { timeout: config.timeout || config.ws?.timeout });

  return async context => {
    const socket = socketOf(context);
    const message = payload(context);
    const sent = message === undefined ? null : toText(message);
    const startedAt = performance.now();
    let text = null;
    try {
      const sending = sent === null ? undefined : socket.send(sent);
      if (!waits) return await sending;
      // The response may arrive before the system reports that the message is sent.
      [text] = await Promise.all([socket.next(limitMs), sending]);
      recorder.count('websocket.replies', 1);
      recorder.measure('websocket.reply_time', performance.now() - startedAt);
      // Captures with `json` read a message that is JSON.
      const body = parseOrNull(text, parseExact) ?? text;
      const failure = captures?.({ headers: {}, body }, context);
      if (failure) throw failure;
    } catch (error) {
      const code = nameError(error);
      const { expression } = /** @type {{expression?: unknown}} */ (error);
      samples.add({ endpoint: 'WebSocket', code, requestBody: sent, body: text ?? '', expression });
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
