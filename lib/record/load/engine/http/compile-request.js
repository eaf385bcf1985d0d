/** Request steps: `- get: {url: …}` and every other method. */

import { compileConditions } from '../flow/conditions.js';
import { callHook, findHook } from '../flow/hooks.js';
import { Call } from './call.js';
import { addOwnCookies } from './cookies.js';
import { createPlan } from './plan.js';

/** @typedef {import('./plan.js').Plan} Plan */

/** @type {import('../engine.d.ts').StepCompiler} */
export function compileRequest(spec, givenScope) {
  const scope = /** @type {import('./transport.js').HttpScope} */ (givenScope);
  const [key = ''] = Object.keys(spec);
  const params = spec[key];
  if (!params?.url && !params?.uri) {
    return () => {
      throw new Error('an URL must be specified');
    };
  }
  const shouldSend = compileConditions(params, scope);
  const plan = createPlan(params, key.toUpperCase(), scope);
  const { requestParams, beforeRequest, forHooks } = plan;
  const isStatic = requestParams.isStatic && !forHooks;
  /** @type {import('./wire.js').Wire | null} */
  let staticWire = null;

  return context => {
    if (shouldSend && !shouldSend(context)) return undefined;
    if (isStatic && staticWire && !context._defaultCookie) {
      return new Call(plan, context, staticWire, null).start();
    }
    const request = requestParams.create(context, forHooks);
    if (beforeRequest.length > 0) return sendAfterHooks(request, context);
    return send(request, context);
  };

  /** @param {import('./request-params.js').RequestParams} request @param {any} context */
  async function sendAfterHooks(request, context) {
    for (const template of beforeRequest) {
      const name = scope.helpers.template(template, context);
      const hook = findHook(name, scope);
      if (!hook) console.log(`WARNING: custom function ${name} could not be found`);
      else {
        const pending = callHook(name, hook, [request, context, scope.ee], scope);
        if (pending !== undefined) await pending;
      }
    }
    await send(request, context);
  }

  /**
   * @param {import('./request-params.js').RequestParams} request @param {any} context
   * @returns {Promise<void>}
   */
  function send(request, context) {
    requestParams.fillIn(request, context);
    if (typeof request.cookie === 'object' || typeof context._defaultCookie === 'object') {
      addOwnCookies(context, request.cookie, request.url, scope.helpers);
      request.cookie ??= {};
      if (forHooks) request.cookieJar = context._jar;
    }
    if (typeof request.url !== 'string' || !request.url.startsWith('http')) {
      throw new Error(`Invalid URL - ${request.url}`);
    }
    let wire;
    try {
      wire = plan.buildWire(request);
    } catch (error) {
      return plan.runErrorHooks(error, request, context).then(() => {
        throw error;
      });
    }
    if (isStatic && !context._defaultCookie) staticWire = freeze(wire);
    return new Call(plan, context, wire, forHooks ? request : null).start();
  }
}

/** A body that never changes is encoded once. @param {import('./wire.js').Wire} wire */
function freeze(wire) {
  return typeof wire.body === 'string' ? wire.with({ body: Buffer.from(wire.body) }) : wire;
}
