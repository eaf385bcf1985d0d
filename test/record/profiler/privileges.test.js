import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { startChild } from '../../../lib/base/process/child.js';
import { readCommandLine } from '../../../lib/base/process/process-table.js';
import { findPySpy } from '../../../lib/record/profiler/find-py-spy.js';
import { findForeignWriter, probePrivileges } from '../../../lib/record/profiler/privileges.js';
import { keepBusy, PYTHON, startGunicorn, waitUntil } from '../../helpers/gunicorn.js';
import { needsOldPython, OLD_PYTHON } from '../../helpers/old-python.js';
import { makeFakePySpy, startRecording } from '../../helpers/recording.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

/** @param {import('node:test').TestContext} t @param {string} [python] */
async function startPython(t, python = PYTHON) {
  const child = startChild(python, ['-c', 'import time\nprint(1, flush=True)\ntime.sleep(60)'], {
    stdout: 'pipe',
  });
  t.after(() => child.stop());
  await new Promise(resolve => child.process.stdout?.once('data', resolve));
  return child.pid;
}

test('a process of our own is profiled without sudo', async t => {
  const access = await probePrivileges({ pySpy: await findPySpy(), pid: await startPython(t) });
  assert.match(access.python ?? '', /^3\.\d+\.\d+$/);
  const mode = process.platform === 'linux' ? 'nonblocking' : 'blocking';
  assert.deepEqual(
    { ...access, python: null },
    { sudo: false, asksPassword: false, mode, python: null },
  );
});

test('a process of Python 3.10 or older may have to be paused to see its sleeping threads', {
  skip: needsOldPython(),
}, async t => {
  const pid = await startPython(t, OLD_PYTHON);
  const { mode, python } = await probePrivileges({ pySpy: await findPySpy(), pid });
  assert.deepEqual([mode, /^3\.(8|9|10)\./.test(python ?? '')], ['blocking', true]);
});

const isRoot = process.getuid?.() === 0 && process.platform === 'linux';
const root = { skip: isRoot ? false : 'needs root, to become somebody else' };

test("another user's process is refused, and the error says whose it is", root, async t => {
  const pid = await startPython(t);
  const fixture = path.resolve(import.meta.dirname, '../../fixtures/probe-privileges.js');
  const as = ['--reuid', '65534', '--regid', '65534', '--clear-groups', '--'];
  const reads = [...as, 'test', '-r', fixture, '-a', '-x', process.execPath];
  if (spawnSync('setpriv', reads).status !== 0) return t.skip('others may not read this checkout');
  const { stdout, stderr } = spawnSync('setpriv', [...as, process.execPath, fixture, `${pid}`], {
    encoding: 'utf8',
    cwd: '/',
    env: { PATH: process.env.PATH, HOME: '/' },
  });
  assert.equal(stderr, '');
  const { code, message, hint } = JSON.parse(stdout);
  assert.equal(code, 'PYSPY_PERMISSION');
  assert.match(
    message,
    new RegExp(`process ${pid} \\(it belongs to user 0, loadflame runs as user 65534\\)`),
  );
  assert.match(hint, /sudo/);
});

