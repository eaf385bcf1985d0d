import assert from 'node:assert/strict';
import path from 'node:path';
import { FIXTURES } from '../helpers/gunicorn.js';
import { needsModules, startPythonServer } from '../helpers/python-server.js';
import { test } from '../helpers/quiet.js';
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
    const { profile, load, findings } = run.readReport();
    assert.ok(profile && load);
    const { rootPid, masterPid } = run.readManifest().profile ?? {};
    assert.deepEqual({ rootPid, masterPid }, { rootPid: pid, masterPid: serves ? null : pid });

    // py-spy's looks at an idle parent are not active ones: what counts is work.
    assert.ok(profile.samples.active >= 20, `${profile.samples.active} samples`);
    assert.equal(profile.workers.length, serves ? 1 : 2);
    assert.equal(
      profile.workers.some(worker => worker.pid === pid),
      serves,
    );
    const perRequest = profile.cpu.perRequest?.value ?? 0;
    assert.ok(perRequest > BURN_MS / 4 && perRequest < BURN_MS * 4, `${perRequest} ms`);
    const roles = new Map((await run.records(run.files.processes)).map(one => [one.pid, one.role]));
    assert.equal(roles.get(pid), serves ? 'worker' : 'master');
    const [path] = profile.hotPaths;
    assert.match(JSON.stringify(path), /burn/);
    const told = findings.some(
      ({ facts }) => 'cause' in facts && facts.cause.id === 'development-server',
    );
    assert.equal(told, development);
  });
}
