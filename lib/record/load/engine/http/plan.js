/** All that is worked out once for a request step, and what is done with its answers. */
import { nameError } from '../../metrics/error-samples.js';
import { callHook, findHook } from '../flow/hooks.js';
import { readBody } from './answer.js';
import { createWireBuilder } from './build-wire.js';
import { compileCaptures } from './captures.js';
import { readHeaders } from './headers.js';
import { createTraceparents } from './late-headers.js';
import { compileRequestParams } from './request-params.js';
import { createTraceEvents } from './trace-events.js';

/** Of a body that is kept for an error sample alone. */
const MAX_SAMPLE_BYTES = 65_536;

/** @typedef {ReturnType<typeof createPlan>} Plan */

/**
 * @param {Record<string, any>} params of the request, as written
 * @param {string} method
 * @param {import('./transport.js').HttpScope} scope
 */
export function createPlan(params, method, scope) {
  const { config, scenario, services, ee, helpers } = scope;
  const beforeRequest = [...scenario.beforeRequest, params.beforeRequest ?? []].flat();
  const afterResponse = [...scenario.afterResponse, params.afterResponse ?? []].flat();
  const capture = compileCaptures(params, scope);
  const events = createTraceEvents(ee);
  const builder = createWireBuilder(scope);

  const readsAnswer = capture !== null || afterResponse.length > 0;

  const plan = {
    scope,
    beforeRequest,
    requestParams: compileRequestParams(params, method, scope),
    buildWire: builder.build,
    /** hooks get what was asked and may change it */
    forHooks:
      beforeRequest.length > 0 ||
      afterResponse.length > 0 ||
      scenario.onError.length > 0 ||
      events.isHeard,
    readsAnswer,
    maxBodyBytes: readsAnswer ? Number.POSITIVE_INFINITY : MAX_SAMPLE_BYTES,
    createTraceparent: createTraceparents(config),
    events,

    /**
     * The endpoint of the next hop of a redirect.
     * @param {import('./wire.js').Wire} wire @param {Record<string, any> | null} request
     */
    endpointOfHop: (wire, request) =>
      builder.endpointOf(wire.method, wire.address, request?.name ?? params.name),

    /** Origin of the target: what other servers say of themselves is not about it. */
    targetOrigin: URL.canParse(config.target ?? '') ? new URL(config.target).origin : null,

    /**
     * Captures, hooks, error samples: what needs the body of an answer.
     * @param {import('./call.js').Call} call @param {import('./exchange.js').Exchange} exchange
     * @param {Record<string, any>} answer
     */
    async finish(call, exchange, answer) {
      const { context, request } = call;
      const { status } = exchange;
      let body = '';
      try {
        body = await readBody(exchange, answer.headers['content-encoding']);
        if (readsAnswer) await readAnswer(body);
      } catch (error) {
        // What is read for a sample alone ends nobody.
        if (readsAnswer) {
          plan.sample(exchange, error, body);
          throw error;
        }
      }
      if (status >= 400) plan.sample(exchange, status, body);

      /** @param {string} text */
      async function readAnswer(text) {
        answer.body = text;
        const result = capture?.({ headers: answer.headers, body: text }, context);
        if (result) events.capture?.(call, result.found);
        for (const template of afterResponse) {
          const name = helpers.template(template, context);
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
     * @param {import('./exchange.js').Exchange} exchange
     * @param {any} reason status, or what failed
     * @param {string} body
     */
    sample({ wire, status, rawHeaders }, reason, body) {
      const code = typeof reason === 'number' ? String(reason) : nameError(reason);
      if (!services.samples.wants(wire.endpointName, code)) return;
      const traceparent = wire.headers[wire.headers.indexOf('traceparent') + 1];
      services.samples.add({
        endpoint: wire.endpointName,
        code,
        url: wire.address.href,
        status: status || null,
        headers: readHeaders(rawHeaders),
        body,
        traceparent: wire.headers.includes('traceparent') ? traceparent : null,
      });
    },

    /**
     * @param {any} error @param {Record<string, any> | null} request @param {any} context
     */
    async runErrorHooks(error, request, context) {
      for (const name of scenario.onError) {
        const hook = findHook(name, scope);
        if (hook) await callHook(name, hook, [error, request, context, ee], scope);
      }
    },
  };
  return plan;
}
