/** What users noticed: refused, failed and lost requests, connections and messages. */
import { countersBelow } from '../../../base/math/counters.js';
import { findUnanswered, listFirstFailures } from '../../load/failures.js';
import { isClosedLoop } from '../../load/load-report.js';
import { MANY_DROPPED } from '../quality/load.js';
import { findInvalid } from '../quality/validity.js';
import { finding, MOST_LISTED } from '../statements.js';

/** @import { LoadReport } from '../../../run/facts/load-report.d.ts' */
/** @import { FindingRule } from '../statements.js' */
/** @import { FindingTable } from '../../../run/facts/findings.d.ts' */

/** Shares of requests that failed. */
const BAD_SHARE = 0.05;
const WARN_SHARE = 0.01;

/** @type {FindingRule} */
export function findInvalidLoad({ load }) {
  const reason = load && findInvalid(load);
  if (!reason) return [];
  const isOfUsers = ['most-users-failed', 'scenario-failed'].includes(reason.id);
  const failures = (isOfUsers ? listFirstFailures(load) : load.failures.kinds).slice(0, 3);
  return [finding('invalid-load', 'bad', { reason, failures }, reason.id)];
}

/** 401s: their start and the actions of the token source show their cause. @type {FindingRule} */
export function findTokenTrouble({ load }) {
  if (!load) return [];
  const { tokens, window } = load;
  const { responses, codes } = load.http;
  const unauthorized = codes.find(({ code }) => code === '401')?.count ?? 0;
  if (unauthorized === 0 && !tokens?.failed) return [];
  const flipAfterMs = tokens?.flippedAtMs ? tokens.flippedAtMs - window.startMs : null;
  const isBad = flipAfterMs !== null || unauthorized > responses * BAD_SHARE;
  const situation = nameSituation(tokens, flipAfterMs, unauthorized, responses);
  const refusals = load.failures.kinds.filter(({ code }) => code === UNAUTHORIZED).slice(0, 3);
  const facts = { situation, unauthorized, responses, flipAfterMs, tokens, refusals };
  return [finding('token-trouble', isBad ? 'bad' : 'warn', facts)];
}

/**
 * @param {LoadReport['tokens']} tokens @param {number | null} flipAfterMs
 * @param {number} unauthorized @param {number} responses
 * @returns {FindingTable['token-trouble']['situation']}
 */
function nameSituation(tokens, flipAfterMs, unauthorized, responses) {
  if (!tokens) return 'no-login';
  if (unauthorized > 0 && (tokens.late?.refused ?? 0) >= unauthorized / 2) return 'refresh-late';
  if (flipAfterMs !== null) return tokens.failed > 0 ? 'refresh-failed' : 'expired';
  if (unauthorized > responses * 0.9) return 'refused-from-start';
  return unauthorized === 0 ? 'only-refreshes-failed' : 'some-refused';
}

/** Refused tokens have a finding of their own. */
const UNAUTHORIZED = '401';

/** Failures of all kinds, unless refused tokens are the only kind. @type {FindingRule} */
export function findRequestErrors({ load }) {
  if (!load) return [];
  const { failed, tried, share, kinds } = load.failures;
  if (kinds.every(one => one.isOfStep || one.code === UNAUTHORIZED)) return [];
  const facts = { errors: failed, tried, share, failures: kinds.slice(0, MOST_LISTED) };
  return [finding('request-errors', rate(share), facts)];
}

/** @param {number} share */
const rate = share => (share >= BAD_SHARE ? 'bad' : share >= WARN_SHARE ? 'warn' : 'info');

/** Users who did not finish their scenario. @type {FindingRule} */
export function findFailedUsers({ load }) {
  if (!load?.users.failed) return [];
  const { users } = load.failures;
  const failing = load.users.byScenario.filter(({ failed }) => failed);
  const sorted = failing.toSorted((a, b) => (b.failed ?? 0) - (a.failed ?? 0));
  const scenarios = sorted.slice(0, MOST_LISTED);
  const failures = listFirstFailures(load).slice(0, 3);
  return [finding('failed-users', rate(users.share), { ...users, scenarios, failures })];
}

/** Scenarios that no user ran, because of their weight. @type {FindingRule} */
export function findIdleScenarios({ load }) {
  const { created, neverRun = [] } = load?.users ?? { created: 0 };
  if (created === 0 || neverRun.length === 0) return [];
  return [finding('idle-scenarios', 'warn', { scenarios: neverRun, created })];
}

