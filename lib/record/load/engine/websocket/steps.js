/** The WebSocket half of the engine: kinds of steps, and where a user is connected. */
import { compileConnect } from './connect-step.js';
import { compileSend } from './send-step.js';

export { closeSocket } from './user-socket.js';

/** @typedef {import('../engine.d.ts').Scope} Scope */

/**
 * Is it a scenario of `engine: ws`?
 * @param {Pick<Scope, 'scenario' | 'config'>} scope
 */
export function isWebsocket({ scenario, config }) {
  return (scenario.engine || config.engine) === 'ws';
}

/** @type {import('../flow/step-kinds.js').StepKind[]} */
export const WEBSOCKET_STEPS = [
  { kind: 'connect', matches: has('connect'), compile: compileConnect },
  { kind: 'send', matches: has('send'), compile: compileSend },
  { kind: 'wait', matches: has('wait'), compile: compileSend },
];

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

/** @param {string} kind */
function has(kind) {
  return (/** @type {Record<string, any>} */ spec, /** @type {Scope} */ scope) =>
    spec[kind] !== undefined && isWebsocket(scope);
}
