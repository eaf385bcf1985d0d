/** The socket.io part of the engine: kinds of steps, and the life of a user's sockets. */
import { compileCounted } from '../flow/template.js';
import { addAnswerSample, compileCheck, waitLimitMs } from './check-answer.js';
import { compileEmit } from './emit-step.js';
import { closeSockets, openSockets, socketsOf } from './user-sockets.js';

/** @import { StepSpec } from '../../script.d.ts' */
/** @import { SocketEngine, StepCompiler } from '../engine.d.ts' */
/** @import { Push } from './inbox.js' */

/** For scenarios with `engine: socketio`; `connect:` without a value is a step, too. @type {SocketEngine} */
export const ENGINE = {
  steps: {
    emit: compileEmit,
    connect: compileConnect,
    disconnect: compileDisconnect,
    on: compileOn,
  },
  begin: addImplicitConnect,
  open: openSockets,
  close: closeSockets,
};

// -- Chooses where in a flow the default namespace is connected.

/** Steps that may belong to a login. */
const LOGIN_STEPS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'function', 'log'];

/**
 * Adds a `connect` step to the flow of a socket.io scenario, after the steps of a login, so that the handshake can use
 * what they captured. Leaves a flow that already has such a step unchanged.
 * @param {StepSpec[] | undefined} specs lists inside are flattened
 * @returns {StepSpec[]}
 */
function addImplicitConnect(specs) {
  /** @type {StepSpec[]} */
  const flow = [specs ?? []].flat(Number.POSITIVE_INFINITY);
  if (hasConnect(flow)) return flow;
  const first = flow.findIndex(step => !LOGIN_STEPS.some(kind => step[kind] !== undefined));
  return flow.toSpliced(first === -1 ? flow.length : first, 0, { connect: {} });
}

/** @param {unknown} steps @returns {boolean} */
function hasConnect(steps) {
  if (!Array.isArray(steps)) return false;
  return steps.some(
    step => step?.connect !== undefined || hasConnect(step?.loop) || hasConnect(step?.parallel),
  );
}

// -- Our own steps: `connect: {namespace?, auth?, extraHeaders?, query?}` and `disconnect: {namespace?}`; a text is the
//    namespace.

/** @type {StepCompiler} */
function compileConnect(spec, scope) {
  const resolve = compileCounted(toOptions(spec.connect), 'connect', scope);
  return async context => {
    const options = resolve(context);
    await socketsOf(context, scope).connect(options.namespace, options);
  };
}

/** @type {StepCompiler} */
function compileDisconnect(spec, scope) {
  const resolve = compileCounted(toOptions(spec.disconnect), 'disconnect', scope);
  return context => socketsOf(context, scope).disconnect(resolve(context).namespace);
}

/** @param {any} spec @returns {StepSpec} */
function toOptions(spec) {
  return typeof spec === 'string' ? { namespace: spec } : (spec ?? {});
}

// -- Our own step `on: {channel, data?, match?, capture?, timeout?, answer?}` waits for an event that the server
//    pushes. It takes the oldest one since the namespace connected that no step has taken.

/** @type {StepCompiler} */
function compileOn(spec, scope) {
  const { services, config } = scope;
  const { recorder } = services;
  const on = typeof spec.on === 'string' ? { channel: spec.on } : spec.on;
  const step = `on ${on.channel}`;
  const namespace = compileCounted(spec.namespace ?? on.namespace, step, scope);
  const toChannel = compileCounted(on.channel, step, scope);
  const answer = compileCounted(on.answer, step, scope);
  const check = compileCheck(on, step, scope);
  const limitMs = waitLimitMs(on, config);

  return async context => {
    const channel = toChannel(context);
    /** @type {Push | null} */
    let push = null;
    try {
      const { inbox } = await socketsOf(context, scope).reach(namespace(context));
      const fits = check.expect(context);
      const accept = (/** @type {Push} */ { args }) => fits(args);
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
