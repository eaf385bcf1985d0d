/** @import { Waits } from '../facts/profile-report.d.ts' */

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
  sleep: 'sleeping',
  client: 'the client, to send or to receive',
  socket: 'a message of an open WebSocket',
  gil: 'the GIL, which another thread holds',
  other: 'something that no rule names (a sleep, a lock or C code)',
};

/** @param {Waits['kinds'][number]['id']} id */
export function nameWait(id) {
  return WAITS[id];
}
