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
/** @import { Outcome } from '../../metrics/whole-request.js' */
/** @import { Exchange } from './connection/exchange.js' */
/** @import { RequestOptions } from './request.d.ts' */

/** Hooks of Artillery's plugins that read only status and times of a response, and run for every request. */
const HOOKS_WITHOUT_BODY = new Set(['metricsByEndpoint_afterResponse']);

/** Limit of a body that is kept only for an error sample. */
const MAX_SAMPLE_BYTES = 65_536;

/** @typedef {{context: any, request: FilledRequest | null}} Sending a step of one user */

export class RequestStep {
  #params;
  #capture;
  #afterResponse;

  /**
   * @param {RequestParams} params of the request, as written
   * @param {string} method
   * @param {HttpScope} scope
   */
  constructor(params, method, scope) {
    const { config, scenario } = scope;
    const beforeRequest = [...scenario.beforeRequest, params.beforeRequest ?? []].flat();
    const afterResponse = [...scenario.afterResponse, params.afterResponse ?? []].flat();
    // Without them, users would send something else.
    for (const name of [beforeRequest, afterResponse, scenario.onError].flat())
      if (!`${name}`.includes('{{')) requireHook(name, scope);
    const capture = compileCaptures(params, scope);
    const { build, endpoints } = createOptionsBuilder(scope);
    const { url, uri, qs } = params;
    const pairs = Object.entries(qs ?? {}).map(pair => pair.join('='));
    const written = qs ? `?${pairs.join('&')}` : `${url || uri}`;
    this.#params = params;
    this.#capture = capture;
    this.#afterResponse = afterResponse;
    this.scope = scope;
    this.beforeRequest = beforeRequest;
    /** As written, with its `?`; empty without one. */
    this.query = /\?[^#]+/.exec(written)?.[0] ?? '';
    this.requestParams = compileRequestParams(params, method, scope);
    this.buildOptions = build;
    this.endpoints = endpoints;
    /** hooks get the request and may modify it */
    this.forHooks =
      beforeRequest.length > 0 || afterResponse.length > 0 || scenario.onError.length > 0;
    this.readsAnswer = capture !== null || afterResponse.length > 0;
    this.readsBody = capture !== null || afterResponse.some(name => !HOOKS_WITHOUT_BODY.has(name));
    this.maxBodyBytes = this.readsBody ? MOST_BODY_BYTES : MAX_SAMPLE_BYTES;
    this.createTraceparent = createTraceparents(config);
    /** Of the target: reports of other servers are not about it. */
    this.origin = originOf(config);
  }

  /**
   * The endpoint of the next hop of a redirect.
   * @param {RequestOptions} options @param {FilledRequest | null} request
   */
  endpointOfHop(options, request) {
    const name = request?.name ?? this.#params.name;
    return this.endpoints.of(options.method, options.address, name);
  }

  /**
   * Captures, hooks, error samples: everything that needs the body of a response.
   * @param {Sending} sending @param {Exchange} exchange
   * @param {Record<string, any>} answer
   */
  async finish(sending, exchange, answer) {
    const { status } = exchange;
    let body = '';
    /** @type {Outcome} */
    const outcome = {};
    try {
      body = await readBody(exchange, answer.headers['content-encoding']).catch(error => {
        // A body that is read only for a sample must not end the user.
        if (this.readsBody) throw error;
        return '';
      });
      if (this.readsAnswer) await this.#readAnswer(sending, answer, body, outcome);
    } catch (error) {
      this.fail(exchange, error, body);
      outcome.error = error;
      throw error;
    } finally {
      this.report(exchange, { ...outcome, body });
    }
    if (status >= 400) this.sample(exchange, status, body);
  }

  /**
   * @param {Sending} sending
   * @param {Record<string, any>} answer
   * @param {string} body
   * @param {Outcome} outcome is added to
   */
  async #readAnswer({ context, request }, answer, body, outcome) {
    const { scope } = this;
    answer.body = body;
    const failure = this.#capture?.({ headers: answer.headers, body }, context, found => {
      outcome.found = found;
    });
    for (const template of this.#afterResponse) {
      answer.body = body;
      const args = [request, answer, context, scope.ee];
      const pending = callNamedHook(template, args, context, scope);
      if (pending !== undefined) await pending;
      // Of the plugin `expect`.
      if (`${template}`.startsWith('expectations'))
        outcome.expectations = context.expectations?.at(-1)?.results;
    }
    if (failure) throw failure;
  }

  /**
   * A request failed by something else than its status: counts it once, and keeps a sample.
   * @param {Exchange} exchange @param {any} error @param {string | null} body null: without a sample
   */
  fail(exchange, error, body) {
    const { status, counted, options } = exchange;
    const { recorder } = this.scope.services;
    if (counted) ofAttempts.add(Object(error));
    // If the status has counted the response as failed, this is the same failure again.
    if (status >= 400) recorder.count(`http.refused.${nameError(error)}`, 1);
    else if (counted) recorder.countFailure(options.endpoint, status > 0 ? 'broken' : 'errors');
    if (body !== null) this.sample(exchange, status >= 400 ? status : error, body);
  }

  /** Reports a request whole. @param {Exchange} exchange @param {Outcome} outcome */
  report(exchange, outcome) {
    const { onRequest, slowest } = this.scope.services;
    onRequest?.(exchange, outcome);
    slowest?.offer(exchange, outcome);
  }

  /**
   * @param {Exchange} exchange
   * @param {any} reason status, or what failed
   * @param {string} body
   */
  sample({ execution, options, status, rawHeaders, instance }, reason, body) {
    const { samples } = this.scope.services;
    const code = typeof reason === 'number' ? String(reason) : nameError(reason);
    noteFailure(execution.context, options.endpointName, code);
    if (!samples.wants(options.endpointName, code)) return;
    const at = options.headers.indexOf('traceparent');
    samples.add({
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
  }

  /**
   * @param {any} error @param {FilledRequest | null} request @param {any} context
   */
  async runErrorHooks(error, request, context) {
    const { scenario, ee } = this.scope;
    for (const name of scenario.onError)
      await callNamedHook(name, [error, request, context, ee], context, this.scope);
  }
}
