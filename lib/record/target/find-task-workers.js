/** Workers of a task queue that are recorded alongside the server: Celery, RQ, dramatiq, or any Python program. */
import { existsSync } from 'node:fs';
import { LoadflameError } from '../../base/errors.js';
import { describeServer } from './describe-server.js';
import { findServer, listServers } from './find-server.js';
import { listDescendants } from './process-family.js';
import { TASK_QUEUES } from './server-kinds.js';

/** @import { ServerDescription } from './describe-server.js' */

/** More than these do not belong to one API, and each needs a recorder of its own. */
const MOST_ROOTS = 16;

/**
 * @typedef {object} TaskWorkers
 * @property {string} name `celery`, `rq`, `dramatiq`; `python` if not recognised
 * @property {ServerDescription[]} roots the first process of each, with its descendants
 * @property {string} how they were found
 */

/**
 * All workers of a queue on this machine, or the worker that a pid or a pid file names.
 * @param {string} given `celery`, `rq`, `dramatiq`, a pid, or a file with one
 * @param {number} serverPid first process of the server, which owns its descendants
 * @returns {Promise<TaskWorkers>}
 * @throws {LoadflameError} TASK_WORKERS_NOT_FOUND
 */
export async function findTaskWorkers(given, serverPid) {
  const fail = (/** @type {string} */ why, /** @type {unknown} */ cause = undefined) =>
    new LoadflameError('TASK_WORKERS_NOT_FOUND', { given, why }, { cause });
  const isPid = /^\d+$/.test(given);
  if (!isPid && !TASK_QUEUES.includes(given) && !existsSync(given))
    throw fail('it is neither the name of a task queue that loadflame knows, nor a pid or a file');
  const where = isPid ? { pid: Number(given) } : { pidFile: given };
  const found = TASK_QUEUES.includes(given)
    ? { roots: listServers(given), how: 'by command line' }
    : await findServer(where).then(
        ({ rootPid, how }) => ({ roots: [rootPid], how }),
        error => {
          throw fail(error.message, error);
        },
      );
  const ofServer = new Set([serverPid, ...listDescendants(serverPid)]);
  const pids = found.roots.filter(pid => !ofServer.has(pid));
  if (found.roots.length === 0)
    throw fail(`no Python process on this machine is a ${given} worker by its command line`);
  if (pids.length === 0)
    throw fail(`process ${found.roots[0]} belongs to the server, which is recorded already`);
  if (pids.length > MOST_ROOTS)
    throw fail(`there are ${pids.length} of them, and at most ${MOST_ROOTS} are recorded`);
  const roots = await Promise.all(pids.map(describeServer));
  return { name: roots[0]?.kind ?? 'python', roots, how: found.how };
}

/** Summarizes found task workers in one line. @param {TaskWorkers} found */
export function formatTaskWorkers({ name, roots, how }) {
  const first = roots.map(({ rootPid }) => rootPid).join(', ');
  return `${name} workers beside it: ${first} (${how})`;
}
