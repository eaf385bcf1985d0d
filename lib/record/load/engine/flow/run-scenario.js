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
    void run(context).then(error => {
      sockets?.close(context);
      endHttpUser(context);
      callback?.(error, context);
    });
  };

  /** @param {any} context @returns {Promise<any>} the error that ended the user, or null */
  async function run(context) {
    try {
      await runSteps(steps, context);
      return null;
    } catch (error) {
      ee.emit('error', nameError(error));
      return error ?? new Error('failed');
    }
  }
}
