/** A request step under way for one user: the request, its redirects, and what follows. */

import { nameEndpoint } from '../../metrics/endpoint-name.js';
import { createAnswer } from './answer.js';
import { nameOptions } from './connections.js';
import { storeCookies } from './cookies.js';
import { Exchange } from './exchange.js';
import { sendForm } from './form.js';
import { findHeader, readHeaders } from './headers.js';
import { connectionsOf, takeLatenessMs } from './http-user.js';
import { addLateHeaders } from './late-headers.js';
import { findNextHop } from './redirects.js';

export class Call {
  /**
   * @param {import('./compile-request.js').Plan} plan
   * @param {any} context
   * @param {import('./wire.js').Wire} wire
   * @param {import('./request-params.js').RequestParams | null} request for hooks; null if there are none
   */
  constructor(plan, context, wire, request) {
    this.plan = plan;
    this.context = context;
    this.wire = wire;
    this.request = request;
    this.hops = 0;
    this.latenessMs = takeLatenessMs(context);
    this.traceparent = plan.createTraceparent?.() ?? null;
    /** @type {import('./connections.js').ConnectTimes} */
    this.connectTimes = {};
    /** @type {import('undici').Dispatcher | null} */
    this.dispatcher = null;
    this.resolve = /** @type {(value?: any) => void} */ (() => {});
    this.reject = /** @type {(error: any) => void} */ (() => {});
  }

  /** @returns {Promise<void>} ends with the last answer */
  start() {
    return new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
      this.send(this.wire);
    });
  }

  /** @param {import('./wire.js').Wire} base */
  send(base) {
    const { plan, context } = this;
    const { scope } = plan;
    this.wire = base;
    const wire = addLateHeaders(base, context, this.traceparent, scope);
    const connections = connectionsOf(context);
    const connection = wire.tls
      ? connections.to(
          wire.address.origin,
          scope.transport.connectorFor(wire.tls),
          nameOptions(wire.tls),
        )
      : connections.to(wire.address.origin);
    this.connectTimes = connection.times;
    const exchange = new Exchange(this, wire);
    this.dispatcher = connection.dispatcher;
    if (wire.form) sendForm(exchange, wire.form);
    else this.dispatch(exchange, wire);
  }

  /** @param {Exchange} exchange @param {import('./wire.js').Wire} wire with its body */
  dispatch(exchange, wire) {
    const { scope, events } = this.plan;
    scope.transport.limits.watch(exchange);
    this.dispatcher?.dispatch(/** @type {any} */ (wire), /** @type {any} */ (exchange));
    // One that can't be sent as it is has failed by now, and was no request.
    if (exchange.failed) return;
    exchange.counted = true;
    scope.services.recorder.countRequest(wire.endpoint);
    events.request?.(this);
  }

  /** Nothing of it was sent: its connection failed for another reason. @param {Exchange} exchange */
  sendAgain(exchange) {
    setImmediate(() =>
      this.dispatcher?.dispatch(/** @type {any} */ (exchange.wire), /** @type {any} */ (exchange)),
    );
  }

  /** @param {Exchange} exchange whose answer has begun */
  wantsBody({ status, wire }) {
    const { plan } = this;
    if (plan.readsAnswer) return true;
    return status >= 400 && plan.scope.services.samples.wants(wire.endpointName, String(status));
  }

  /** @param {Exchange} exchange */
  onAnswer(exchange) {
    this.plan.scope.transport.limits.forget(exchange);
    this.countAnswer(exchange);
    this.context._successCount++;
    try {
      this.goOn(exchange);
    } catch (error) {
      this.plan.sample(exchange, error, '');
      this.fail(error);
    }
  }

  /** @param {Exchange} exchange */
  goOn(exchange) {
    const { plan, context } = this;
    const { status, rawHeaders, wire } = exchange;
    /** @type {Record<string, any> | null} */
    let answer = null;
    const readAnswer = () => {
      answer ??= createAnswer(exchange, this.connectTimes);
      return answer;
    };
    plan.events.response?.(this, readAnswer);
    if (findHeader(rawHeaders, 'set-cookie') !== null) {
      storeCookies(context, readAnswer().headers['set-cookie'], wire.address.href, plan.scope.ee);
    }
    const next =
      status >= 300 && status < 400 ? findNextHop(this.wire, status, readAnswer, this.hops) : null;
    if (next) {
      this.hops += 1;
      this.send(next.with(plan.endpointOfHop(next, this.request)));
    } else if (plan.readsAnswer || exchange.chunks) {
      plan.finish(this, exchange, readAnswer()).then(this.resolve, this.reject);
    } else this.resolve();
  }

  /** @param {Exchange} exchange @param {Error & {code?: string}} error */
  onFailure(exchange, error) {
    const { scope } = this.plan;
    scope.transport.limits.forget(exchange);
    // As Artillery counts: an answer that has begun is one, whatever becomes of its body.
    if (exchange.status > 0) this.countAnswer(exchange);
    else if (exchange.counted) scope.services.recorder.countNoAnswer(exchange.wire.endpoint);
    this.plan.sample(exchange, error, error.message);
    this.plan.events.error?.(this, error);
    this.fail(error);
  }

  /** `onError` hooks run for requests that fail. @param {any} error */
  fail(error) {
    this.plan.runErrorHooks(error, this.request, this.context).then(
      () => this.reject(error),
      () => this.reject(error),
    );
  }

  /** @param {Exchange} exchange */
  countAnswer(exchange) {
    const { wishMs, endMs, status, bytes, wire } = exchange;
    const { recorder } = this.plan.scope.services;
    const ttfbMs = exchange.timeToFirstByteMs;
    if (exchange.failed) recorder.countAnswer(wire.endpoint, status, ttfbMs);
    else {
      const totalMs = endMs - wishMs;
      const fromIntendedMs = totalMs + this.latenessMs;
      recorder.countAnswer(wire.endpoint, status, ttfbMs, totalMs, fromIntendedMs, bytes);
    }
    this.latenessMs = 0;
    if (exchange.wire.address.origin === this.plan.targetOrigin) {
      this.plan.scope.services.clock?.note(exchange);
    }
    this.noteServer(exchange);
  }

  /** What the answer says of the server behind it; most say nothing. @param {Exchange} exchange */
  noteServer({ rawHeaders, wire }) {
    const { targetOrigin, scope } = this.plan;
    const { recorder } = scope.services;
    const timing = findHeader(rawHeaders, 'server-timing');
    const setsCookies = findHeader(rawHeaders, 'set-cookie') !== null;
    if (timing === null && !setsCookies && !recorder.knowsBackends()) return;
    if (wire.address.origin !== targetOrigin) return;
    const { method, address } = wire;
    recorder.noteServer(wire.endpoint, {
      timing,
      setCookies: setsCookies ? readHeaders(rawHeaders)['set-cookie'] : null,
      readCookie: () => wire.headers[wire.headers.indexOf('cookie') + 1] ?? '',
      readRoute: wire.isNamed
        ? () => nameEndpoint({ method, url: address.href }, address.origin)
        : null,
    });
  }
}
