/** `- sse: {url, until, match, capture, …}`: opens a stream of server-sent events and reads it until the step is over. */
import { parseNumber, parseSeconds } from '../../script/durations.js';
import { compileCaptures, findCaptures } from '../http/captures.js';
import { compileRequest } from '../http/compile-request.js';
import { Exchange } from '../http/connection/exchange.js';
import { withoutHeader } from '../http/headers.js';
import { RequestExecution } from '../http/request-execution.js';
import { EventParser } from './event-parser.js';

/** @import { CaptureSpec } from '../../script.d.ts' */
/** @import { StepCompiler } from '../engine.d.ts' */
/** @import { Connections } from '../http/connection/connections.js' */
/** @import { RequestOptions } from '../http/request.d.ts' */
/** @import { StreamEvent } from './event-parser.js' */

/** How long a step waits for its end. */
const DEFAULT_TIMEOUT_SEC = 60;
/** With `retry: 0` and a server that refuses connections, each user would be a busy loop of errors. */
const LEAST_RETRY_MS = 100;
/** As in EventSource. */
const HEADERS = { accept: 'text/event-stream', 'cache-control': 'no-cache' };

/**
 * When a step is over.
 * @typedef {object} Plan
 * @property {number | null} events number of matching events; null: the number does not matter
 * @property {boolean} untilEnd when the server ends the stream
 * @property {boolean} isLength the step lasts as long as its limit; otherwise reaching the limit is a failure
 * @property {number} limitMs
 * @property {boolean} reconnects
 * @property {boolean} isPicky the step fails without a matching event
 * @property {(event: StreamEvent, context: any) => boolean} fits
 * @property {ReturnType<typeof compileCaptures>} capture
 */

/** @type {StepCompiler} */
export function compileSse({ sse }, scope) {
  const { until = 1, match = {}, capture, reconnect = true, timeout, method, ...request } = sse;
  const events = parseNumber(until);
  const untilEnd = until === 'end';
  const isLength = events === null && !untilEnd;
  const limit = parseSeconds(isLength ? until : timeout) ?? DEFAULT_TIMEOUT_SEC;
  /** @type {Plan} */
  const plan = {
    ...{ events, untilEnd, isLength, limitMs: limit * 1000 },
    reconnects: reconnect && !untilEnd,
    isPicky: Boolean(sse.match || capture),
    fits: compileMatch(match),
    capture: compileCaptures({ capture }, scope),
  };
  // EventSource accepts compressed streams; this step does not request them.
  const params = { ...request, headers: { ...HEADERS, ...request.headers }, gzip: false };
  return compileRequest({ [method ?? 'get']: params }, scope, (...args) =>
    new StreamExecution(...args).listen(plan),
  );
}

/**
 * @param {CaptureSpec} match `event`: its name; other fields check its data
 * @returns {Plan['fits']}
 */
function compileMatch({ event: name, ...place }) {
  // Without a `value`, the path only has to exist in the data.
  const spec = { ...place, strict: true, ...(place.value === undefined && { as: 'found' }) };
  return ({ type, data }, context) => {
    if (name !== undefined && name !== type) return false;
    if (Object.keys(place).length === 0) return true;
    const found = findCaptures({ match: spec }, { body: data }, context);
    return Boolean(found?.captures.found?.failed === false || found?.matches[0]?.success);
  };
}

/** A request with an event stream as its response. It is sent again when the stream breaks. */
class StreamExecution extends RequestExecution {
  plan = /** @type {Plan} */ (/** @type {unknown} */ (null));
  recorder = this.step.scope.services.recorder;
  /** The options of each connection. */
  first = this.options;
  /** of the newest connection */
  exchange = /** @type {StreamExchange} */ (/** @type {unknown} */ (null));
  /** While a stream is open, its user may send other requests. @type {Connections | null} */
  own = null;
  parser = new EventParser(() => {});
  /** @type {NodeJS.Timeout | undefined} */
  retryTimer;
  isOver = false;
  hasOpened = false;
  fitting = 0;
  /** @type {StreamEvent | null} the last matching event */
  found = null;
  startedMs = performance.now();
  /** When the last event came; 0: none on this connection; null: none at all. @type {number | null} */
  lastEventMs = null;

  /** @param {Plan} plan @returns {Promise<void>} */
  listen(plan) {
    this.plan = plan;
    this.own = plan.untilEnd ? null : this.step.scope.transport.openOwn();
    this.first = { ...this.options, timeoutMs: plan.limitMs };
    this.options = this.first;
    const limit = setTimeout(() => {
      this.end(plan.isLength && this.hasOpened ? null : new Error('stream timeout'));
    }, plan.limitMs);
    return this.start().finally(() => {
      this.isOver = true;
      clearTimeout(limit);
      clearTimeout(this.retryTimer);
      // The result of a running attempt to reconnect is unknown.
      this.exchange.failed = true;
      this.step.scope.transport.limits.forget(this.exchange);
      this.exchange.abort?.();
      this.own?.close();
    });
  }

