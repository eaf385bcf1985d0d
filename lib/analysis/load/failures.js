/** What failed in a load test, each failure once: the one source of every failure figure. */

import { readChallenge, readReason } from '../../base/files/read-reason.js';
import { parseLimit } from '../../base/format.js';
import { sum } from '../../base/math/summary.js';
import { readRaised } from './logs/match-logs.js';

/** @import { FindingTable } from '../../run/facts/findings.d.ts' */
/** @import { LogReport } from '../../run/facts/logs.d.ts' */
/** @import { ErrorSample, Failure, Failures, LoadReport } from '../../run/facts/load-report.d.ts' */

/** Allowed share by default. */
const ALLOWED = 0.01;

/** @param {{name: string, value: string}[]} settings of the run @returns {number} */
export function readAllowed(settings) {
  const given = settings.find(({ name }) => name === 'ALLOWED_FAILURES')?.value ?? '';
  return parseLimit(given, 'share') ?? ALLOWED;
}

/**
 * @param {Omit<LoadReport, 'failures'>} load
 * @param {object} [known]
 * @param {number} [known.allowed] share
 * @param {number} [known.unanswered] emits that the server failed to handle, from its own log
 * @returns {Failures}
 */
export function sumUpFailures(load, { allowed = ALLOWED, unanswered = 0 } = {}) {
  const { http, users } = load;
  const kinds = listFailures(load, unanswered)
    .map(kind => ({ ...kind, ...countFirst(kind, users.firstFailures ?? []) }))
    .sort((a, b) => Number(isConsequence(a)) - Number(isConsequence(b)) || b.count - a.count);
  const ofHttp = Math.round(http.errorRate * (http.requests - (http.unknown ?? 0)));
  const failed = Math.max(sum(kinds.map(one => (one.isOfStep ? 0 : one.count))), ofHttp);
  const tried = countTried(load);
  const ended = users.completed + users.failed;
  // One failure can count as several errors: a share above 1 makes no sense.
  const share = Math.min(1, failed / Math.max(1, tried));
  const ofUsers = users.failed / Math.max(1, ended);
  return {
    failed,
    tried,
    unknown: http.unknown ?? 0,
    share,
    users: { failed: users.failed, ended, share: ofUsers },
    allowed,
    isTooMany: Math.max(share, ofUsers) > allowed,
    kinds,
  };
}

/**
 * @param {Failure} kind @param {NonNullable<LoadReport['users']['firstFailures']>} all
 * @returns {Pick<Failure, 'first'>}
 */
function countFirst({ code, endpoint }, all) {
  if (all.length === 0) return {};
  const own = all.filter(
    one => one.code === code && (!endpoint || !one.endpoint || endpoint === one.endpoint),
  );
  const count = (/** @type {typeof own} */ list) => sum(list.map(one => one.count));
  return { first: { all: count(own), failed: count(own.filter(({ failed }) => failed)) } };
}

/** Share of a kind's failures that came first for a user. Below it, the kind is a consequence of others. */
const FIRST = 0.1;

/** @param {Failure} kind */
const isConsequence = ({ first, count }) => first !== undefined && first.all < count * FIRST;

/** How failed users started to fail, most frequent first. Without that, all failures of the run. @param {LoadReport} load */
export function listFirstFailures({ failures: { kinds } }) {
  if (!kinds.some(({ first }) => first)) return kinds;
  return kinds
    .flatMap(kind => (kind.first?.failed ? { ...kind, count: kind.first.failed } : []))
    .sort((a, b) => b.count - a.count);
}

/** Requests with a known end, connections and messages. @param {Pick<LoadReport, 'http' | 'socketio' | 'websocket'>} load */
function countTried({ http, socketio, websocket }) {
  const connections = [socketio, websocket].flatMap(of => [of?.connects, of?.connectErrors]);
  const messages = [socketio?.emits, websocket?.sent];
  const known = http.requests - (http.unknown ?? 0);
  return known + sum([...connections, ...messages].map(count => count ?? 0));
}

/** Log errors alike, per emit: with this many, they belong to the emits. */
const PER_EMIT = 0.5;
/** Where events were received, more than this may belong to something else. */
const MOST_PER_EMIT = 1.5;
/** Fewer lines alike may have any cause, unless there were fewer emits. */
const LEAST_ALIKE = 3;
/** An exception in a handler of a socket.io event. */
const IN_HANDLER = /socketio[/\\]\w+\.py", line \d+, in _handle_event_internal\b/;