/** Templates that were filled with nothing. @type {FindingRule} */
export function findEmptyVariables({ load }) {
  const ofRequests = (load?.endpoints ?? []).flatMap(({ name: endpoint, requests, empty = [] }) =>
    empty.map(({ name, count }) => ({ name, endpoint, count, requests })),
  );
  const ofSteps = countersBelow(load?.counters ?? {}, 'empty_variables.').map(({ name, count }) => {
    const [variable = '', ...step] = name.split(' of ');
    return { name: variable, endpoint: step.join(' of '), count, requests: null };
  });
  const variables = [...ofRequests, ...ofSteps].toSorted((a, b) => b.count - a.count);
  if (variables.length === 0) return [];
  return [finding('empty-variables', 'warn', { variables: variables.slice(0, MOST_LISTED) })];
}

/** Checks of `expect`: by default a failed one does not fail its request. @type {FindingRule} */
export function findFailedChecks({ load }) {
  const { 'plugins.expect.failed': failed = 0, 'plugins.expect.ok': passed = 0 } =
    load?.counters ?? {};
  if (!load || failed === 0) return [];
  const kinds = countersBelow(load.counters, 'plugins.expect.failed.');
  return [finding('failed-checks', 'warn', { failed, of: failed + passed, kinds })];
}

/** Emits that get nothing back: a client that only emits sees them as success. @type {FindingRule} */
export function findUnansweredEmits({ load, logs = null }) {
  const unanswered = load && findUnanswered(load, logs);
  if (!unanswered) return [];
  return [finding('unanswered-emits', unanswered.line ? 'bad' : 'warn', unanswered)];
}

/** Services that the API could not reach. @type {FindingRule} */
export function findOutages({ load, logs = null }) {
  if (!load) return [];
  return (logs?.outages ?? []).map((outage, index) => {
    const afterMs = Math.max(0, outage.startMs - load.window.startMs);
    return finding('outage', 'bad', { outage, afterMs }, String(index + 1));
  });
}

/** Bursts that get a finding each. */
const MOST_BURSTS = 3;

/** Errors that came together, and what the API's log said then. @type {FindingRule} */
export function findErrorBursts({ load }) {
  if (!load) return [];
  // The error share covers steady errors already: they are news only with a line of the log.
  const bursts = load.errorBursts
    .filter(({ code, isSteady, log }) => code !== UNAUTHORIZED && (!isSteady || log.lines[0]))
    .sort((a, b) => b.errors - a.errors);
  return bursts.slice(0, MOST_BURSTS).map((burst, index) => {
    const isBad = burst.errors >= load.failures.tried * BAD_SHARE;
    const afterMs = Math.max(0, burst.startMs - load.window.startMs);
    const failure = load.failures.kinds.find(
      ({ code, endpoint }) => code === burst.code && endpoint === burst.endpoint,
    );
    const facts = { burst, afterMs, reason: failure?.reason ?? null };
    return finding('error-burst', isBad ? 'bad' : 'warn', facts, String(index + 1));
  });
}

/** The user ended the connection. */
const OWN_END = 'io client disconnect';
/** Share of the connections. */
const MANY_LOST = 0.01;

/** Socket.io connections that the user did not end. @type {FindingRule} */
export function findLostConnections({ load }) {
  const socketio = load?.socketio;
  const reasons = socketio?.disconnects.filter(({ reason }) => reason !== OWN_END) ?? [];
  if (!socketio?.connects || reasons.length === 0) return [];
  const { connects, reconnects } = socketio;
  const lost = reasons.reduce((sum, { count }) => sum + count, 0);
  const share = Math.min(1, lost / connects);
  const facts = { connects, lost, share, reconnects, reasons };
  return [finding('lost-connections', share > MANY_LOST ? 'warn' : 'info', facts)];
}

/** Shares of the arrivals: the actual load differed from the one asked for. */
const MOST_DROPPED = 0.2;

/** Arrivals dropped because all virtual users were active: less load than the script asks for. @type {FindingRule} */
export function findDroppedArrivals({ load }) {
  if (!load || load.users.skipped === 0) return [];
  const { created, skipped } = load.users;
  const arrivals = created + skipped;
  const share = skipped / arrivals;
  const severity = share > MOST_DROPPED ? 'bad' : share > MANY_DROPPED ? 'warn' : 'info';
  const own = { dropped: skipped, arrivals, started: created };
  return [finding('dropped-arrivals', severity, { ...own, isClosed: isClosedLoop(load.phases) })];
}
