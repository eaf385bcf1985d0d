/** Findings about errors that users felt: refused, failed and lost requests. */
import {
  formatClock,
  formatCount,
  formatDuration,
  formatNumberOf,
  formatPercent,
} from '../base/format.js';
import { explainError, nameFailure } from './failures.js';
import { describeInvalid } from './quality.js';
import { capitalize, endSentence, joinWords, tellingLine } from './words.js';

/** @import { ErrorBurst } from '../run/facts/logs.d.ts' */
/** @import { FindingTable } from '../run/facts/findings.d.ts' */
/** @import { Failure } from '../run/facts/load-report.d.ts' */
/** @import { Catalogue, StatementWords } from './text.d.ts' */

/**
 * @type {Catalogue<Pick<FindingTable, 'invalid-load' | 'token-trouble' | 'request-errors' | 'outage' | 'error-burst' |
 *   'failed-users' | 'idle-scenarios' | 'empty-variables' | 'failed-checks' | 'unanswered-emits' | 'lost-connections' |
 *   'dropped-arrivals'>, StatementWords>}
 */
export const ERROR_FINDINGS = {
  'invalid-load': ({ reason, failures }) => ({
    title: `The load test is not valid: ${describeInvalid(reason)}.`,
    detail: 'Rates and latencies of this run say nothing about the target under load.',
    evidence: failures.map(countFailure),
    advice:
      reason.id === 'server-ended'
        ? "Find out what ended it: the end of the API's log, the service manager, the kernel's log (`dmesg` for out of memory). Then measure again."
        : 'Look at the error samples, run `loadflame doctor`, and try again with a single virtual user.',
  }),
  'token-trouble': facts => {
    const { unauthorized, tokens, refusals } = facts;
    const { obtained = 0, refreshed = 0, failed = 0, reason = null } = tokens ?? {};
    const counts = `${formatCount(obtained)} obtained, ${formatCount(refreshed)} refreshed, ${formatCount(failed)} failed`;
    return {
      ...SITUATIONS[facts.situation](facts),
      detail: `${formatNumberOf(unauthorized, 'response was', 'responses were')} 401 (unauthorized). These are errors of the login, not of the load.`,
      evidence: [
        ...refusals.map(countFailure),
        ['tokens', tokens && counts],
        ['the last failed refresh', reason],
      ],
    };
  },
  'request-errors': ({ errors, tried, share, failures }) => {
    const [worst] = failures;
    const why = worst ? explainError(worst.code) : null;
    return {
      title: `${formatNumberOf(errors, 'error')} in ${formatNumberOf(tried, 'request or message', 'requests and messages')} (${formatPercent(share)})${nameMost({ failures })}.`,
      detail: why
        ? endSentence(capitalize(why))
        : 'The error samples show what the target responded.',
      evidence: [...failures.map(countFailure), ...failures.flatMap(quoteRequest).slice(0, 1)],
      advice: 'Read the error samples, and the log of the API at the same time.',
    };
  },
  'failed-users': ({ failed, ended, share, scenarios, failures }) => ({
    title: `${formatCount(failed)} of ${formatNumberOf(ended, 'user')} failed (${formatPercent(share)})${nameMost({ failures })}.`,
    detail: 'They did not finish their scenario, so the rest of it was not requested.',
    evidence: scenarios.map(({ name, failed: own, ended: of }) => [
      name,
      `${formatCount(own)} of ${formatNumberOf(of ?? 0, 'user')} failed`,
    ]),
    advice: 'Read the error samples: the first failure of a user is the one that ended it.',
  }),
  'idle-scenarios': ({ scenarios, created }) => ({
    title: `${joinWords(scenarios)} never ran: none of ${formatNumberOf(created, 'user')} drew ${scenarios.length === 1 ? 'this scenario' : 'these scenarios'}.`,
    detail: 'Users draw their scenario by its weight.',
    advice: 'Raise `weight` of the scenario, start more users, or name it with `--scenario-name`.',
  }),
  'empty-variables': ({ variables: [first, ...others] }) => ({
    title: first ? `\`${first.name}\` was empty in ${countEmpty(first)} of ${first.endpoint}.` : '',
    detail: 'They were sent without its value, and may have measured something else.',
    evidence: others.map(one => [
      `\`${one.name}\` of ${one.endpoint}`,
      `empty in ${countEmpty(one)}`,
    ]),
    advice: 'Look at the capture, hook or CSV file that sets it.',
  }),
  'failed-checks': ({ failed, of, kinds }) => ({
    title: `${formatCount(failed)} of ${formatNumberOf(of, 'check')} of \`expect\` failed.`,
    detail: 'The responses were not what the script expects. Their requests count as successful.',
    evidence: kinds.map(({ name, count }) => [name, formatCount(count)]),
    advice:
      'Read what was expected in load/generator.log; with `reportFailuresAsErrors: true` below `plugins.expect` they count as errors.',
  }),
  'unanswered-emits': ({ emits, received, acknowledged, line }) => ({
    title: `${formatNumberOf(emits, 'socket.io emit')}, and ${received || acknowledged ? 'the server refused some' : 'not one event came back'}${line ? `: the log has ${formatCount(line.count)} × ${tellingLine(line.text)}` : ''}.`,
    detail: line
      ? 'The errors are raised by the event handler, or are about as many as the emits.'
      : 'For a client that only emits, a server that ignores it looks like success. Often the cookie or token of the connection is missing.',
    evidence: [
      ['acknowledged', formatCount(acknowledged)],
      ['events received (broadcasts)', !!received && formatCount(received)],
    ],
    advice:
      'Let the step wait for what the server sends back (`response` or `acknowledge`), so that a user without a reply fails; check SOCKETIO_COOKIE and SOCKETIO_AUTH.',
  }),
  outage: ({ outage, afterMs }) => {
    const { service, address, startMs, endMs, errors, reason } = outage;
    const name = `${SERVICE_NAMES[service]}${address ? ` (${address})` : ''}`;
    return {
      title: `${capitalize(name)} did not respond from ${formatClock(startMs)} for ${formatDuration(Math.max(1000, endMs - startMs))}: ${reason}.`,
      detail:
        'The log of the API has these errors of its connections. What failed meanwhile follows from them.',
      evidence: [
        ['errors', formatCount(errors)],
        ['first, after the start of the load', formatDuration(afterMs)],
      ],
      advice: `Find out why ${SERVICE_NAMES[service]} was away: its own log and restarts at that time. Then measure again; figures of this run include the failure.`,
    };
  },
  'error-burst': ({ burst, afterMs, reason }) => {
    const { log, endpoints, errors, requests } = burst;
    const line = log.lines.find(({ level }) => level === 'error') ?? log.lines[0];
    const share = Math.min(1, errors / Math.max(1, requests ?? 0));
    return {
      title: endSentence(`${describeBurst(burst, afterMs)}${describeLog(burst, reason)}`),
      detail: describeBasis(burst),
      evidence: [
        [
          'failed',
          requests !== null &&
            `${formatPercent(share)} of ${formatNumberOf(requests, 'request')} in that time`,
        ],
        ['the response says', reason],
        ...endpoints
          .slice(0, burst.endpoint ? 0 : 3)
          .map(own => [own.name, `${formatCount(own.errors)} ×`]),
        ...log.tracebacks.map(own => [
          own.place ?? 'traceback',
          `${own.exception} (${own.count < errors ? 'at least ' : ''}${formatCount(own.count)} ×)`,
        ]),
        [
          isGuess(log) ? 'log at that time' : 'log',
          log.tracebacks.length === 0 && line && tellingLine(line.text),
        ],
      ],
      advice: adviseBurst(burst),
    };
  },
  'lost-connections': ({ connects, lost, share, reconnects, reasons }) => ({
    title: `${formatCount(lost)} of ${formatNumberOf(connects, 'socket.io connection')} broke (${formatPercent(share)}), most with "${reasons[0]?.reason ?? ''}".`,
    detail:
      'Connections break when a worker restarts, a proxy gives up, or the event loop is stuck (ping timeout).',
    evidence: [
      ...reasons.map(own => [own.reason, `${formatCount(own.count)} ×`]),
      ['reconnected', !!reconnects && `${formatCount(reconnects)} ×`],
    ],
    advice: 'Read the log of the API, and of the proxy in front of it, at the same time.',
  }),
  'dropped-arrivals': ({ dropped, arrivals, started, isClosed }) => ({
    title: `${formatCount(dropped)} of ${formatCount(arrivals)} arrivals ${dropped === 1 ? 'was' : 'were'} dropped (${formatPercent(dropped / arrivals)}): the load was lower than the script says.`,
    detail:
      'maxVusers was reached: they arrived while the allowed number of virtual users was still active, because the target was slow or the limit is low.',
    evidence: [['users started', formatCount(started)]],
    advice: isClosed
      ? 'Start fewer users.'
      : 'Raise `maxVusers` of the phase (MAX_VIRTUAL_USERS), or lower its arrival rate (ARRIVAL_RATE).',
  }),
};

