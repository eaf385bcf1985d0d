/** Request steps: `- get: {url: …}` and every other method. */

import { createRequire } from 'node:module';
import { secretsOfValue } from '../../../base/files/redaction.js';
import { tryOr } from '../../../base/files/try-or.js';
import { callNamedHook } from '../flow/hooks.js';
import { EMPTY, USED } from '../flow/template.js';
import { encodeOnce } from './connection/encode-request.js';
import { addOwnCookies } from './http-user.js';
import { RequestExecution } from './request-execution.js';
import { RequestStep } from './request-step.js';

/** @import { FilledRequest, RequestParams, StepSpec } from '../../script.d.ts' */
/** @import { Scope, Step } from '../engine.d.ts' */
/** @import { HttpScope } from './connection/connections.js' */
/** @import { RequestOptions } from './request.d.ts' */

const require = createRequire(import.meta.url);

/** @typedef {ConstructorParameters<typeof RequestExecution>} ToSend */

const send = (/** @type {ToSend} */ ...args) => new RequestExecution(...args).start();

/**
 * @param {StepSpec} spec @param {Scope} givenScope
 * @param {(...args: ToSend) => Promise<void>} [execute] sends the request, and reads the response
 * @returns {Step}
 */
export function compileRequest(spec, givenScope, execute = send) {
  const scope = /** @type {HttpScope} */ (givenScope);
  const [key = ''] = Object.keys(spec);
  const params = spec[key];
  const shouldSend = compileConditions(params, scope);
  const step = new RequestStep(params, key.toUpperCase(), scope);
  const { requestParams, beforeRequest, forHooks } = step;
  const isStatic = requestParams.isStatic && !forHooks;
  /** @type {RequestOptions | null} */
  let staticOptions = null;

  return context => {
    if (shouldSend && !shouldSend(context)) return undefined;
    if (isStatic && staticOptions && !context._defaultCookie) {
      return execute(step, context, staticOptions, null);
    }
    const request = requestParams.create(context, forHooks);
    if (beforeRequest.length > 0) return sendAfterHooks(request, context);
    return fillAndSend(request, context);
  };

  /** @param {FilledRequest} request @param {any} context */
  async function sendAfterHooks(request, context) {
    for (const template of beforeRequest) {
      const pending = callNamedHook(template, [request, context, scope.ee], context, scope);
      if (pending !== undefined) await pending;
    }
    // Only the hook knows secrets that it obtained.
    secretsOfValue([''], request.headers ?? {}).forEach(scope.services.learn);
    await fillAndSend(request, context);
  }

  /**
   * @param {FilledRequest} request @param {any} context
   * @returns {Promise<void>}
   */
  function fillAndSend(request, context) {
    /** @type {Set<string>} */
    const empty = new Set();
    context[EMPTY] = empty;
    const used = scope.services.onRequest ? new Map() : undefined;
    if (used) context[USED] = used;
    requestParams.fillIn(request, context);
    if (typeof request.cookie === 'object' || typeof context._defaultCookie === 'object') {
      addOwnCookies(context, request.cookie, request.url);
      request.cookie ??= {};
      if (forHooks) request.cookieJar = context._jar;
    }
    if (typeof request.url !== 'string' || !request.url.startsWith('http')) {
      throw new Error(`Invalid URL - ${request.url}`);
    }
    let options;
    try {
      options = step.buildOptions(request);
    } catch (error) {
      return step.runErrorHooks(error, request, context).then(() => {
        throw error;
      });
    }
    if (used) secretsOfValue([''], request).forEach(scope.services.learn);
    if (used) options.used = used;
    for (const name of empty) scope.services.recorder.countEmpty(options.endpoint, name);
    if (isStatic && !context._defaultCookie) staticOptions = freeze(options);
    return execute(step, context, options, forHooks ? request : null);
  }
}

/** Encodes a request that never changes only once. @param {RequestOptions} options */
function freeze(options) {
  // Sending it reports why it can't be sent.
  return options.form
    ? options
    : tryOr(options, () => ({ ...options, encoded: encodeOnce(options) }));
}

/**
 * Whether to send a request, by its `probability` and `ifTrue`.
 * @param {RequestParams} params
 * @param {Scope} scope
 * @returns {((context: any) => boolean) | null} null if it always is
 */
function compileConditions(params, { config }) {
  const { ifTrue, probability = 100 } = params;
  if (ifTrue === undefined && params.probability === undefined) return null;
  // Loaded now, not during the load, and only for scripts that have conditions.
  const { compileExpression } = require('filtrex');
  /** @type {((vars: any) => unknown) | undefined} */
  let expression;
  /** @param {any} context */
  const holds = context => {
    const own = Object.hasOwn(config.processor ?? {}, ifTrue) && config.processor[ifTrue];
    expression ??= own || compileExpression(ifTrue);
    return Boolean(/** @type {(vars: any) => unknown} */ (expression)(context.vars));
  };
  // Artillery's rule: if a condition can't be evaluated, the request is sent.
  return context =>
    Math.random() * 100 < Number(probability) &&
    (ifTrue === undefined || tryOr(true, () => holds(context)));
}
