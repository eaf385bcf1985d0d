/** What users felt: refused, failed and lost. */
import { sum } from '../../math/summary.js';
import { findInvalid } from '../quality/validity.js';
import { finding } from './finding.js';

/** @import { LoadReport } from '../report.d.ts' */
/** @import { FindingRule } from './index.js' */
/** @import { FindingTable } from './findings.d.ts' */

/** Shares of requests that failed. */
const BAD_SHARE = 0.05;
const WARN_SHARE = 0.01;
/** So many of a kind are listed. */
const MOST_LISTED = 6;

/** @type {FindingRule} */
export function findInvalidLoad({ load }) {
  const reason = load && findInvalid(load);
  if (!reason) return [];
  const errors = load.errors.slice(0, 3).map(({ name, count }) => ({ name, count }));
  return [finding('invalid-load', 'bad', { reason, errors }, reason.id)];
}

/** 401s are no riddle: they are told apart by when they began and what the token source did. @type {FindingRule} */
export function findTokenTrouble({ load }) {
  if (!load) return [];
  const { tokens, window } = load;
  const { responses, codes } = load.http;
  const unauthorized = codes.find(({ code }) => code === '401')?.count ?? 0;
  if (unauthorized === 0 && !tokens?.failed) return [];
  const flipAfterMs = tokens?.flippedAtMs ? tokens.flippedAtMs - window.startMs : null;
  const isBad = flipAfterMs !== null || unauthorized > responses * BAD_SHARE;
  return [
    finding('token-trouble', isBad ? 'bad' : 'warn', {
      situation: nameSituation(tokens, flipAfterMs, unauthorized, responses),
      unauthorized,
      responses,
      flipAfterMs,
      tokens: tokens && {
        obtained: tokens.obtained,
        refreshed: tokens.refreshed,
        failed: tokens.failed,
        lifetimeSec: tokens.lifetimeSec,
      },
    }),
  ];
}

/**
 * @param {LoadReport['tokens']} tokens @param {number | null} flipAfterMs
 * @param {number} unauthorized @param {number} responses
 * @returns {FindingTable['token-trouble']['situation']}
 */
function nameSituation(tokens, flipAfterMs, unauthorized, responses) {
  if (!tokens) return 'no-login';
  if (flipAfterMs !== null) return tokens.failed > 0 ? 'refresh-failed' : 'expired';
  if (unauthorized > responses * 0.9) return 'refused-from-start';
  return unauthorized === 0 ? 'only-refreshes-failed' : 'some-refused';
}

/** Refused tokens have a finding of their own. */
const UNAUTHORIZED = '401';

/** @type {FindingRule} */
export function findRequestErrors({ load }) {
  if (!load) return [];
  const failures = [
    ...load.http.codes
      .filter(({ code }) => Number(code) >= 400 && code !== UNAUTHORIZED)
      .map(({ code, count }) => ({ name: code, isStatus: true, count })),
    ...load.errors.map(({ name, count }) => ({ name, isStatus: false, count })),
  ].sort((a, b) => b.count - a.count);
  const errors = failures.reduce((sum, { count }) => sum + count, 0);
  if (errors === 0) return [];
  const tried = countTried(load);
  // One thing that fails can count as several errors: a share above 1 says nothing.
  const share = Math.min(1, errors / Math.max(1, tried));
  const severity = share >= BAD_SHARE ? 'bad' : share >= WARN_SHARE ? 'warn' : 'info';
  return [
    finding('request-errors', severity, {
      errors,
      tried,
      share,
      failures: failures.slice(0, MOST_LISTED),
    }),
  ];
}

/** Requests, connections and messages. @param {LoadReport} load */
export function countTried({ http, socketio, websocket }) {
  const connections = [socketio, websocket].flatMap(of => [of?.connects, of?.connectErrors]);
  const messages = [socketio?.emits, websocket?.sent];
  return http.requests + sum([...connections, ...messages].map(count => count ?? 0));
}

/** Bursts that have a finding each. */
const MOST_BURSTS = 3;

/** Errors that came together, and what the API's log said at that moment. @type {FindingRule} */
export function findErrorBursts({ load }) {
  if (!load) return [];
  // Errors all the time are known by their share; of those it is the log that is news.
  const bursts = load.errorBursts
    .filter(({ code, isSteady, log }) => code !== UNAUTHORIZED && (!isSteady || log.lines[0]))
    .sort((a, b) => b.errors - a.errors);
  return bursts.slice(0, MOST_BURSTS).map((burst, index) => {
    const isBad = burst.errors >= countTried(load) * BAD_SHARE;
    const afterMs = Math.max(0, burst.startMs - load.window.startMs);
    return finding('error-burst', isBad ? 'bad' : 'warn', { burst, afterMs }, String(index + 1));
  });
}

/** Socket.io connections that failed. @type {FindingRule} */
export function findSocketioConnectErrors({ load }) {
  const { connects = null, connectErrors = null } = load?.socketio ?? {};
  if (!connectErrors || connects === null) return [];
  const isBad = connectErrors > (connects + connectErrors) * BAD_SHARE;
  return [finding('socketio-connect-errors', isBad ? 'bad' : 'warn', { connects, connectErrors })];
}

/** The user's own goodbye. */
const OWN_END = 'io client disconnect';
/** Share of the connections. */
const MANY_LOST = 0.01;

/** Socket.io connections that ended against the user's will. @type {FindingRule} */
export function findLostConnections({ load }) {
  const socketio = load?.socketio;
  const reasons = socketio?.disconnects.filter(({ reason }) => reason !== OWN_END) ?? [];
  if (!socketio?.connects || reasons.length === 0) return [];
  const { connects, reconnects } = socketio;
  const lost = reasons.reduce((sum, { count }) => sum + count, 0);
  const share = Math.min(1, lost / connects);
  return [
    finding('lost-connections', share > MANY_LOST ? 'warn' : 'info', {
      connects,
      lost,
      share,
      reconnects,
      reasons,
    }),
  ];
}

/** Shares of the arrivals: the load was another one than asked for. */
const MANY_DROPPED = 0.01;
const MOST_DROPPED = 0.2;

/** Arrivals that found all virtual users active: less load than the script says. @type {FindingRule} */
export function findDroppedArrivals({ load }) {
  if (!load || load.users.skipped === 0) return [];
  const { created, skipped } = load.users;
  const arrivals = created + skipped;
  const share = skipped / arrivals;
  const severity = share > MOST_DROPPED ? 'bad' : share > MANY_DROPPED ? 'warn' : 'info';
  return [
    finding('dropped-arrivals', severity, {
      dropped: skipped,
      arrivals,
      started: created,
    }),
  ];
}
