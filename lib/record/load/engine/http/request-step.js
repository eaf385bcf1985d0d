/** Prepares a request step once for all users, and handles its responses. */

import { nameError, noteFailure, ofAttempts } from '../../metrics/error-samples.js';
import { callNamedHook, requireHook } from '../flow/hooks.js';
import { originOf } from './address.js';
import { MOST_BODY_BYTES, readBody } from './answer.js';
import { compileCaptures } from './captures.js';
import { createTraceparents } from './headers.js';
import { createOptionsBuilder } from './request-options.js';
import { compileRequestParams } from './request-params.js';

/** @import { FilledRequest, RequestParams } from '../../script.d.ts' */
/** @import { HttpScope } from './connection/connections.js' */
/** @import { Exchange } from './connection/exchange.js' */
/** @import { RequestOptions } from './request.d.ts' */

/** Hooks of Artillery's plugins that read only status and times of a response, and run for every request. */
const HOOKS_WITHOUT_BODY = new Set(['metricsByEndpoint_afterResponse']);

/** Limit of a body that is kept only for an error sample. */
const MAX_SAMPLE_BYTES = 65_536;

/** @typedef {ReturnType<typeof createRequestStep>} RequestStep */
/** @typedef {{context: any, request: FilledRequest | null}} Sending a step of one user */

/**
 * @param {RequestParams} params of the request, as written
 * @param {string} method
 * @param {HttpScope} scope
 */
export function createRequestStep(params, method, scope) {
  const { config, scenario, services, ee } = scope;
  const beforeRequest = [...scenario.beforeRequest, params.beforeRequest ?? []].flat();
  const afterResponse = [...scenario.afterResponse, params.afterResponse ?? []].flat();
  // Without them, users would send something else.
  for (const name of [beforeRequest, afterResponse, scenario.onError].flat())
    if (!`${name}`.includes('{{')) requireHook(name, scope);
  const capture = compileCaptures(params, scope);
  const builder = createOptionsBuilder(scope);

  const readsAnswer = capture !== null || afterResponse.length > 0;
  const readsBody = capture !== null || afterResponse.some(name => !HOOKS_WITHOUT_BODY.has(name));

  const step = {
    scope,
    beforeRequest,
    requestParams: compileRequestParams(params, method, scope),
    buildOptions: builder.build,
    /** hooks get the request and may modify it */
    forHooks: beforeRequest.length > 0 || afterResponse.length > 0 || scenario.onError.length > 0,
    readsAnswer,
    readsBody,
    maxBodyBytes: readsBody ? MOST_BODY_BYTES : MAX_SAMPLE_BYTES,
    createTraceparent: createTraceparents(config),

    /**
     * The endpoint of the next hop of a redirect.
     * @param {RequestOptions} options @param {FilledRequest | null} request
     */
    endpointOfHop: (options, request) =>
      builder.endpointOf(options.method, options.address, request?.name ?? params.name),

    /** Of the target: reports of other servers are not about it. */
    origin: originOf(config),

    /**
     * Captures, hooks, error samples: everything that needs the body of a response.
     * @param {Sending} sending @param {Exchange} exchange
     * @param {Record<string, any>} answer
     */
    async finish({ context, request }, exchange, answer) {
      const { status } = exchange;
      let body = '';
      try {
        body = await readBody(exchange, answer.headers['content-encoding']).catch(error => {
          // A body that is read only for a sample must not end the user.
          if (readsBody) throw error;
          return '';
        });
        if (readsAnswer) await readAnswer(body);
      } catch (error) {
        step.fail(exchange, error, body);
        throw error;
      }
      if (status >= 400) step.sample(exchange, status, body);

      /** @param {string} text */
      async function readAnswer(text) {
        answer.body = text;
        const failure = capture?.({ headers: answer.headers, body: text }, context);
        for (const template of afterResponse) {
          answer.body = text;
          const pending = callNamedHook(template, [request, answer, context, ee], context, scope);
          if (pending !== undefined) await pending;
        }
        if (failure) throw failure;
      }
    },

    /**
     * A request failed by something else than its status: counts it once, and keeps a sample.
     * @param {Exchange} exchange @param {any} error @param {string | null} body null: without a sample
     */
    fail(exchange, error, body) {
      const { status, counted, options } = exchange;
      const { recorder } = services;
      if (counted) ofAttempts.add(Object(error));
      // If the status has counted the response as failed, this is the same failure again.
      if (status >= 400) recorder.count(`http.refused.${nameError(error)}`, 1);
      else if (counted) recorder.countFailure(options.endpoint, status > 0 ? 'broken' : 'errors');
      if (body !== null) step.sample(exchange, status >= 400 ? status : error, body);
    },

    /**
     * @param {Exchange} exchange
     * @param {any} reason status, or what failed
     * @param {string} body
     */
    sample({ execution, options, status, rawHeaders, instance }, reason, body) {
      const code = typeof reason === 'number' ? String(reason) : nameError(reason);
      noteFailure(execution.context, options.endpointName, code);
      if (!services.samples.wants(options.endpointName, code)) return;
      const at = options.headers.indexOf('traceparent');
      services.samples.add({
        endpoint: options.endpointName,
        code,
        url: options.address.href,
        status: status || null,
        headers: rawHeaders.read(),
        sent: options.headers,
        requestBody: options.body,
        body,
        expression: reason.expression,
        traceparent: at < 0 ? null : options.headers[at + 1],
        instance,
      });
    },

    /**
     * @param {any} error @param {FilledRequest | null} request @param {any} context
     */
    async runErrorHooks(error, request, context) {
      for (const name of scenario.onError)
        await callNamedHook(name, [error, request, context, ee], context, scope);
    },
  };
  return step;
}
