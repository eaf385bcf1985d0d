/** Names of components in sentences and legends. */

import { formatNumberOf } from '../base/format.js';

/** Names that a study file does not define, and programs with their own spelling. @type {Record<string, string>} */
const LABELS = {
  master: 'master process',
  generator: 'load generator',
  celery: 'Celery',
  rq: 'RQ',
  python: 'Python',
  postgres: 'PostgreSQL',
  postgresql: 'PostgreSQL',
  redis: 'Redis',
  haproxy: 'HAProxy',
  nginx: 'nginx',
  pgbouncer: 'PgBouncer',
};

export const STEAL = 'other guests of the hypervisor (steal)';

/** @param {string} name */
export const labelComponent = name => (Object.hasOwn(LABELS, name) ? (LABELS[name] ?? name) : name);

/**
 * "2 workers", "1 worker", "PostgreSQL"; beside a pipeline's own workers "2 API workers"
 * @param {{name: string, processes: number}} component
 * @param {{stages: unknown[]} | null} study
 */
export function countComponent({ name, processes }, study) {
  if (name !== 'workers') return labelComponent(name);
  return formatNumberOf(Math.round(processes), study?.stages.length ? 'API worker' : 'worker');
}
