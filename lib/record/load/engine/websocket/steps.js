/** The WebSocket half of the engine: kinds of steps, and where a user is connected. */

import { callHook, findHook } from '../flow/hooks.js';
import { compileTemplate } from '../flow/template.js';
import { targetOf } from '../http/address.js';
import { readTlsOptions } from '../http/connection/connector.js';
import { Handshake } from '../socketio/handshake.js';
import { compileSend } from './send-step.js';
import { closeSocket, openSocket } from './user-socket.js';

/** @import { Scope, SocketRoom, StepCompiler } from '../engine.d.ts' */

/** Of a scenario of `engine: ws`. @type {SocketRoom} */
export const ROOM = {
  steps: [
    { kind: 'connect', matches: spec => spec.connect !== undefined, compile: compileConnect },
    { kind: 'send', matches: spec => spec.send !== undefined, compile: compileSend },
    { kind: 'wait', matches: spec => spec.wait !== undefined, compile: compileSend },
  ],
  begin: beginWithConnect,
  close: closeSocket,
};

/**
 * A flow that does not begin with `connect` connects to the target, as in Artillery.
 * @param {Record<string, any>[] | undefined} specs lists inside are flattened
 * @returns {Record<string, any>[]}
 */
export function beginWithConnect(specs) {
  /** @type {Record<string, any>[]} */
  const flow = [specs ?? []].flat(Number.POSITIVE_INFINITY);
  return flow[0] && 'connect' in flow[0] ? flow : [{ connect: {} }, ...flow];
}

// -- `- connect: address`, or `{target, headers, subprotocols, …}` of `ws`, or `{function: name}`.

/** @type {StepCompiler} */
function compileConnect(spec, scope) {
  const { config } = scope;
  const { function: hookName, ...written } =
    typeof spec.connect === 'string' ? { target: spec.connect } : (spec.connect ?? {});
  const resolve = compileTemplate({ ...config.ws, ...written }).fill;
  const { options: tls, servername } = readTlsOptions(config.tls ?? {});

  return async context => {
    const base = targetOf(config, context);
    const { target = base, headers = {}, subprotocols = [], ...others } = resolve(context);
    const args = {
      target,
      subprotocols: [subprotocols].flat(),
      options: { ...others, headers },
    };
    if (hookName) await askHook(hookName, args, context, scope);
    const own = { address: args.target, extraHeaders: args.options.headers ?? {} };
    const handshake = new Handshake(context, own, scope);
    const address = toWebsocketUrl(args.target, base);
    await openSocket(context, scope, {
      address,
      subprotocols: args.subprotocols,
      options: {
        perMessageDeflate: false,
        ...args.options,
        // Made once for all users, at the first connection that needs it.
        ...(address.protocol === 'wss:' && {
          ...tls,
          secureContext: tls.secureContext,
          servername,
        }),
        headers: handshake.headers(),
      },
      handshake,
    });
  };
}

/**
 * Artillery's `connect: {function}`: it changes the arguments of the connection.
 * @param {string} name @param {Record<string, any>} args @param {any} context @param {Scope} scope
 */
async function askHook(name, args, context, scope) {
  const hook = findHook(name, scope);
  if (!hook) throw new Error(`Undefined function "${name}"`);
  await callHook(name, hook, [args, context], scope);
}

/**
 * Scripts share one target with HTTP scenarios, and may name a path below it.
 * @param {string} address @param {string} target
 */
function toWebsocketUrl(address, target) {
  return new URL(new URL(address, target).href.replace(/^http/, 'ws'));
}
