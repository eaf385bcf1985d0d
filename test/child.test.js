import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startChild } from '../lib/child.js';
import { isProcessAlive } from '../lib/process-table.js';
import { waitUntil } from './helpers/gunicorn.js';

const NODE = process.execPath;

test('a child that heeds the signal ends without being killed', async () => {
  const child = startChild(NODE, ['-e', 'setInterval(() => {}, 1000)']);
  await sleep(100);
  assert.ok(child.isAlive());
  const end = await child.stop();
  assert.deepEqual([end.signal, end.killed], ['SIGTERM', false]);
  assert.ok(!isProcessAlive(child.pid));
});

test('a child that ignores the signal is killed after the grace time, and stopping twice is fine', async () => {
  const child = startChild(NODE, [
    '-e',
    'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.log("ready")',
  ]);
  await once(/** @type {import('node:stream').Readable} */ (child.process.stdout), 'data');
  const [end, again] = await Promise.all([
    child.stop({ graceMs: 200 }),
    child.stop({ graceMs: 200 }),
  ]);
  assert.deepEqual([end.signal, end.killed], ['SIGKILL', true]);
  assert.equal(again, end);
});

test('the end of a child that ends by itself tells its exit code', async () => {
  const child = startChild(NODE, ['-e', 'process.exit(7)']);
  assert.deepEqual(await child.ended, { exitCode: 7, signal: null, killed: false, error: null });
  assert.equal(child.signal('SIGTERM'), false);
});

test('children die with a parent that is killed by SIGKILL', {
  skip: process.platform !== 'linux',
}, async () => {
  const program = `
    import { startChild } from ${JSON.stringify(new URL('../lib/child.js', import.meta.url).href)};
    const args = ['-e', 'console.log(process.pid); setInterval(() => {}, 1000)'];
    startChild(process.execPath, args, { stdout: 'inherit' });
    setInterval(() => {}, 1000);`;
  const parent = spawn(NODE, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [data] = await once(parent.stdout, 'data');
  const pid = Number(String(data));
  assert.ok(isProcessAlive(pid));
  parent.kill('SIGKILL');
  await once(parent, 'exit');
  await waitUntil(() => !isProcessAlive(pid), 'the end of the child');
});
