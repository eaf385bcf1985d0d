/** All that is worked out once for a request step, and what is done with its answers. */

import { nameError, noteFailure } from '../../metrics/error-samples.js';
import { callHook, findHook } from '../flow/hooks.js';
import { fillTemplate } from '../flow/template.js';
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

/** Of Artillery's plugins: they read an answer's status and times, and run for every request. */
const HOOKS_WITHOUT_BODY = new Set(['metricsByEndpoint_afterResponse']);

/** Of a body that is kept for an error sample alone. */
const MAX_SAMPLE_BYTES = 65_536;

/** @typedef {ReturnType<typeof createRequestStep>} RequestStep */
/** @typedef {{context: any, request: FilledRequest | null}} Sending of a step, for one user */

/**
 * @param {RequestParams} params of the request, as written
 * @param {string} method
 * @param {HttpScope} scope
 */
export function createRequestStep(params, method, scope) {
  const { config, scenario, services, ee } = scope;
  const beforeRequest = [...scenario.beforeRequest, params.beforeRequest ?? []].flat();
  const afterResponse = [...scenario.afterResponse, params.afterResponse ?? []].flat();
  const capture = compileCaptures(params, scope);
  const builder = createOptionsBuilder(scope);

  const readsAnswer = capture !== null || afterResponse.length > 0;
  const readsBody = capture !== null || afterResponse.some(name => !HOOKS_WITHOUT_BODY.has(name));

  const step = {
    scope,
    beforeRequest,
    requestParams: compileRequestParams(params, method, scope),
    buildOptions: builder.build,
    /** hooks get what was asked and may change it */
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

    /** Of the target: what other servers say of themselves is not about it. */
    origin: originOf(config),

    /**
     * Captures, hooks, error samples: what needs the body of an answer.
     * @param {Sending} sending @param {Exchange} exchange
     * @param {Record<string, any>} answer
     */
    async finish({ context, request }, exchange, answer) {
      const { status } = exchange;
      let body = '';
      try {
        body = await readBody(exchange, answer.headers['content-encoding']).catch(error => {
          // What is read for a sample alone ends nobody.
          if (readsBody) throw error;
          return '';
        });
        if (readsAnswer) await readAnswer(body);
      } catch (error) {
        // Of a response that its status has counted as failed this is the same failure again.
        if (status >= 400) services.recorder.count(`http.refused.${nameError(error)}`, 1);
        step.sample(exchange, status >= 400 ? status : error, body);
        throw error;
      }
      if (status >= 400) step.sample(exchange, status, body);

      /** @param {string} text */
      async function readAnswer(text) {
        answer.body = text;
        const result = capture?.({ headers: answer.headers, body: text }, context);
        for (const template of afterResponse) {
          const name = fillTemplate(template, context);
          const hook = findHook(name, scope);
          if (!hook) console.log(`WARNING: custom function ${name} could not be found`);
          else {
            answer.body = text;
            const pending = callHook(name, hook, [request, answer, context, ee], scope);
            if (pending !== undefined) await pending;
          }
        }
        if (result?.fails) throw new Error('Failed capture or match');
      }
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
        traceparent: at < 0 ? null : options.headers[at + 1],
        instance,
      });
    },

    /**
     * @param {any} error @param {FilledRequest | null} request @param {any} context
     */
    async runErrorHooks(error, request, context) {
      for (const name of scenario.onError) {
        const hook = findHook(name, scope);
        if (hook) await callHook(name, hook, [error, request, context, ee], scope);
      }
    },
  };
  return step;
}
