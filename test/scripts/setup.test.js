/** The set-up with programs of the test's own: how often they are called, and what they can do wrong. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { FAKE_NPM, FAKE_PYTHON, makeCloneCopy } from '../helpers/clone-copy.js';
import { waitUntil } from '../helpers/gunicorn.js';

/** @param {string} folder */
const readCalls = folder => readFileSync(path.join(folder, 'calls'), 'utf8');

test('a first call installs npm and Python packages, and a second one nothing', async t => {
  const { folder, start } = makeCloneCopy(t, { npm: FAKE_NPM, python3: FAKE_PYTHON });
  const first = await start().ended;
  assert.equal(first.exit, 0, first.stderr);
  const calls = readCalls(folder);
  assert.match(calls, /^npm ci /m);
  assert.match(calls, /^python -m venv .*\/a clone\/\.venv$/m);
  assert.match(calls, /--require-hashes .*requirements\.txt/);
  assert.match(
    first.stderr,
    /installing npm packages[\s\S]*installing Python packages[\s\S]*in place/,
  );
  assert.equal(first.stdout, '');

  const second = await start().ended;
  assert.equal(second.exit, 0);
  assert.equal(second.stderr, 'set-up: everything is in place\n');
  assert.equal(readCalls(folder), calls);
});

test('with a Node that is new enough none is brought into the project', async t => {
  const { folder, start } = makeCloneCopy(t, { npm: FAKE_NPM, python3: FAKE_PYTHON });
  await start().ended;
  assert.ok(!existsSync(path.join(folder, '.tools/node')));
  assert.doesNotMatch(readCalls(folder), /\.tools\/node/);
});

test('with an older Node a newer one is brought into the project, and runs the program', async t => {
  const { folder, start } = makeCloneCopy(t, { npm: FAKE_NPM, python3: FAKE_PYTHON });
  const older = { nodeVersion: '20.20.2' };
  const first = await start(['program.js'], older).ended;
  assert.match(first.stderr, /installing Node 24\.\d+\.\d+ \(20\.20\.2 is older than 22\.18\)/);
  assert.equal(first.stdout, 'the newer Node runs program.js\n');
  assert.match(readCalls(folder), /npm ci .*\.tools\/node --ignore-scripts/);
  const lock = JSON.parse(readFileSync(path.join(folder, '.tools/node/package-lock.json'), 'utf8'));
  assert.match(Object.values(lock.packages)[1].integrity, /^sha512-[\w+/]{86}==$/);
  const second = await start(['program.js'], older).ended;
  assert.equal(second.stderr, '');
  assert.equal(second.stdout, first.stdout);
});

test('reinstalls only the changed lists of packages', async t => {
  const { folder, start } = makeCloneCopy(t, { npm: FAKE_NPM, python3: FAKE_PYTHON });
  await start().ended;
  rmSync(path.join(folder, 'calls'));
  writeFileSync(path.join(folder, 'demo/api/requirements.txt'), '# other\n');
  writeFileSync(path.join(folder, 'package.json'), '{"scripts": {}, "type": "module"}\n');
  await start().ended;
  assert.doesNotMatch(readCalls(folder), /npm ci/);
  assert.match(readCalls(folder), /-m venv/);
  rmSync(path.join(folder, 'calls'));
  const lock = { packages: { 'node_modules/new': { version: '1.0.0' } } };
  writeFileSync(path.join(folder, 'package-lock.json'), JSON.stringify(lock));
  await start().ended;
  assert.match(readCalls(folder), /npm ci/);
  assert.doesNotMatch(readCalls(folder), /-m venv/);
});