/**
 * Did the server respond to none of the socket.io messages? An acknowledgement is a response, unless the log has an
 * error for it. A broadcast is none.
 * @param {Pick<LoadReport, 'socketio'>} load
 * @param {LogReport | null} logs
 * @returns {FindingTable['unanswered-emits'] | null}
 */
export function findUnanswered({ socketio }, logs) {
  if (!socketio || socketio.received === null) return null;
  const { received } = socketio;
  const acknowledged = socketio.acknowledged?.count ?? 0;
  // An emit that waits for an event of the server is judged by that event.
  const emits = socketio.emits - (socketio.responseWait?.count ?? 0);
  if (emits <= 0 || (received === 0 && socketio.responseWait)) return null;
  const most = received === 0 ? Number.POSITIVE_INFINITY : emits * MOST_PER_EMIT;
  const least = Math.max(Math.min(LEAST_ALIKE, emits), emits * PER_EMIT);
  const ended = new Set(logs?.workers.map(({ text }) => text));
  const errors = (logs?.said ?? []).filter(({ level }) => level === 'error');
  const error =
    errors.find(({ text }) => IN_HANDLER.test(text)) ??
    errors.find(
      ({ text, alike }) =>
        alike >= least && alike <= most && !ended.has(text) && readRaised(text) === null,
    );
  if (!error && (acknowledged > 0 || received !== 0)) return null;
  const line = error ? { text: error.text, count: Math.min(emits, error.alike) } : null;
  return { emits, received, acknowledged, line };
}

/** @param {Omit<LoadReport, 'failures'>} load @param {number} unanswered @returns {Failure[]} */
function listFailures({ http, endpoints = [], errors, errorSamples = [] }, unanswered) {
  // An import has codes but no endpoints.
  const answers = endpoints.length > 0 ? endpoints : [{ name: null, codes: http.codes ?? [] }];
  const refused = answers.flatMap(({ name, codes }) =>
    codes.flatMap(({ code, count }) => {
      if (Number(code) < 400) return [];
      const own = errorSamples.filter(one => one.code === code && one.endpoint === name);
      return [{ endpoint: name, code, isStatus: true, count, ...quote(own) }];
    }),
  );
  const broken = errors.map(({ name, count, isOfStep }) => {
    const own = errorSamples.filter(({ code }) => code === name);
    const [first] = own;
    const isOne = first && own.every(({ endpoint }) => endpoint === first.endpoint);
    // Without a response, its text only repeats the error's name.
    const isAnswer = Object.keys(first?.headers ?? {}).length > 0 || first?.expression;
    const said = { ...quote(isAnswer ? own : []), ...(isOfStep && { isOfStep }) };
    return { endpoint: isOne ? first.endpoint : null, code: name, isStatus: false, count, ...said };
  });
  // A user that waited for a response has failed already.
  const count = unanswered - sum(broken.map(one => (one.isOfStep ? 0 : one.count)));
  if (count <= 0) return [...refused, ...broken];
  const silent = { endpoint: null, code: 'unanswered-emit', isStatus: false, count };
  return [...refused, ...broken, { ...silent, ...quote([]) }];
}

/**
 * What most of the responses say.
 * @param {ErrorSample[]} samples
 * @returns {Pick<Failure, 'reason' | 'challenge' | 'requestBody'>}
 */
function quote(samples) {
  const headers = samples.flatMap(({ headers: own }) => own['www-authenticate'] ?? []);
  const missing = [...new Set(samples.flatMap(({ expression }) => expression ?? []))];
  const found = missing.length > 0 ? `(${missing.join(', ')})` : null;
  return {
    reason: found ?? mostFrequent(samples.flatMap(({ body }) => readReason(body) ?? [])),
    challenge: mostFrequent(headers.flatMap(header => readChallenge(header) ?? [])),
    ...(samples[0]?.requestBody && { requestBody: samples[0].requestBody }),
  };
}

/** @param {string[]} texts */
function mostFrequent(texts) {
  const groups = [...Map.groupBy(texts, text => text).values()];
  return groups.toSorted((a, b) => b.length - a.length)[0]?.[0] ?? null;
}
