/** One request whole, for those who look at single ones: where its time went, and what it said of its server. */
import { mapValues } from '../../base/files/maps.js';
import { parseOrNull } from '../../base/files/parse-json.js';
import { readCalls } from './calls.js';
import { cutBody, MOST_READ, nameError } from './error-samples.js';

/** @import { WholeRequest } from '../../run/facts/whole-request.d.ts' */
/** @import { Redactor } from '../../base/files/redaction.js' */
/** @import { Found } from '../engine/http/captures.js' */
/** @import { Exchange } from '../engine/http/connection/exchange.js' */

const MOST_HEADERS = 40;
const LONGEST_VALUE = 300;
const MOST_VALUES = 50;

/**
 * @typedef {object} Outcome
 * @property {any} [error] why it failed; a status is none
 * @property {string} [body] of the response
 * @property {Found} [found] by captures and matches
 * @property {{ok: boolean, type: string, expected?: unknown, got?: unknown}[]} [expectations]
 */

/**
 * @param {Exchange} exchange that has ended
 * @param {Outcome} outcome
 * @param {Pick<Redactor, 'redactText' | 'redactValue'>} redactor
 * @returns {WholeRequest}
 */
export function describeRequest(exchange, outcome, redactor) {
  const { error, body = '', found, expectations = [] } = outcome;
  const { options, status, rawHeaders, queuedAtMs, reported, execution } = exchange;
  const keep = (/** @type {unknown} */ value) => shorten(value, redactor);
  const {
    'loadflame-calls': calls,
    'loadflame-same': same,
    'server-timing': _,
    ...headers
  } = rawHeaders.read();
  const captured = Object.entries(found?.captures ?? {});
  const kept = Object.entries(headers).slice(0, MOST_HEADERS);
  return redactor.redactValue({
    scenario: String(execution.context.scenario?.name ?? ''),
    endpoint: options.endpoint.key,
    method: options.method,
    url: keep(options.address.href),
    status: status || null,
    error: error ? keep(nameError(error)) : null,
    startedAtMs: performance.timeOrigin + queuedAtMs,
    phases: measurePhases(exchange),
    bytes: exchange.bytes,
    server: reported,
    calls: calls === undefined ? null : readCalls(String(calls), redactor.redactText),
    ...(same !== undefined && { same: parseOrNull(String(same)) }),
    headers: mapValues(Object.fromEntries(kept), keep),
    omittedHeaders: Object.keys(headers).length - kept.length,
    body: cutBody(redactor.redactText(body.slice(0, MOST_READ))),
    values: keepAll([...(options.used ?? [])], keep),
    captures: keepAll(
      captured.flatMap(([name, { value, failed }]) => (failed ? [] : [[name, value]])),
      keep,
    ),
    checks: [
      ...captured.flatMap(([, { expression, failed }]) =>
        failed ? { ok: false, what: expression, expected: undefined, got: 'nothing' } : [],
      ),
      ...(found?.matches ?? []).map(({ success, expression, expected, got }) => {
        return { ok: success, what: expression, expected, got };
      }),
      ...expectations.map(({ ok, type, expected, got }) => ({ ok, what: type, expected, got })),
    ].map(({ ok, what, expected, got }) => {
      const wanted = expected === undefined ? null : keep(expected);
      return { isMet: ok, what: keep(what), expected: wanted, got: keep(got) };
    }),
  });
}

/** @param {[name: string, value: unknown][]} entries @param {(value: unknown) => string} keep */
function keepAll(entries, keep) {
  return Object.fromEntries(entries.slice(0, MOST_VALUES).map(([name, one]) => [name, keep(one)]));
}

/** Redacted before it is cut, so that no secret is cut in two. @param {unknown} value @param {Pick<Redactor, 'redactText'>} redactor */
function shorten(value, { redactText }) {
  const text = typeof value === 'object' && value ? JSON.stringify(value) : String(value);
  const clean = redactText(text.slice(0, MOST_READ));
  return clean.length > LONGEST_VALUE ? `${clean.slice(0, LONGEST_VALUE)}…` : clean;
}

/** @param {Exchange} exchange @returns {WholeRequest['phases']} */
function measurePhases({ queuedAtMs, connectedMs, headersMs, endMs, opening, ...exchange }) {
  const waitMs = (connectedMs || endMs) - queuedAtMs;
  const { dns = 0, tcp = 0, tls = 0 } = opening ?? {};
  // Opened for another request, which did not need it.
  const isOwn = opening !== null && dns + tcp + tls <= waitMs;
  return {
    waitMs,
    opening: isOwn ? { dnsMs: dns || null, tcpMs: tcp, tlsMs: opening.tls ?? null } : null,
    firstByteMs: headersMs ? headersMs - (exchange.sentMs || connectedMs) : null,
    bodyMs: headersMs ? endMs - headersMs : null,
    totalMs: endMs - queuedAtMs,
  };
}
