/** Executes a request step for one user: the request, its redirects, and the handling of its response. */

import { PassThrough } from 'node:stream';
import { promisify } from 'node:util';
import { nameEndpoint } from '../../../base/config/endpoint-names.js';
import { noteFailure } from '../../metrics/error-samples.js';
import { readRoute } from '../../metrics/server-side.js';
import { createAnswer } from './answer.js';
import { Exchange } from './connection/exchange.js';
import { takeLatenessMs } from './coordinated-omission.js';
import { findServername } from './headers.js';
import { connectionsOf, storeCookies } from './http-user.js';
import { findNextHop } from './redirects.js';
import { addLateHeaders } from './request-options.js';

/** @import { FilledRequest } from '../../script.d.ts' */
/** @import { Link } from './connection/client.js' */
/** @import { RequestOptions } from './request.d.ts' */
/** @import { RequestStep } from './request-step.js' */

export class RequestExecution {
  /**
   * @param {RequestStep} step
   * @param {any} context
   * @param {RequestOptions} options
   * @param {FilledRequest | null} request for hooks; null if there are none
   */
  constructor(step, context, options, request) {
    this.step = step;
    this.context = context;
    this.options = options;
    this.request = request;
    this.hops = 0;
    /** Addresses of earlier hops. @type {string[]} */
    this.visited = [];
    this.latenessMs = takeLatenessMs(context);
    this.traceparent = step.createTraceparent?.() ?? null;
    /** @type {Link | null} */
    this.link = null;
    this.resolve = /** @type {(value?: any) => void} */ (() => {});
    this.reject = /** @type {(error: any) => void} */ (() => {});
  }

