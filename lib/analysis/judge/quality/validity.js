/** Can the figures of a load test be used at all? The rules that make a run invalid, as data. */

import { NAMES_OF_ENGINES } from '../../read/load/counters.js';

/** @import { LoadReport } from '../../../run/facts/load-report.d.ts' */
/** @import { InvalidReason, InvalidTable } from '../../../run/facts/validity.d.ts' */

/** Above this share of failed users or requests, a run shows its own failure and not the target's behaviour. */
const MOST = 0.5;

/** @param {LoadReport} load */
export function sendsNothing({ http, socketio, websocket }) {
  const sockets = [socketio?.connects, socketio?.emits, websocket?.connects, websocket?.sent];
  return http.requests === 0 && !sockets.some(Boolean);
}

/** Functions of a script may be clients of a protocol of their own. @param {LoadReport} load */
export function listOwnMetrics({ counters, histograms = {} }) {
  const counted = Object.keys(counters).filter(name => counters[name]);
  return [...counted, ...Object.keys(histograms)].filter(name => !NAMES_OF_ENGINES.test(name));
}

/** @type {{[Id in keyof InvalidTable]: (load: LoadReport) => InvalidTable[Id] | null}} the first that returns facts wins */
const RULES = {
  'server-ended': ({ serverEnd }) => serverEnd ?? null,
  'nothing-sent': load => {
    const { users, errors } = load;
    return sendsNothing(load) && listOwnMetrics(load).length === 0
      ? { created: users.created, failed: users.failed, error: errors[0]?.name ?? null }
      : null;
  },
  'no-response': ({ http, errors }) =>
    http.requests > 0 && http.responses === 0
      ? { requests: http.requests, error: errors[0]?.name ?? null }
      : null,
  'most-users-failed': ({ users: { created, failed } }) =>
    created > 0 && failed > created * MOST ? { created, failed } : null,
  'most-failed': ({ http: { requests, errorRate }, failures }) =>
    errorRate > MOST
      ? { requests, errorRate, failure: failures.kinds.find(({ isOfStep }) => !isOfStep) ?? null }
      : null,
  'scenario-failed': ({ users, failures }) => {
    const scenarios = users.byScenario.filter(({ failed, ended }) =>
      isHopeless(failed ?? 0, ended ?? 0, failures),
    );
    return scenarios.length > 0 ? { scenarios, users: failures.users } : null;
  },
  'endpoint-failed': ({ endpoints, failures }) => {
    const hopeless = endpoints.filter(({ errors, requests }) =>
      isHopeless(errors, requests, failures),
    );
    if (hopeless.length === 0) return null;
    return {
      endpoints: hopeless.map(({ name, errors, requests }) => {
        const failure = failures.kinds.find(({ endpoint }) => endpoint === name) ?? null;
        return { name, errors, requests, failure };
      }),
    };
  },
};

/** Share of the attempts that is as good as all of them. */
const NEARLY_ALL = 0.95;
const LEAST_TRIED = 3;

/** @param {number} failed @param {number} tried @param {LoadReport['failures']} failures */
const isHopeless = (failed, tried, { allowed }) =>
  tried >= LEAST_TRIED && failed >= tried * NEARLY_ALL && failed > tried * allowed;

/**
 * @param {LoadReport} load
 * @returns {InvalidReason | null} null when the run is valid
 */
export function findInvalid(load) {
  for (const [id, test] of Object.entries(RULES)) {
    const facts = test(load);
    if (facts) return /** @type {InvalidReason} */ ({ id, facts });
  }
  return null;
}
