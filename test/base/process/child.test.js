import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../../../lib/base/config/read-config.js';
import { startChild } from '../../../lib/base/process/child.js';
import {
  isProcessAlive,
  listProcesses,
  readCommandLine,
} from '../../../lib/base/process/process-table.js';
import { waitUntil } from '../../helpers/gunicorn.js';

const NODE = process.execPath;

test('a child that heeds the signal ends without being killed', async () => {
  const child = startChild(NODE, ['-e', 'setInterval(() => {}, 1000)']);
  await sleep(100);
  assert.ok(child.isAlive());
  const end = await child.stop();
  assert.equal(end.signal, 'SIGTERM');
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
  assert.equal(end.signal, 'SIGKILL');
  assert.equal(again, end);
});

test('reports the exit code of a child that ends by itself', async () => {
  const child = startChild(NODE, ['-e', 'process.exit(7)']);
  assert.deepEqual(await child.ended, { exitCode: 7, signal: null, error: null });
  assert.equal(child.signal('SIGTERM'), false);
});

test('a program that holds on to the output of one that has ended holds up nothing', async () => {
  const script = 'echo last words; setsid sleep 9.26 & exit 3';
  const child = startChild('sh', ['-c', script], { stdout: 'pipe' });
  let printed = '';
  child.process.stdout?.on('data', chunk => {
    printed += chunk;
  });
  const startedAt = performance.now();
  assert.equal((await child.ended).exitCode, 3);
  assert.ok(performance.now() - startedAt < 4000);
  assert.equal(printed, 'last words\n');
  for (const { pid } of listProcesses()) {
    if (readCommandLine(pid)?.join(' ') === 'sleep 9.26') process.kill(pid);
  }
});

test('what a child leaves of its group ends with it, and its number is signalled no more', async t => {
  const child = startChild('sh', ['-c', 'sleep 60 & echo $!; sleep 0.3'], {
    stdout: 'pipe',
    groupGraceMs: 200,
  });
  const { stdout } = /** @type {{stdout: import('node:stream').Readable}} */ (child.process);
  const [data] = await once(stdout, 'data');
  const left = Number(String(data));
  assert.ok(isProcessAlive(left));
  assert.equal((await child.ended).exitCode, 0);
  await child.stop();
  assert.ok(!isProcessAlive(left));
  const kill = t.mock.method(process, 'kill');
  await child.stop();
  assert.equal(kill.mock.callCount(), 0);
});

test('children die with a parent that is killed by SIGKILL', {
  skip: process.platform !== 'linux',
}, async () => {
  const program = `
    import { startChild } from ${JSON.stringify(new URL('../../../lib/base/process/child.js', import.meta.url).href)};
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

test('a child gets our environment without secret settings, whatever else it gets', async t => {
  Object.assign(process.env, { OIDC_PASSWORD: 'Open-5esame', KEYCLOAK_PASSWORD: 'x', SEEN: '1' });
  t.after(() => {
    for (const name of ['OIDC_PASSWORD', 'KEYCLOAK_PASSWORD', 'SEEN']) delete process.env[name];
  });
  readConfig({ folder: '/' });
  const child = startChild(NODE, ['-p', 'JSON.stringify(process.env)'], {
    env: { MORE: '2' },
  });
  const stdout = await text(/** @type {import('node:stream').Readable} */ (child.process.stdout));
  const { OIDC_PASSWORD, KEYCLOAK_PASSWORD, SEEN, MORE } = JSON.parse(stdout);
  assert.deepEqual(
    [OIDC_PASSWORD, KEYCLOAK_PASSWORD, SEEN, MORE],
    [undefined, undefined, '1', '2'],
  );
});

test('a program that can not be started ends with the reason, found out at once or later', async () => {
  for (const [program, args] of /** @type {[string, string[]][]} */ ([
    ['/nowhere/node', []],
    [NODE, ['a\0b']],
  ])) {
    // Without setpriv before it, which would say so by its exit code.
    const child = startChild(program, args, { cwd: program === NODE ? '.' : '/nowhere' });
    const { exitCode, signal, error } = await child.ended;
    assert.deepEqual([exitCode, signal, child.pid], [null, null, -1]);
    assert.match(String(error), program === NODE ? /null bytes/ : /ENOENT/);
    assert.ok(!child.isAlive() && !child.signal('SIGTERM'));
  }
});