const SERVICE_NAMES = {
  database: 'the database',
  'identity-provider': 'the identity provider',
  service: 'a service that the API calls',
};

/** In the target's own words. @param {Failure[]} refusals */
function quoteRefusal([first]) {
  const said = first?.challenge ?? first?.reason;
  return said ? ` ("${said}")` : '';
}

/** @type {Record<FindingTable['token-trouble']['situation'], (facts: FindingTable['token-trouble']) => {title: string, advice: string}>} */
const SITUATIONS = {
  'no-login': ({ unauthorized, responses, refusals }) => ({
    title: `The target refused ${formatCount(unauthorized)} of ${formatNumberOf(responses, 'request')} with 401, and loadflame did not log in${quoteRefusal(refusals)}.`,
    advice:
      'If the target takes OIDC tokens, set OIDC_ISSUER, OIDC_CLIENT_ID and a user in envs.sh (see envs.example.sh). For anything else (an API key, a cookie, a token of its own), the script has to send it, and to renew it in time.',
  }),
  'refresh-failed': ({ flipAfterMs, tokens }) => ({
    title: `Tokens expired: responses changed from 2xx to 401 after ${formatDuration(flipAfterMs)}, and ${formatNumberOf(tokens?.failed ?? 0, 'refresh', 'refreshes')} failed${tokens?.reason ? `: ${tokens.reason}` : ''}.`,
    advice: /ECONN|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH/.test(tokens?.reason ?? '')
      ? 'The identity provider could not be reached: make sure that it runs, and that this machine can reach it during the whole run.'
      : "Look at the identity provider's log: the session may have ended (idle timeout) or the user may be locked out.",
  }),
  'refresh-late': ({ unauthorized, responses, tokens }) => ({
    title: `A token refresh did not ${tokens?.reason ? `succeed (${tokens.reason})` : 'return'} for ${formatDuration(tokens?.late?.renewalMs ?? 0)}, and the token expired meanwhile: ${formatCount(unauthorized)} of ${formatNumberOf(responses, 'request')} were refused with 401.`,
    advice:
      "Look at the identity provider's log and its load at that time: it hung, was overloaded, or could not be reached.",
  }),
  expired: ({ flipAfterMs, refusals }) => ({
    title: `Tokens expired or were refused: responses changed from 2xx to 401 after ${formatDuration(flipAfterMs)}${quoteRefusal(refusals)}.`,
    advice:
      'This happens to a script that obtains tokens by itself and keeps them: let loadflame log in (OIDC_*). Otherwise look for revoked sessions or keys that the provider rotated.',
  }),
  'refused-from-start': ({ refusals }) => ({
    title: `The target refused the tokens from the first request on${quoteRefusal(refusals)}.`,
    advice:
      'Compare the issuer string of both sides (localhost is not 127.0.0.1), the audience (OIDC_AUDIENCE), the client and the clocks.',
  }),
  'only-refreshes-failed': ({ tokens }) => ({
    title: `${formatNumberOf(tokens?.failed ?? 0, 'token refresh', 'token refreshes')} failed${tokens?.reason ? ` (${tokens.reason})` : ''}; the responses were not affected.`,
    advice: "Look at the identity provider's log.",
  }),
  'some-refused': ({ unauthorized, responses, refusals }) => ({
    title: `${formatCount(unauthorized)} of ${formatNumberOf(responses, 'request')} were refused with 401${quoteRefusal(refusals)}.`,
    advice:
      'The error samples show which endpoints: they may want another role, or the request carries an Authorization header of its own.',
  }),
};

