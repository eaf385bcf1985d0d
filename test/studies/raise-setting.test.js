/** A number of the kernel that a study raises is put back, however the study ends. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { makeService, prepareStart } from '../experiment/study/services/services.js';
import { PYTHON, waitUntil } from '../helpers/gunicorn.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const PROGRAM = path.resolve(import.meta.dirname, '../../studies/ingress/raise_setting.py');

/** @param {import('node:test').TestContext} t */
async function raise(t) {
  const file = path.join(makeTempFolder(t), 'migration_cost_ns');
  writeFileSync(file, '500000\n');
  const service = makeService('scheduler', {
    command: `${PYTHON} ${PROGRAM} ${file} 10`,
    ready: { log: '^raised' },
  });
  const { start } = await prepareStart(t);
  const running = await start([service]);
  assert.equal(readFileSync(file, 'utf8'), '5000000\n');
  return { file, running, pid: running.pids.get('scheduler') ?? 0 };
}

test('it is put back when the study stops its services', async t => {
  const { file, running } = await raise(t);
  await running.stop();
  assert.equal(readFileSync(file, 'utf8'), '500000\n');
});

for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT', 'SIGHUP']))
  test(`it is put back after ${signal}, which the kernel or a terminal sends`, async t => {
    const { file, running, pid } = await raise(t);
    process.kill(pid, signal);
    await running.failure;
    await waitUntil(() => readFileSync(file, 'utf8') === '500000\n');
  });
