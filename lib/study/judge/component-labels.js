/** How components are called in sentences and beside lines. */

/** Names that are no words of the study file, and those of programs that have a spelling of their own. */
const LABELS = {
  workers: 'workers',
  master: 'gunicorn master',
  generator: 'load generator',
  postgres: 'PostgreSQL',
  postgresql: 'PostgreSQL',
  redis: 'Redis',
  haproxy: 'HAProxy',
  nginx: 'nginx',
  pgbouncer: 'PgBouncer',
};

/** @param {string} name */
export function labelComponent(name) {
  return Object.hasOwn(LABELS, name) ? LABELS[/** @type {keyof typeof LABELS} */ (name)] : name;
}

/**
 * "2 workers", "1 worker", "PostgreSQL"
 * @param {{name: string, processes: number}} component
 */
export function countComponent({ name, processes }) {
  const label = labelComponent(name);
  if (name !== 'workers') return label;
  const count = Math.round(processes);
  return count === 1 ? '1 worker' : `${count} workers`;
}