/** The most frequent failure, as the end of a sentence. @param {{failures: Failure[]}} facts */
export function nameMost({ failures: [worst, ...others] }) {
  if (!worst) return '';
  const word = others.some(({ count }) => count > worst.count) ? 'beginning' : 'most';
  return `, ${word} (${formatCount(worst.count)}) with ${nameFailure(worst)}`;
}

/** @param {Failure} failure */
function countFailure(failure) {
  return [nameFailure(failure), `${formatCount(failure.count)} ×`];
}

/** Statuses of an API that read a request body and refused it. */
const BODY_REFUSED = ['400', '409', '415', '422'];

/** @param {Failure} failure */
function quoteRequest({ endpoint, code, requestBody }) {
  if (!requestBody || !BODY_REFUSED.includes(code)) return [];
  return [[`a body that ${endpoint ?? 'it'} refused`, tellingLine(requestBody)]];
}

/** @param {ErrorBurst} burst @param {number} afterMs */
function describeBurst({ code, endpoint, errors, startMs, endMs, isSteady }, afterMs) {
  const where = endpoint ? ` on ${endpoint}` : /^\d+$/.test(code) ? ' on several endpoints' : '';
  const what = `${formatCount(errors)} × ${code}${where}`;
  if (isSteady) return `${what}, all the time`;
  return `${what} within ${formatDuration(endMs - startMs)}, ${formatDuration(afterMs)} after the start`;
}

