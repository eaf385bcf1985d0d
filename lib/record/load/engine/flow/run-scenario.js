/** The life of a virtual user, from its arrival to the callback. */
import { nameError } from '../../metrics/error-samples.js';
import { endHttpUser, prepareHttpUser } from '../http/http-user.js';
import { runSteps } from './run-steps.js';

/** @import { Scenario } from '../engine.d.ts' */
/** @import { HttpScope } from '../http/connection/connections.js' */

/**
 * @param {HttpScope} scope
 * @returns {Scenario} never throws; the callback is called once
 */
export function compileScenario(scope) {
  const { scenario, ee, sockets } = scope;
  const asFunctions = (/** @type {string[]} */ names) => names.map(name => ({ function: name }));
  const steps = scope.compile([
    ...asFunctions(scenario.beforeScenario),
    ...(sockets ? sockets.begin(scenario.flow) : (scenario.flow ?? [])),
    ...asFunctions(scenario.afterScenario),
  ]);
  return (context, callback) => {
    prepareHttpUser(context, scope);
    sockets?.open?.(context);
    ee.emit('started');
    const end = (/** @type {any} */ error) => {
      sockets?.close(context);
      endHttpUser(context);
      callback?.(error, context);
    };
    const fail = (/** @type {any} */ error) => {
      ee.emit('error', nameError(error));
      end(error ?? new Error('failed'));
    };
    start(context).then(() => end(null), fail);
  };

  /** A flow that ends at once ends later, too. @param {any} context @returns {Promise<void>} */
  function start(context) {
    try {
      return runSteps(steps, context) ?? Promise.resolve();
    } catch (error) {
      return Promise.reject(error);
    }
  }
}
