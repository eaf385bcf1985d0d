import { formatNumberOf, formatPercent } from '../../format.js';

/** Errors other than refused tokens, by their share. */
const BAD_SHARE = 0.05;
const WARN_SHARE = 0.01;

/** @type {import('./index.js').FindingRule} */
export function findRequestErrors({ load }) {
  if (!load) return [];
  const codes = load.http.codes.filter(({ code }) => Number(code) >= 400 && code !== '401');
  const failures = [
    ...codes.map(({ code, count }) => ({ label: `status ${code}`, count, explanation: null })),
    ...load.errors.map(({ name, count, explanation }) => ({ label: name, count, explanation })),
  ];
  const total = failures.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return [];
  const { connects = 0, connectErrors = 0, emits = 0 } = load.socketio ?? {};
  const { websocket } = load;
  const messages = websocket ? websocket.connects + websocket.connectErrors + websocket.sent : 0;
  const tried = load.http.requests + emits + (connects ?? 0) + (connectErrors ?? 0) + messages;
  // One thing that fails can be told as several errors: a share above 1 says nothing.
  const share = Math.min(1, total / Math.max(1, tried));
  const worst = failures.sort((a, b) => b.count - a.count)[0];
  return [
    {
      id: 'request-errors',
      severity: share >= BAD_SHARE ? 'bad' : share >= WARN_SHARE ? 'warn' : 'info',
      title: `${formatNumberOf(total, 'error')} in ${formatNumberOf(tried, 'request or message', 'requests and messages')} (${formatPercent(share)}), most with ${worst?.label}.`,
      detail: worst?.explanation ?? 'The error samples show what the target answered.',
      evidence: failures.slice(0, 6).map(({ label, count }) => ({ label, value: `${count} ×` })),
      advice: 'Read the error samples, and the log of the API at the same time.',
      link: 'errors',
    },
  ];
}
