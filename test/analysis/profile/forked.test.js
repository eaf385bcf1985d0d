import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadRules } from '../../../lib/analysis/hotpath/load-rules.js';
import { findForked, moveForked } from '../../../lib/analysis/profile/forked.js';
import { parseRaw } from '../../helpers/parse-raw.js';

const rules = await loadRules();

const MASTER = 'process 1:"gunicorn"';
const BEGUN = 'BaseProcess._bootstrap (multiprocessing/process.py:314)';
const SPAWN = `<module> (<string>:1);_main (multiprocessing/spawn.py:135);${BEGUN};BaseProcess.run (multiprocessing/process.py:108)`;
const GUNICORN =
  'Arbiter.run (gunicorn/arbiter.py:247);SyncWorker.run (gunicorn/workers/sync.py:142)';
const VIEW = 'SyncWorker.handle_request (gunicorn/workers/sync.py:188);shop (app.py:12)';
const POOL = `ForkProcess._Popen (multiprocessing/context.py:281);${BEGUN};_process_worker (concurrent/futures/process.py:252);convert (app.py:20)`;
const MANAGER = `<module> (app.py:3);BaseManager.start (multiprocessing/managers.py:562);${BEGUN};BaseManager._run_server (multiprocessing/managers.py:591)`;

/** @param {[pid: number, stack: string][]} stacks */
const forkedOf = stacks => {
  const text = stacks.map(
    ([pid, stack]) => `${MASTER};process ${pid}:"";thread (${pid}): M;${stack} 9`,
  );
  return [...findForked(parseRaw(`${text.join('\n')}\n`, 'all'), rules)];
};

test('a Manager that the master forked, and a pool that a worker forked in a request, serve nothing', () => {
  const forked = forkedOf([
    [2, GUNICORN],
    [3, MANAGER],
    [
      3,
      'Thread._bootstrap (threading.py:1002);Server.serve_client (multiprocessing/managers.py:250)',
    ],
    [4, `${GUNICORN};${VIEW};${POOL}`],
    [5, `${GUNICORN};${VIEW}`],
  ]);
  assert.deepEqual(forked, [3, 4]);
});

test('a server may start its workers by multiprocessing, and these a pool', () => {
  const uvicorn = `${SPAWN};subprocess_started (uvicorn/_subprocess.py:76);Server.run (uvicorn/server.py:62)`;
  assert.deepEqual(
    forkedOf([
      [2, uvicorn],
      [3, `${uvicorn};pdf (app.py:28);${POOL}`],
    ]),
    [3],
  );
  assert.deepEqual([...findForked(null, rules)], []);
});

test('forked processes are children of the workers', () => {
  const use = (/** @type {number} */ pid) =>
    /** @type {any} */ ({ pid, role: 'worker', cpuMs: pid });
  const beside = { processes: [use(2), use(3)], threads: [use(2), use(3)] };
  const { processes = [], threads = [] } = moveForked(beside, new Set([3])) ?? {};
  assert.deepEqual(
    processes.map(({ pid, role }) => [pid, role]),
    [
      [2, 'worker'],
      [3, 'child processes'],
    ],
  );
  assert.deepEqual(
    threads.map(({ pid }) => pid),
    [2],
  );
  assert.equal(moveForked(null, new Set([3])), null);
});