/** @param {ErrorBurst} burst @param {string | null} reason */
function describeLog({ log }, reason) {
  const [raised] = log.tracebacks;
  if (raised)
    return `: ${log.basis === 'pod' ? 'at that time the log of the pod says' : 'the log says'} ${raised.exception}${raised.place ? ` in ${raised.place}` : ''}`;
  if (reason) return `: ${reason}`;
  const isNamed = log.lines.some(one => one.level === 'error' || one.matchedBy !== 'time');
  return isNamed && !isGuess(log) ? ': the log names the requests' : '';
}

/** Only the time says so. @param {ErrorBurst['log']} log */
const isGuess = ({ basis }) => basis === 'time' || basis === 'pod';

/** How log lines were matched. @type {Record<ErrorBurst['log']['basis'], string>} */
const BASES = {
  'request-id': 'The log lines have the request ids of these responses.',
  traceparent: 'The log lines have the trace ids that the requests carried.',
  endpoint: 'The log names this endpoint at that time.',
  pod: 'The log lines are from the same time and the pods that sent these responses. Their link to these requests is a guess.',
  time: 'The log lines are from the same time. Their link to these requests is a guess.',
  none: 'The logs do not say why.',
};

/** @param {Pick<ErrorBurst, 'log' | 'isSteady'>} burst */
export function describeBasis({ log, isSteady }) {
  if (!log.isFollowed) return 'The API’s logs were not followed: name them with LOG_FILES.';
  const isSudden = log.basis === 'none' && !isSteady;
  return `${isSudden ? 'Far more errors came together than the rest of the run makes likely. ' : ''}${BASES[log.basis]}`;
}

/** @param {ErrorBurst} burst */
function adviseBurst({ log }) {
  if (log.tracebacks[0]?.place) return `Look at ${log.tracebacks[0].place}.`;
  if (log.isFollowed && log.basis === 'none')
    return 'The followed logs do not mention it: read the error samples.';
  if (log.basis !== 'none') return 'Read these lines of the log in the errors section.';
  return "Name the API's logs in LOG_FILES, and measure again. The report then shows what they say at that moment.";
}

/** @param {FindingTable['empty-variables']['variables'][number]} variable */
function countEmpty({ count, requests }) {
  if (requests === null) return formatNumberOf(count, 'execution');
  return `${formatCount(count)} of ${formatNumberOf(requests, 'request')}`;
}
