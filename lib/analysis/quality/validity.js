/** Can the figures of a load test be used at all? What makes a run invalid, as data. */

/** @import { LoadReport } from '../report.d.ts' */
/** @import { InvalidReason, InvalidTable } from './quality.d.ts' */

/** Above this share of failed users or refused responses a run tells of its own failure, not of the target. */
const MOST = 0.5;

/** @type {{[Id in keyof InvalidTable]: (load: LoadReport) => InvalidTable[Id] | null}} the first that has facts */
const RULES = {
  'nothing-sent': ({ http, socketio, websocket, users, errors }) =>
    http.requests === 0 && !socketio?.connects && !socketio?.emits && !websocket?.sent
      ? { created: users.created, failed: users.failed, error: errors[0]?.name ?? null }
      : null,
  'no-response': ({ http, errors }) =>
    http.requests > 0 && http.responses === 0
      ? { requests: http.requests, error: errors[0]?.name ?? null }
      : null,
  'most-users-failed': ({ users: { created, failed } }) =>
    created > 0 && failed > created * MOST ? { created, failed } : null,
  'most-refused': load => {
    const { responses } = load.http;
    const refused = countRefused(load);
    return refused > responses * MOST ? { responses, refused } : null;
  },
  'most-failed': ({ http: { requests, errorRate, codes }, errors: [error] }) => {
    if (errorRate <= MOST) return null;
    const refused = codes.find(({ code }) => Number(code) >= 400);
    const isByError = error && error.count > (refused?.count ?? 0);
    return { requests, errorRate, failure: isByError ? error.name : (refused?.code ?? null) };
  },
};

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

/** @param {LoadReport} load */
function countRefused({ http }) {
  return http.codes
    .filter(({ code }) => code === '401' || code === '403')
    .reduce((sum, { count }) => sum + count, 0);
}
