/** Can the figures of a load test be used at all? What makes a run invalid, as data. */

import { formatPercent } from '../format.js';

/** Above this share of failed users or refused answers a run tells of its own failure, not of the target. */
const MOST = 0.5;

/** @typedef {import('./report.d.ts').LoadReport} LoadReport */

/** @type {{id: string, test: (load: LoadReport) => boolean, reason: (load: LoadReport) => string}[]} */
const RULES = [
  {
    id: 'nothing-sent',
    test: ({ http, socketio, websocket }) =>
      http.requests === 0 && !socketio?.connects && !socketio?.emits && !websocket?.sent,
    reason: ({ users, errors }) => {
      const why = errors[0] ? `; the most frequent error was "${errors[0].name}"` : '';
      return `not one request was sent (${users.created} users started, ${users.failed} failed${why})`;
    },
  },
  {
    id: 'no-answer',
    test: ({ http }) => http.requests > 0 && http.responses === 0,
    reason: ({ http, errors }) =>
      `none of ${http.requests} requests was answered${errors[0] ? ` (${errors[0].name})` : ''}`,
  },
  {
    id: 'most-users-failed',
    test: ({ users }) => users.created > 0 && users.failed > users.created * MOST,
    reason: ({ users }) => `${users.failed} of ${users.created} users failed`,
  },
  {
    id: 'most-refused',
    test: load => countRefused(load) > load.http.responses * MOST,
    reason: load =>
      `${countRefused(load)} of ${load.http.responses} answers were 401 or 403: the target refused most requests`,
  },
  {
    id: 'most-failed',
    test: ({ http }) => http.errorRate > MOST,
    reason: ({ http }) => {
      const { code } = http.codes.find(item => Number(item.code) >= 400) ?? { code: 'no answer' };
      return `${formatPercent(http.errorRate)} of ${http.requests} requests failed, most with ${code}`;
    },
  },
];

/**
 * @param {LoadReport} load
 * @returns {{id: string, reason: string} | null} null when the run is valid
 */
export function judgeValidity(load) {
  const rule = RULES.find(({ test }) => test(load));
  return rule ? { id: rule.id, reason: rule.reason(load) } : null;
}

/** @param {LoadReport} load */
export function countRefused({ http }) {
  return http.codes
    .filter(({ code }) => code === '401' || code === '403')
    .reduce((sum, { count }) => sum + count, 0);
}