test('packages of checks and tests are installed for programs of scripts/ alone', async t => {
  const { folder, start } = makeCloneCopy(t, { npm: FAKE_NPM, python3: FAKE_PYTHON });
  writeFileSync(path.join(folder, 'program.js'), '');
  writeFileSync(path.join(folder, 'scripts/program.js'), '');
  const countInstallations = () => readCalls(folder).match(/^npm ci (?!.*\/demo ).*$/gm) ?? [];
  await start(['program.js']).ended;
  assert.match(countInstallations().join(), /--omit=dev/);
  await start(['scripts/program.js']).ended;
  assert.equal(countInstallations().length, 2);
  assert.doesNotMatch(countInstallations()[1] ?? '', /omit/);
  await start(['program.js']).ended;
  assert.equal(countInstallations().length, 2);
});

test('recreates a Python environment whose Python is missing', async t => {
  const { folder, start } = makeCloneCopy(t, { npm: FAKE_NPM, python3: FAKE_PYTHON });
  await start().ended;
  rmSync(path.join(folder, '.venv/bin/python'));
  const { stderr } = await start().ended;
  assert.match(stderr, /creating a Python environment/);
});

test('the next call restarts an interrupted installation', async t => {
  const { folder, start, addProgram } = makeCloneCopy(t, {
    npm: 'mkdir -p node_modules/half\ntouch begun\nexec sleep 30',
    python3: FAKE_PYTHON,
  });
  const { child, ended } = start();
  await waitUntil(() => existsSync(path.join(folder, 'begun')), 'npm');
  child.kill('SIGINT');
  const interrupted = await ended;
  assert.equal(interrupted.exit, 130);
  assert.match(interrupted.stderr, /interrupted; the next call takes it up/);
  assert.ok(!existsSync(path.join(folder, '.tools/setup.lock')));

  addProgram('npm', FAKE_NPM);
  const { exit, stderr } = await start().ended;
  assert.equal(exit, 0, stderr);
  assert.ok(!existsSync(path.join(folder, 'node_modules/half')));
});

test('of two calls at once one installs and the other waits for it', async t => {
  const { folder, start } = makeCloneCopy(t, {
    npm: `${FAKE_NPM.replace('exit 0', 'sleep 1\nexit 0')}`,
    python3: FAKE_PYTHON,
  });
  const ends = await Promise.all([start().ended, start().ended]);
  assert.deepEqual(
    ends.map(({ exit }) => exit),
    [0, 0],
  );
  assert.equal(
    readCalls(folder).match(/npm ci/g)?.length,
    2,
    "loadflame's packages and the demo's",
  );
  assert.equal(readCalls(folder).match(/-m venv/g)?.length, 1);
  assert.match(
    ends.map(({ stderr }) => stderr).join(''),
    /waiting for process \d+, which is setting up/,
  );
});

test('a lock with a killed holder blocks no one', async t => {
  const { folder, start, addProgram } = makeCloneCopy(t, {
    npm: 'touch begun; exec sleep 2',
    python3: FAKE_PYTHON,
  });
  const { child, ended } = start();
  await waitUntil(() => existsSync(path.join(folder, 'begun')), 'npm');
  child.kill('SIGKILL');
  await ended;
  assert.ok(existsSync(path.join(folder, '.tools/setup.lock')));
  addProgram('npm', FAKE_NPM);
  const { exit, stderr } = await start().ended;
  assert.equal(exit, 0, stderr);
  assert.doesNotMatch(stderr, /waiting/);
  assert.deepEqual(readdirSync(path.join(folder, '.tools')), ['setup.log']);
});

test('arguments and exit code are those of the program that is run', async t => {
  const { folder, start } = makeCloneCopy(t, { npm: FAKE_NPM, python3: FAKE_PYTHON });
  writeFileSync(
    path.join(folder, 'program.js'),
    'process.stdout.write(JSON.stringify(process.argv.slice(2)));process.exitCode = 7;',
  );
  const { exit, stdout } = await start(['program.js', '--flag', 'a b', '*']).ended;
  assert.deepEqual(JSON.parse(stdout), ['--flag', 'a b', '*']);
  assert.equal(exit, 7);
});
