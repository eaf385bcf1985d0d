import { withText } from './say.js';

/** @import { WaitPlace, Waits } from '../run/facts/profile-report.d.ts' */
/** @import { WaitAct } from '../run/facts/rules.d.ts' */

/** Names of the resources that requests wait for, such as "the database". @type {Record<Waits['kinds'][number]['id'], string>} */
const WAITS = {
  cpu: 'CPU, or the queue for it',
  database: 'the database',
  'external-call': 'calls to other services',
  'child-process': 'child processes',
  lock: 'locks',
  pool: 'a free connection of a pool',
  queue: 'an item of a queue',
  'thread-pool': 'a free thread of a pool',
  sleep: 'a sleep to end',
  client: 'the client, to send or to receive',
  socket: 'a message of an open WebSocket',
  file: 'a file or a pipe',
  gil: 'the GIL, which another thread holds',
  other: 'something that no rule names (a sleep, a lock or C code)',
};

/** @type {Record<WaitAct, string>} */
const ACTS = {
  'file-lock': 'a lock on a file',
  import: 'an import',
  future: 'the result of a future',
  pipe: 'the other end of a pipe, or a file',
  connect: 'a new connection',
  message: 'an item or a message of another process',
  task: 'the result of another task or greenlet',
  'cached-property': 'the lock of a `functools.cached_property`',
};

/** @param {Waits['kinds'][number]['id']} id @param {WaitPlace['as']} [as] what the call does, where that is known */
export const nameWait = (id, as) => (as ? ACTS[as] : WAITS[id]);

/** Without idle CPU, a response waits for the worker, too. @param {Waits['kinds'][number]} kind */
function nameKindOfWait({ id, isBound }) {
  return isBound
    ? `the worker, or ${WAITS[id]}`
    : `${id === 'database' ? 'waiting for ' : ''}${WAITS[id]}`;
}

/**
 * Names kinds in their table and in the flamegraph alike; one that may be the worker's has no colour of its own there.
 * @param {Waits} waits
 */
export function wordWaits(waits) {
  const kinds = waits.kinds.map(kind => withText(kind, nameKindOfWait));
  const unknown = waits.table.categories.at(-1);
  const categories = waits.table.categories.map(own => {
    const bound = kinds.find(({ id, isBound }) => isBound && id === own.id);
    return bound ? { ...own, label: bound.text, color: unknown?.color ?? own.color } : own;
  });
  return { ...waits, kinds, table: { ...waits.table, categories } };
}

/** @param {import('../run/facts/profile-report.d.ts').LoopWaits | null} waits */
export const sayHow = waits => (waits?.isGreen ? 'in calls that do not yield' : 'without `await`');

export const GREEN_ADVICE =
  'Let the call yield: with a library in Python that gevent or eventlet patches, or a hook of the driver (psycopg2: `set_wait_callback`). Or hand it to their pools of threads (`gevent.get_hub().threadpool`, `eventlet.tpool`).';