  /** @override @param {RequestOptions} options */
  createExchange(options) {
    this.exchange = new StreamExchange(this, options);
    return this.exchange;
  }

  /** @override */
  findConnections() {
    return this.own ?? super.findConnections();
  }

  /** @override @param {StreamExchange} exchange @param {() => Record<string, any>} readAnswer */
  finish(exchange, readAnswer) {
    if (exchange.isStream) {
      if (!this.hasOpened) this.recorder.count('sse.streams', 1);
      this.hasOpened = true;
      this.lastEventMs &&= 0;
      this.parser = new EventParser(event => this.take(event), this.parser);
      return;
    }
    const error = new Error('no event stream');
    this.step.finish(this, exchange, readAnswer()).then(() => {
      // A bad status has its sample already.
      this.step.fail(exchange, error, exchange.status < 400 ? '' : null);
      super.fail(error);
    }, this.reject);
  }

  /** @param {Buffer} chunk */
  receive(chunk) {
    this.recorder.count('sse.bytes_received', chunk.length);
    try {
      this.parser.add(chunk);
    } catch (error) {
      this.end(error);
    }
  }

  /** @param {StreamEvent} event */
  take(event) {
    if (this.isOver) return;
    const nowMs = performance.now();
    const { recorder, lastEventMs } = this;
    recorder.count('sse.events', 1);
    if (lastEventMs) recorder.measure('sse.gap', nowMs - lastEventMs);
    if (lastEventMs === null) recorder.measure('sse.first_event', nowMs - this.startedMs);
    this.lastEventMs = nowMs;
    if (!this.plan.fits(event, this.context)) return;
    this.found = event;
    this.fitting += 1;
    if (this.fitting === this.plan.events) this.end(null);
  }

  /** A stream broke, or ended. @param {Error | null} error */
  closed(error) {
    if (this.isOver) return;
    if (this.plan.reconnects) this.retry();
    else this.end(error ?? (this.plan.untilEnd ? null : new Error('stream ended')));
  }

  retry() {
    const { lastEventId, retryMs } = this.parser;
    const send = () => {
      this.recorder.count('sse.reconnects', 1);
      this.hops = 0;
      this.visited = [];
      this.traceparent = this.step.createTraceparent?.() ?? null;
      // Headers are bytes, the id is UTF-8.
      const id = lastEventId && ['last-event-id', Buffer.from(lastEventId).toString('latin1')];
      const headers = withoutHeader(this.first.headers, 'last-event-id').concat(id || []);
      this.send({ ...this.first, headers });
    };
    const delayMs = Math.max(LEAST_RETRY_MS, retryMs);
    this.retryTimer = setTimeout(send, Math.min(this.plan.limitMs, delayMs));
  }

  /** A failed attempt to reconnect does not end the step, as in EventSource. @override @param {any} error */
  fail(error) {
    if (this.hasOpened && this.plan.reconnects && !this.isOver) this.retry();
    else super.fail(error);
  }

  /** @param {any} error null: the step has got all that it waits for */
  end(error) {
    if (this.isOver) return;
    this.isOver = true;
    let failure = error;
    try {
      failure ??= this.findFailure();
    } catch (ofPattern) {
      failure = ofPattern;
    }
    if (failure === null) this.resolve();
    else if (this.exchange.isStream) {
      this.step.fail(this.exchange, failure, '');
      this.fail(failure);
    } else this.exchange.onError(failure);
  }

  findFailure() {
    const { plan, found, context } = this;
    if (!found) return plan.isPicky ? new Error('no event matched') : null;
    return plan.capture?.({ headers: {}, body: found.data }, context) ?? null;
  }
}

class StreamExchange extends Exchange {
  isStream = false;
  stream = /** @type {StreamExecution} */ (/** @type {unknown} */ (this.execution));

  /** @override @param {Parameters<Exchange['onConnect']>} args */
  onConnect(...args) {
    super.onConnect(...args);
    if (this.stream.isOver) args[0]();
  }

  /**
   * A stream counts as a response when it begins: its reader decides when it ends.
   * @override @param {Parameters<Exchange['onHeaders']>} args
   */
  onHeaders(...args) {
    super.onHeaders(...args);
    const type = this.status === 200 && this.rawHeaders.find('content-type');
    this.isStream = /^text\/event-stream\s*(?:;|$)/i.test(type || '');
    if (this.isStream) this.stream.onAnswer(this);
  }

  /** @override @param {Buffer} chunk */
  onData(chunk) {
    if (this.isStream) this.stream.receive(chunk);
    else super.onData(chunk);
  }

  /** @override @param {number} nowMs */
  onComplete(nowMs) {
    if (this.isStream) this.stream.closed(null);
    else super.onComplete(nowMs);
  }

  /** @override @param {Error} error */
  onError(error) {
    if (this.isStream) this.stream.closed(error);
    else if (!this.failed) super.onError(error);
  }
}
