/**
 * Small apps with one known limit each. `fix` starts the server without it: by FIXED=1 in the app, or with other
 * arguments. `limits` names what the report may call it, the best name first.
 */

/** @import { BottleneckId } from '../../lib/facts/bottleneck.d.ts' */

/**
 * @typedef {object} Case
 * @property {string} app
 * @property {string[]} [gunicorn] its arguments; else uvicorn serves
 * @property {string[]} [fixedGunicorn] where the fix is in the command
 * @property {string[]} [server] another server: a module of Python and its arguments, with `{port}`
 * @property {string[]} [fixedServer] where the fix is in that command
 * @property {string} [route] with a leading slash; else `/`
 * @property {number} [users] of a closed loop
 * @property {number} [thinkSec] pause of a user after each response
 * @property {number} [rate] of arrivals per second
 * @property {{delay: number, atOnce: number}} [other] a service that the app calls: seconds, and requests at a time
 * @property {number} [fixedAtOnce] where the fix is in that service
 * @property {'redis' | 'postgres'} [needs] a server that runs beside the app
 * @property {{function: string, part: 'half' | 'without'}} [shorter] the path of CPU time that the fix makes shorter, where
 *   it is not the end of the limit
 * @property {BottleneckId[]} limits
 * @property {string} what it is, for people
 * @property {Truth} [truth]
 */

/**
 * @typedef {object} Truth where the limit is, and what raises the throughput
 * @property {string} kind
 * @property {string | null} file of the app; null where no line is the limit
 * @property {string} [function]
 * @property {string} [line] its text
 * @property {string} fix
 */

const THREADS = ['-w', '1', '-k', 'gthread', '--threads', '16'];

/** @type {Case[]} */
export const CASES = [
  {
    app: 'lock_40ms',
    what: 'a lock around 40 ms, 2 × 4 threads',
    gunicorn: ['-w', '2', '-k', 'gthread', '--threads', '4'],
    users: 16,
    limits: ['lock'],
  },
  {
    app: 'lock_40ms',
    what: 'a lock around 40 ms, 16 threads',
    gunicorn: THREADS,
    users: 16,
    limits: ['lock'],
  },
  {
    app: 'keys_of_other_service',
    what: 'keys fetched for each request, 8 users on 8 threads',
    gunicorn: ['-w', '2', '-k', 'gthread', '--threads', '4'],
    users: 8,
    other: { delay: 0.03, atOnce: 8 },
    limits: ['external-call'],
  },
  {
    app: 'lock_around_call',
    what: 'a lock around a call of another service',
    gunicorn: THREADS,
    users: 12,
    other: { delay: 0.02, atOnce: 50 },
    limits: ['lock'],
  },
  {
    app: 'pool_of_sessions',
    what: 'two connections of urllib3',
    gunicorn: THREADS,
    users: 12,
    other: { delay: 0.03, atOnce: 50 },
    limits: ['pool'],
  },
  {
    app: 'sqlalchemy_pool',
    what: 'two connections in the pool of SQLAlchemy',
    gunicorn: THREADS,
    users: 12,
    limits: ['pool'],
  },
  {
    app: 'pool_in_queue',
    what: 'two clients in a queue.LifoQueue',
    gunicorn: THREADS,
    users: 12,
    other: { delay: 0.05, atOnce: 50 },
    limits: ['pool'],
  },
  {
    app: 'result_queue',
    what: 'one thread that puts results into queues',
    gunicorn: THREADS,
    users: 12,
    other: { delay: 0.03, atOnce: 50 },
    limits: ['consumer'],
  },
  {
    app: 'one_consumer',
    what: 'one thread that takes from a queue',
    gunicorn: THREADS,
    users: 12,
    limits: ['consumer'],
  },
  {
    app: 'few_threads',
    what: 'two threads that wait 50 ms',
    gunicorn: ['-w', '1', '-k', 'gthread', '--threads', '2'],
    fixedGunicorn: THREADS,
    users: 12,
    limits: ['slots'],
  },
  {
    app: 'cpu_sync',
    what: 'CPU of one worker',
    gunicorn: ['-w', '1'],
    users: 4,
    shorter: { function: 'show', part: 'half' },
    limits: ['workers'],
  },
  {
    app: 'cpu_sync',
    what: 'CPU of one worker with eight threads',
    gunicorn: ['-w', '1', '-k', 'gthread', '--threads', '8'],
    users: 8,
    shorter: { function: 'show', part: 'half' },
    limits: ['gil', 'workers'],
  },
  { app: 'blocked_loop', what: 'a blocking call in `async def`', users: 8, limits: ['loop'] },
  { app: 'asyncio_semaphore', what: 'asyncio.Semaphore(2)', users: 12, limits: ['lock', 'pool'] },
  { app: 'thread_limiter', what: 'four threads of anyio', users: 16, limits: ['slots'] },
  {
    app: 'not_saturated',
    what: 'nothing: 10 requests/s',
    gunicorn: ['-w', '1', '-k', 'gthread', '--threads', '8'],
    rate: 10,
    limits: ['none'],
  },
];
