/** The socket.io half of the engine: kinds of steps, and a user's sockets from first to last. */
import { compileConnect, compileDisconnect } from './connect-steps.js';
import { compileEmit } from './emit-step.js';
import { compileOn } from './push-step.js';

export { placeConnect } from './place-connect.js';
export { closeSockets, openSockets } from './user-sockets.js';

/** @typedef {import('../engine.d.ts').Scope} Scope */

/**
 * Is it a scenario of `engine: socketio`?
 * @param {Pick<Scope, 'scenario' | 'config'>} scope
 */
export function isSocketio({ scenario, config }) {
  return (scenario.engine || config.engine) === 'socketio';
}

/** @type {import('../flow/step-kinds.js').StepKind[]} */
export const SOCKETIO_STEPS = [
  { kind: 'emit', matches: (spec, scope) => spec.emit && isSocketio(scope), compile: compileEmit },
  { kind: 'connect', matches: has('connect'), compile: compileConnect },
  { kind: 'disconnect', matches: has('disconnect'), compile: compileDisconnect },
  { kind: 'on', matches: has('on'), compile: compileOn },
];

/** `connect:` alone is a step, too. @param {string} kind */
function has(kind) {
  return (/** @type {Record<string, any>} */ spec, /** @type {Scope} */ scope) =>
    spec[kind] !== undefined && isSocketio(scope);
}
