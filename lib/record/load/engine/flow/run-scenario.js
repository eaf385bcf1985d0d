/** The life of a virtual user, from its arrival to the callback. */
import { nameError } from '../../metrics/error-samples.js';
import { endHttpUser, prepareHttpUser } from '../http/http-user.js';
import { addImplicitConnect, closeSockets, isSocketio, openSockets } from '../socketio/steps.js';
import { beginWithConnect, closeSocket, isWebsocket } from '../websocket/steps.js';
import { runSteps } from './run-steps.js';

/** @import { Scenario, Scope, Step } from '../engine.d.ts' */
/** @import { HttpScope } from '../http/connection/connections.js' */

/**
 * @param {HttpScope} scope
 * @returns {Scenario} never throws; the callback is called once
 */
export function compileScenario(scope) {
  const { scenario, ee } = scope;
  const asFunctions = (/** @type {string[]} */ names) => names.map(name => ({ function: name }));
  const steps = scope.compile([
    ...asFunctions(scenario.beforeScenario),
    ...withConnect(scope),
    ...asFunctions(scenario.afterScenario),
  ]);
  return (context, callback) => {
    prepareHttpUser(context, scope);
    openSockets(context);
    ee.emit('started');
    run(steps, context)
      .then(
        () => null,
        error => {
          ee.emit('error', nameError(error));
          return error ?? new Error('failed');
        },
      )
      .then(error => {
        endUser(context);
        callback?.(error, context);
      });
  };
}

/** A flow with the step that connects, where its engine has one. @param {Scope} scope */
function withConnect(scope) {
  const { flow } = scope.scenario;
  if (isSocketio(scope)) return addImplicitConnect(flow);
  return isWebsocket(scope) ? beginWithConnect(flow) : (flow ?? []);
}

/** @param {Step[]} steps @param {any} context */
async function run(steps, context) {
  await runSteps(steps, context);
}

/** @param {any} context */
function endUser(context) {
  closeSockets(context);
  closeSocket(context);
  endHttpUser(context);
}
