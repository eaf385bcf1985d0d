/** `emit`, with what it waits for: `acknowledge`, `response`, both or nothing. */

import { compileTemplate } from '../flow/template.js';
import { compileAcknowledge } from './acknowledgement.js';
import { compileResponse } from './response.js';
import { waitUntilSent } from './unsent.js';
import { socketsOf } from './user-sockets.js';

/** @typedef {import('./namespace-socket.js').NamespaceSocket} NamespaceSocket */

/**
 * @typedef {object} Sending one emit of one user
 * @property {NamespaceSocket} space
 * @property {any} context
 * @property {any[]} args event name first
 */

/** @type {import('../engine.d.ts').StepCompiler} */
export function compileEmit(spec, scope) {
  const { ee, helpers, services } = scope;
  const { recorder } = services;
  const namespace = compileTemplate(spec.namespace, helpers).fill;
  const toArgs = compileArgs(spec.emit, helpers);
  const acknowledge = spec.acknowledge ? compileAcknowledge(spec.acknowledge, scope) : null;
  const response =
    spec.response?.channel || spec.response?.on ? compileResponse(spec.response, scope) : null;

  /** @param {NamespaceSocket} space @param {any} context */
  const send = (space, context) => {
    recorder.count('socketio.emit', 1);
    ee.emit('rate', 'socketio.emit_rate');
    const sending = { space, context, args: toArgs(context) };
    // The answer is listened for before the question is sent.
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
    return answered ?? waitUntilSent(space);
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
 * @param {import('../engine.d.ts').Helpers} helpers
 * @returns {(context: any) => any[]}
 */
function compileArgs(emit, helpers) {
  // Without `data` a null is sent, as Artillery does.
  const args =
    typeof emit === 'string' ? [emit] : Array.isArray(emit) ? emit : [emit.channel, emit.data];
  const values = args.map((/** @type {any} */ value) => compileTemplate(value, helpers).fill);
  return context => {
    const filled = values.map(fill => fill(context));
    if (!['string', 'number'].includes(typeof filled[0])) throw new Error('invalid arguments');
    return filled;
  };
}
