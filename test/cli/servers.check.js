import assert from 'node:assert/strict';
import path from 'node:path';
import { findPython } from '../../research/shares/start-server.js';
import { FIXTURES, findFreePort } from '../helpers/gunicorn.js';
import { needsModules } from '../helpers/needs.js';
import { startPythonServer } from '../helpers/python-server.js';
import { test } from '../helpers/quiet.js';
import { readError } from '../helpers/run-loadflame.js';
import { makeScene } from '../helpers/scene.js';

const SCRIPT = path.join(FIXTURES, 'burn-load.yaml');
/** A burn takes 5 ms of time, of which it may not have the CPU all the while. */
const BURN_MS = 5;

/** @type {[name: string, server: {modules: string[], command: string, serves: boolean, development?: boolean}][]} */
const SERVERS = [
  [
    'one uvicorn process',
    { modules: ['uvicorn'], command: '-m uvicorn asgi_app:app --port PORT', serves: true },
  ],
  [
    'two workers of uvicorn',
    {
      modules: ['uvicorn'],
      command: '-m uvicorn asgi_app:app --port PORT --workers 2',
      serves: false,
    },
  ],
  [
    "Flask's own server",
    {
      modules: ['flask'],
      command: '-m flask --app flask_app run --port PORT',
      serves: true,
      development: true,
    },
  ],
];

for (const [name, { modules, command, serves, development = false }] of SERVERS) {
  test(`a profile of ${name} has its samples and its CPU time`, {
    skip: needsModules(...modules),
  }, async t => {
    const { pid, port, url } = await startPythonServer(t, modules, command);
    const scene = makeScene(t, { TARGET: url, DURATION: '5' });
    const test = scene.test([SCRIPT, '--profile']);
    assert.equal(await test.ended, 0, test.output());
    assert.match(test.output(), new RegExp(`${pid} .*\\(owner of port ${port}\\)`));
    const run = await scene.waitForRun();
    const { cpu, profile, load, findings } = run.readReport();
    assert.ok(cpu && profile && load);
    const { rootPid, masterPid } = run.readManifest().profile ?? {};
    assert.deepEqual({ rootPid, masterPid }, { rootPid: pid, masterPid: serves ? null : pid });

    // py-spy's looks at an idle parent are not active ones: what counts is work.
    assert.ok(profile.samples.active >= 20, `${profile.samples.active} samples`);
    assert.equal(cpu.workers.length, serves ? 1 : 2);
    assert.equal(
      cpu.workers.some(worker => worker.pid === pid),
      serves,
    );
    const perRequest = cpu.perRequest?.value ?? 0;
    assert.ok(perRequest > BURN_MS / 4 && perRequest < BURN_MS * 4, `${perRequest} ms`);
    const processes = await run.records(run.files.processes);
    const own = processes.find(one => one.kind === 'sample' && one.pid === pid);
    assert.equal(own?.role, serves ? 'worker' : 'master');
    const [path] = profile.hotPaths;
    assert.match(JSON.stringify(path), /burn/);
    const told = findings.some(
      ({ facts }) => 'cause' in facts && facts.cause.id === 'development-server',
    );
    assert.equal(told, development);
    if (!development) return;
    const doctor = scene.start(['doctor']);
    await doctor.ended;
    assert.match(doctor.output(), /^warn +server: flask process .* is set up for development$/m);
  });
}

test('--command starts the server of the target, and it ends with the run', {
  skip: needsModules('waitress'),
}, async t => {
  const port = await findFreePort();
  const scene = makeScene(
    t,
    { TARGET: `http://127.0.0.1:${port}`, DURATION: '2' },
    { cwd: FIXTURES },
  );
  const serve = `${findPython(['waitress'])} -m waitress --listen 127.0.0.1:${port}`;
  const test = scene.test([SCRIPT, '--profile', '--command', `${serve} burn_app:app`]);
  assert.equal(await test.ended, 0, test.output());
  assert.match(test.output(), /waitress process \d+ \(started by loadflame\)/);
  const run = await scene.waitForRun(/-burn-load$/);
  assert.equal(run.readManifest().profile?.masterPid, null);
  assert.ok((run.readReport().profile?.samples.active ?? 0) > 0);
  assert.deepEqual(await scene.processes.listLeft(), []);

  const failed = scene.test([SCRIPT, '--command', `${serve} no_such_app:app`]);
  assert.equal(await failed.ended, 3, failed.output());
  const { message, code } = readError(failed.output());
  assert.equal(code, 'SERVER_COMMAND_FAILED');
  assert.match(message ?? '', /it ended \(exit code \d\)$/);
  assert.match(failed.output(), /no_such_app/);
  const { url } = await startPythonServer(
    t,
    ['waitress'],
    `-m waitress --listen 127.0.0.1:PORT burn_app:app`,
    port,
  );
  const taken = scene.test([SCRIPT, '--command', `${serve} burn_app:app`]);
  assert.equal(await taken.ended, 3, taken.output());
  assert.match(taken.output(), new RegExp(`something already responds at ${url}`));
  assert.deepEqual(await scene.processes.listLeft(), []);
});
