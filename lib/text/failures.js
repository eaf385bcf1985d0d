/** Failures of a load test, and their meaning. */
import { listPresent } from '../base/files/maps.js';
import { formatCount, formatNumberOf, formatPercent } from '../base/format.js';

/** @import { Failure, Failures } from '../run/facts/load-report.d.ts' */

/**
 * How much failed: "2.9 % failed, 56 of 115 users failed"; "none failed".
 * @param {Pick<Failures, 'share' | 'users'>} failures
 */
export function describeFailures({ share, users }) {
  const parts = listPresent(
    share > 0 && `${formatPercent(share)} failed`,
    users.failed > 0 &&
      `${formatCount(users.failed)} of ${formatNumberOf(users.ended, 'user')} failed`,
  );
  return parts.join(', ') || 'none failed';
}

/**
 * The base of the failures, and the limit: "33 of 1,140 requests and messages, 56 of 115 users; above
 * the 1.0 % of ALLOWED_FAILURES".
 * @param {Failures} failures
 */
export function describeFailed({ failed, tried, share, unknown, users, allowed, isTooMany }) {
  const limit =
    share > allowed
      ? `; above the ${formatPercent(allowed)} of ALLOWED_FAILURES`
      : `; ${formatPercent(users.failed / users.ended)} of users, above ALLOWED_FAILURES`;
  return `${listPresent(
    `${formatCount(failed)} of ${formatNumberOf(tried, 'request or message', 'requests and messages')}`,
    users.failed > 0 && `${formatCount(users.failed)} of ${formatNumberOf(users.ended, 'user')}`,
    unknown > 0 && `${formatCount(unknown)} more were under way at the end: not known`,
  ).join(', ')}${isTooMany ? limit : ''}`;
}

/** loadflame's names for failures that no engine names. @type {Record<string, string>} */
const OWN_NAMES = { 'unanswered-emit': 'no response to an emit' };

/**
 * A kind of failure, with the text of its response: "POST /api/drafts/ 400 CONFLICT: the slot is taken".
 * @param {Failure} failure
 */
export function nameFailure({ endpoint, code, isStatus, isOfStep, reason, challenge }) {
  const what = OWN_NAMES[code] ?? (isStatus && endpoint === null ? `status ${code}` : code);
  const plain = reason?.replace(/(?<!\.)\.$/, ''); // the sentence around it has a full stop of its own
  const isSaid = challenge === null || reason?.includes(challenge.split(': ').at(-1) ?? '');
  const said = [plain, !isSaid && `WWW-Authenticate: ${challenge}`].filter(Boolean).join('; ');
  return [isOfStep && 'no request failed:', endpoint, what, said].filter(Boolean).join(' ');
}

/** Explanations of error names for users. @type {[pattern: RegExp, explanation: string][]} */
const ERRORS = [
  [
    /ECONNREFUSED/,
    'nothing listens at the target address: is the API running, and is the port right?',
  ],
  [
    /ECONNRESET|EPIPE/,
    'the target closed the connection during a request: a worker was restarted or killed, or a proxy gave up',
  ],
  [
    /ETIMEDOUT|ESOCKETTIMEDOUT|Timeout awaiting/i,
    'no response within the timeout (`config.http.timeout`, by default 10 s): the target is overloaded or stuck',
  ],
  [/ENOTFOUND|EAI_AGAIN/, 'the host name of the target cannot be resolved'],
  [
    /EADDRNOTAVAIL/,
    'this machine ran out of local ports: set config.http.pool so that connections are reused',
  ],
  [/EMFILE/, 'this machine ran out of file descriptors: raise `ulimit -n`'],
  [
    /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|certificate/i,
    "the target's TLS certificate is not trusted here",
  ],
  [/HPE_|Parse Error/, 'the response is not valid HTTP'],
  [/capture|match/i, 'a capture or match of the script did not find its value in the response'],
  [
    /websocket error|xhr poll error|transport/i,
    'the socket.io connection failed: with several workers only the websocket transport works',
  ],
  [
    /response timeout|acknowledge/i,
    'a socket.io event got no response in time: the server ignores it, often because the cookie or token is missing',
  ],
  [/Too many redirects|ERR_TOO_MANY/i, 'the redirects form a loop'],
  [
    /^405$/,
    'the address takes no such method. A redirect with 301 or 302 repeats a POST, where browsers send a GET: `followRedirect: false`, then a `get`',
  ],
];

/** @param {string} name of an error @returns {string | null} */
export const explainError = name => ERRORS.find(([pattern]) => pattern.test(name))?.[1] ?? null;

/** A kind of failure, with its explanation if there is one. @param {Failure} failure */
export function wordFailure(failure) {
  return { name: nameFailure(failure), meaning: explainError(failure.code) };
}
