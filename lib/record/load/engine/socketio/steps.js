/** The socket.io half of the engine: kinds of steps, and a user's sockets from first to last. */

import { compileTemplate } from '../flow/template.js';
import { compileEmit } from './emit-step.js';
import { compileOn } from './push-step.js';
import { closeSockets, openSockets, socketsOf } from './user-sockets.js';

/** @import { SocketRoom, StepCompiler } from '../engine.d.ts' */

/** Of a scenario of `engine: socketio`; `connect:` alone is a step, too. @type {SocketRoom} */
export const ROOM = {
  steps: [
    { kind: 'emit', matches: spec => spec.emit, compile: compileEmit },
    { kind: 'connect', matches: spec => spec.connect !== undefined, compile: compileConnect },
    {
      kind: 'disconnect',
      matches: spec => spec.disconnect !== undefined,
      compile: compileDisconnect,
    },
    { kind: 'on', matches: spec => spec.on !== undefined, compile: compileOn },
  ],
  begin: addImplicitConnect,
  open: openSockets,
  close: closeSockets,
};

// -- Where in a flow the default namespace is connected.

/** What a login is made of. */
const LOGIN_STEPS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'function', 'log'];

/**
 * A flow of a socket.io scenario, with a `connect` step after the steps that a login is made of, so
 * that what they captured reaches the handshake. A flow that has such a step decides itself.
 * @param {Record<string, any>[] | undefined} specs lists inside are flattened
 * @returns {Record<string, any>[]}
 */
export function addImplicitConnect(specs) {
  /** @type {Record<string, any>[]} */
  const flow = [specs ?? []].flat(Number.POSITIVE_INFINITY);
  if (hasConnect(flow)) return flow;
  const first = flow.findIndex(step => !LOGIN_STEPS.some(kind => step[kind] !== undefined));
  const at = first === -1 ? flow.length : first;
  return flow.toSpliced(at, 0, { connect: {} });
}

/** @param {unknown} steps @returns {boolean} */
function hasConnect(steps) {
  if (!Array.isArray(steps)) return false;
  return steps.some(
    step => step?.connect !== undefined || hasConnect(step?.loop) || hasConnect(step?.parallel),
  );
}

// -- Steps of ours: `connect: {namespace?, auth?, extraHeaders?, query?}` and
//    `disconnect: {namespace?}`; a text is the namespace.

/** @type {StepCompiler} */
function compileConnect(spec, scope) {
  const resolve = compileTemplate(toOptions(spec.connect)).fill;
  return async context => {
    const options = resolve(context);
    await socketsOf(context, scope).connect(options.namespace, options);
  };
}

/** @type {StepCompiler} */
function compileDisconnect(spec, scope) {
  const resolve = compileTemplate(toOptions(spec.disconnect)).fill;
  return context => socketsOf(context, scope).disconnect(resolve(context).namespace);
}

/** @param {any} spec @returns {Record<string, any>} */
function toOptions(spec) {
  return typeof spec === 'string' ? { namespace: spec } : (spec ?? {});
}