test(
  'sudo runs no py-spy that somebody else can write, and the error says what they can',
  root,
  async t => {
    const fixture = path.resolve(import.meta.dirname, '../../fixtures/probe-privileges.js');
    const as = ['--reuid', '65534', '--regid', '65534', '--clear-groups', '--'];
    const reads = [...as, 'test', '-r', fixture, '-a', '-x', process.execPath];
    if (spawnSync('setpriv', reads).status !== 0)
      return t.skip('others may not read this checkout');
    const folder = makeTempFolder(t);
    const tools = path.join(folder, 'tools');
    const called = path.join(folder, 'called');
    mkdirSync(tools);
    chmodSync(folder, 0o755);
    writeFileSync(called, '');
    chmodSync(called, 0o666);
    const write = (/** @type {string} */ name, /** @type {string} */ text) =>
      writeFileSync(path.join(tools, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    write('sudo', `echo "$@" >> ${called}; exit 0`);
    write(
      'py-spy',
      'test "$1" = --version && echo "py-spy 0.4.1" && exit; echo "Error: Permission Denied: Try running again with elevated permissions" >&2; exit 1',
    );
    const pid = await startPython(t);
    const probe = () => {
      writeFileSync(called, '');
      const { stdout } = spawnSync('setpriv', [...as, process.execPath, fixture, `${pid}`], {
        encoding: 'utf8',
        cwd: '/',
        env: { PATH: `${tools}:${process.env.PATH}`, HOME: '/' },
      });
      return { said: JSON.parse(stdout), ran: readFileSync(called, 'utf8') };
    };
    assert.match(probe().ran, /py-spy dump/, 'one that only root can write is run');
    chmodSync(tools, 0o777);
    const { said, ran } = probe();
    assert.doesNotMatch(ran, /py-spy/);
    assert.equal(said.code, 'PYSPY_PERMISSION');
    assert.ok(said.hint.includes(`${tools} can be changed by others`), said.hint);
  },
);

test('a place is open to others by its mode, its owner, or a link on the way', root, t => {
  const folder = makeTempFolder(t);
  const program = path.join(folder, 'bin', 'py-spy');
  mkdirSync(path.dirname(program));
  writeFileSync(program, '', { mode: 0o755 });
  const link = path.join(folder, 'link');
  symlinkSync(path.dirname(program), link);
  const throughLink = path.join(link, 'py-spy');
  const cases = /** @type {[() => void, string | null][]} */ ([
    [() => {}, null],
    [() => chmodSync(program, 0o757), throughLink],
    [() => chmodSync(program, 0o775), null],
    [() => chownSync(program, 0, 100), throughLink],
    [() => chownSync(program, 65534, 0), throughLink],
    [() => chownSync(program, 0, 0), null],
    [() => chmodSync(path.dirname(program), 0o777), path.dirname(program)],
    [() => chmodSync(path.dirname(program), 0o1777), null],
  ]);
  for (const [change, expected] of cases) {
    change();
    assert.equal(findForeignWriter(throughLink), expected, `${change}`);
  }
  lchownSync(link, 65534, 65534);
  assert.equal(findForeignWriter(throughLink), link);
});

test('a user without a name, as many containers have, may write what its group writes', root, t => {
  const folder = makeTempFolder(t);
  const program = path.join(folder, 'py-spy');
  writeFileSync(program, '');
  chmodSync(program, 0o775);
  const uid = 123456;
  for (const place of [folder, program]) chownSync(place, uid, 0);
  const module = new URL('../../../lib/record/profiler/privileges.js', import.meta.url).href;
  const code = `import { findForeignWriter } from '${module}'; console.log(findForeignWriter('${program}'));`;
  const as = ['--reuid', `${uid}`, '--regid', '0', '--clear-groups', process.execPath];
  const options = { encoding: /** @type {const} */ ('utf8'), cwd: '/' };
  const run = spawnSync('setpriv', [...as, '--input-type=module', '-e', code], options);
  assert.equal(run.stdout, 'null\n', run.stderr);
});

test('no process and no Python are errors of their own', async t => {
  const pySpy = await findPySpy();
  const gone = startChild('true', []);
  await gone.ended;
  await assert.rejects(probePrivileges({ pySpy, pid: gone.pid }), { code: 'PYSPY_NO_PROCESS' });
  const other = startChild('sleep', ['60']);
  t.after(() => other.stop());
  // Not what starts it: that is about to be replaced in the same process.
  await waitUntil(() => readCommandLine(other.pid)?.[0] === 'sleep', 'sleep');
  await assert.rejects(probePrivileges({ pySpy, pid: other.pid }), { code: 'PYSPY_NOT_PYTHON' });
});

const BLOCKED =
  'echo "Error: Failed to suspend process" >&2; echo "EPERM: Operation not permitted" >&2; exit 1';

test('where processes can not be paused they are read as they run, and that is recorded', async t => {
  const { masterPid, url } = await startGunicorn(t, { workers: 1 });
  keepBusy(t, url, 1, 300);
  const { path: real } = await findPySpy();
  const blocked = `case "$*" in *--nonblocking*) exec ${real} "$@";; esac\n${BLOCKED}`;
  const pySpy = makeFakePySpy(t, blocked);
  const { profiler, lines } = await startRecording(t, masterPid, { pySpy });
  await waitUntil(() => profiler.stats().samples > 0, 'samples');
  await profiler.stop();
  assert.equal((await lines('recording-start'))[0]?.recorder.pausesTarget, false);
});

test('where they can not be read at all, ptrace is named', async t => {
  const what = { pySpy: makeFakePySpy(t, BLOCKED), pid: await startPython(t) };
  await assert.rejects(probePrivileges(what), { code: 'PYSPY_PTRACE_BLOCKED' });
});

test('what py-spy says beyond that is passed on', async t => {
  const what = { pySpy: makeFakePySpy(t, 'echo "Error: odd" >&2; exit 1'), pid: process.pid };
  await assert.rejects(probePrivileges(what), { code: 'PYSPY_FAILED', message: /Error: odd/ });
});
