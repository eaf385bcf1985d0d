import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { startChild } from '../../../lib/base/process/child.js';
import { listServers } from '../../../lib/record/target/find-server.js';
import { findTaskWorkers } from '../../../lib/record/target/find-task-workers.js';
import { listChildren } from '../../../lib/record/target/process-family.js';
import { PYTHON, waitUntil, writePidFile } from '../../helpers/gunicorn.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

const WORKER = `import os, time
if os.fork(): print("forked", flush=True)
time.sleep(60)
`;

/** A program of a queue's name, with a child as Celery's workers have them. @param {import('node:test').TestContext} t */
async function startWorker(t) {
  const folder = makeTempFolder(t);
  const program = path.join(folder, 'celery');
  writeFileSync(program, WORKER);
  const child = startChild(PYTHON, [program, '-A', 'shop', 'worker'], { stdout: 'ignore' });
  t.after(async () => {
    for (const pid of listChildren(child.pid)) process.kill(pid, 'SIGKILL');
    await child.stop();
  });
  await waitUntil(() => listChildren(child.pid).length === 1, 'its child');
  return { pid: child.pid, below: listChildren(child.pid)[0] ?? 0, folder };
}

test('finds workers of a queue by its name, a pid or a pid file, and not as servers', async t => {
  const { pid, below, folder } = await startWorker(t);
  const byName = await findTaskWorkers('celery', 1 << 22);
  const own = byName.roots.find(({ rootPid }) => rootPid === pid);
  assert.ok(own, 'is among them');
  assert.deepEqual(own.workers, [pid, below]);
  assert.ok(byName.roots.every(({ rootPid }) => rootPid !== below));
  assert.ok(!listServers().includes(pid));
  for (const given of [`${pid}`, `${below}`, writePidFile(folder, `${pid}\n`)]) {
    const { name, roots } = await findTaskWorkers(given, 1 << 22);
    assert.equal(name, 'celery');
    assert.deepEqual(
      roots.map(({ rootPid }) => rootPid),
      [pid],
    );
  }
});

test('reports missing workers, or processes of the server, with the requested name', async t => {
  const { pid, folder } = await startWorker(t);
  /** @type {[string, RegExp, number?][]} */
  const wrong = [
    ['selery', /neither the name of a task queue/],
    ['dramatiq', /no Python process on this machine is a dramatiq worker/],
    [`${process.pid}`, /not Python/],
    [writePidFile(folder, 'text'), /does not hold a process id/],
    [`${pid}`, /belongs to the server/, pid],
  ];
  for (const [given, why, serverPid = 1 << 22] of wrong)
    await assert.rejects(findTaskWorkers(given, serverPid), error => {
      const { code, message, hint } = /** @type {any} */ (error);
      assert.equal(code, 'TASK_WORKERS_NOT_FOUND');
      assert.ok(message.includes(`--also ${given}`), message);
      assert.match(message, why);
      assert.match(hint, /--also celery/);
      return true;
    });
});