  /** @returns {Promise<void>} ends with the last response */
  start() {
    return new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
      this.send(this.options);
    });
  }

  /** @param {RequestOptions} base */
  send(base) {
    this.options = base;
    const options = addLateHeaders(base, this.context, this.traceparent, this.step.scope);
    const exchange = this.createExchange(options);
    if (options.form) sendForm(exchange, options.form);
    else this.dispatch(exchange, options);
  }

  /** @param {RequestOptions} options */
  createExchange(options) {
    return new Exchange(this, options);
  }

  /** @param {Exchange} exchange @param {RequestOptions} options with its body */
  dispatch(exchange, options) {
    const { scope } = this.step;
    scope.transport.limits.watch(exchange);
    this.write(exchange, options);
    // An invalid request has failed by now, and does not count.
    if (exchange.failed) return;
    exchange.counted = true;
    scope.services.recorder.countRequest(options.endpoint);
  }

  /**
   * Gets the link only now: when its user ends, another user may get it.
   * @param {Exchange} exchange @param {RequestOptions} options
   */
  write(exchange, options) {
    const { tls, address } = options;
    this.link = this.findConnections().to(address.origin, tls, findServername(options));
    this.link.dispatch(options, exchange);
  }

  findConnections() {
    return connectionsOf(this.context);
  }

  /** @param {Exchange} exchange whose answer has begun */
  wantsBody({ status, options }) {
    const { step } = this;
    if (step.readsBody || step.scope.services.onRequest) return true;
    return status >= 400 && step.scope.services.samples.wants(options.endpointName, String(status));
  }

  /** @param {Exchange} exchange */
  onAnswer(exchange) {
    this.step.scope.transport.limits.forget(exchange);
    this.countAnswer(exchange);
    this.context._successCount++;
    try {
      this.proceed(exchange);
    } catch (error) {
      this.step.fail(exchange, error, '');
      this.step.report(exchange, { error });
      this.fail(error);
    }
  }

  /** @param {Exchange} exchange */
  proceed(exchange) {
    const { step, context } = this;
    const { status, rawHeaders, options } = exchange;
    /** @type {Record<string, any> | null} */
    let answer = null;
    const readAnswer = () => {
      answer ??= createAnswer(exchange, this.link, this.visited);
      return answer;
    };
    if (rawHeaders.find('set-cookie') !== null) {
      storeCookies(context, readAnswer().headers['set-cookie'], options.address.href, step.scope);
    }
    const mayLead = status >= 300 && status < 400;
    const next = mayLead ? findNextHop(this.options, status, readAnswer, this.hops) : null;
    if (next) {
      this.hops += 1;
      this.visited.push(options.address.href);
      step.report(exchange, {});
      this.send({ ...next, ...step.endpointOfHop(next, this.request) });
    } else this.finish(exchange, readAnswer);
  }

  /** The last hop has its response. @param {Exchange} exchange @param {() => Record<string, any>} readAnswer */
  finish(exchange, readAnswer) {
    const { step } = this;
    if (step.readsAnswer || exchange.chunks) {
      step.finish(this, exchange, readAnswer()).then(this.resolve, this.reject);
    } else {
      step.report(exchange, {});
      this.resolve();
    }
  }

  /** @param {Exchange} exchange @param {Error & {code?: string}} error */
  onFailure(exchange, error) {
    const { scope } = this.step;
    scope.transport.limits.forget(exchange);
    // As in Artillery, a response counts once it has begun, even if its body fails.
    if (exchange.status > 0) this.countAnswer(exchange);
    this.step.fail(exchange, error, error.message);
    this.step.report(exchange, { error });
    this.fail(error);
  }

  /** `onError` hooks run for requests that fail. @param {any} error */
  fail(error) {
    const reject = () => this.reject(error);
    this.step.runErrorHooks(error, this.request, this.context).then(reject, reject);
  }

  /** @param {Exchange} exchange */
  countAnswer(exchange) {
    const isOwn = exchange.options.address.origin === this.step.origin;
    const route = isOwn ? this.readRoute(exchange) : null;
    const { queuedAtMs, headersMs, endMs, status, bytes, parts, gzip, options } = exchange;
    const { endpoint } = options;
    const { recorder } = this.step.scope.services;
    const ttfbMs = exchange.timeToFirstByteMs;
    if (status >= 400) noteFailure(this.context, options.endpointName, String(status));
    // Its reader decides how long an event stream lasts: that is no response time of the endpoint.
    if (exchange.failed || endMs === 0) recorder.countAnswer(endpoint, status, ttfbMs);
    else {
      const totalMs = endMs - queuedAtMs;
      const fromIntendedMs = totalMs + this.latenessMs;
      const bodyMs = endMs - headersMs;
      recorder.countAnswer(endpoint, status, ttfbMs, totalMs, fromIntendedMs, bytes, bodyMs, parts);
      if (gzip) recorder.countGzip(endpoint, status, bytes, gzip);
    }
    this.latenessMs = 0;
    if (isOwn) {
      const noted = this.noteServer(exchange, route);
      exchange.instance = noted?.instance ?? null;
      exchange.reported = noted?.reported ?? null;
      this.step.scope.services.clock?.note(exchange, exchange.reported);
    }
  }

  /** The name of the route that the response names; its endpoint is that one from now on. @param {Exchange} exchange */
  readRoute(exchange) {
    const route = readRoute(exchange.rawHeaders.find('server-timing'));
    if (route === null) return null;
    const { name, options } = this.step.endpoints.ofRoute(exchange.options, route);
    exchange.options = options;
    return name;
  }

  /**
   * Notes what the response reports about its server; most report nothing.
   * @param {Exchange} exchange @param {string | null} route
   */
  noteServer({ rawHeaders, options, status, timeToFirstByteMs }, route) {
    const { scope } = this.step;
    const { recorder } = scope.services;
    const timing = rawHeaders.find('server-timing');
    const setsCookies = rawHeaders.find('set-cookie') !== null;
    if (timing === null && !setsCookies && !recorder.knowsBackends()) return null;
    const { method, address } = options;
    const { query } = this.step;
    const isWritten = this.hops === 0 && address.path.includes('?') === (query !== '');
    const groups = scope.config.loadflame?.endpoints;
    return recorder.noteServer(options.endpoint, {
      status,
      firstByteMs: timeToFirstByteMs,
      query: isWritten ? query : null,
      timing,
      readCalls: () => rawHeaders.find('loadflame-calls'),
      setCookies: setsCookies ? rawHeaders.read()['set-cookie'] : null,
      readCookie: () => options.headers[options.headers.indexOf('cookie') + 1] ?? '',
      isRouted: route === options.endpointName,
      readRoute:
        route === options.endpointName || (route === null && !options.isNamed)
          ? null
          : () => route ?? nameEndpoint({ method, url: address.href }, address.origin, groups),
    });
  }
}

/**
 * Sends multipart forms: their length is known only after reading the sizes of their files.
 * @param {import('./connection/exchange.js').Exchange} exchange
 * @param {() => import('form-data')} makeForm
 */
async function sendForm(exchange, makeForm) {
  const { options, execution } = exchange;
  try {
    const form = makeForm();
    const length = await promisify(form.getLength.bind(form))();
    const body = new PassThrough();
    form.on('error', error => body.destroy(error));
    form.pipe(body);
    const contentType = options.headers.includes('content-type')
      ? []
      : ['content-type', `multipart/form-data; boundary=${form.getBoundary()}`];
    const headers = [...options.headers, ...contentType, 'content-length', String(length)];
    execution.dispatch(exchange, { ...options, headers, body });
  } catch (error) {
    exchange.onError(/** @type {Error} */ (error));
  }
}
