import { isUneven } from '../limit/uneven.js';

/** What to do about each limit; those that have a finding of their own are not told here. @type {Partial<Record<import('../limit.d.ts').LimitId, {severity: import('../report.d.ts').Severity, advice: string | null}>>} */
const ADVICE = {
  workers: {
    severity: 'warn',
    advice:
      'Make requests cheaper (the hot paths say where), or add workers where the machine has idle cores, else machines or pods.',
  },
  gil: {
    severity: 'warn',
    advice: 'Add workers, not threads: `--workers` up to the number of cores that are idle.',
  },
  database: {
    severity: 'warn',
    advice:
      'Find the slow queries (log_min_duration_statement, EXPLAIN, missing indexes), ask for less in each request, or keep results; more workers only send it more at once.',
  },
  'external-call': {
    severity: 'warn',
    advice:
      'Keep connections open, keep answers that change rarely, call at the same time what does not depend on each other, and set time-outs.',
  },
  slots: {
    severity: 'warn',
    advice:
      'Add threads (`--threads`) or workers, as long as what the threads wait for can take more at once; or make the waiting shorter.',
  },
  pool: {
    severity: 'warn',
    advice:
      'Make the pool as large as the number of threads (SQLAlchemy: `pool_size`), if the database allows so many connections, and give connections back earlier.',
  },
  lock: {
    severity: 'warn',
    advice: 'Hold the lock for less of the work, or give each thread what it needs of its own.',
  },
  imbalance: {
    severity: 'warn',
    advice: 'Look at how connections are spread over workers: long ones stay where they were made.',
  },
  none: { severity: 'good', advice: null },
  unknown: { severity: 'info', advice: null },
};

/** @type {import('./index.js').FindingRule} */
export function findLimitFinding({ limit, balance }) {
  if (!limit) return [];
  const told = ADVICE[limit.id];
  const isTold = isUneven(balance?.backends) || isUneven(balance?.workers);
  if (!told || (limit.id === 'imbalance' && isTold)) return [];
  const detail =
    limit.id === 'unknown'
      ? 'A longer run, or one with more users, may tell.'
      : 'Judged by the CPU time of the workers, by what their threads do inside requests, and by whether the load presses.';
  return [
    {
      id: `limit.${limit.id}`,
      severity: told.severity,
      title: limit.text,
      detail,
      evidence: limit.evidence,
      advice: told.advice,
      link: 'limit',
    },
  ];
}
