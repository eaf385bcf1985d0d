import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { after, before } from 'node:test';
import { startDemo } from '../../demo/start.js';
import { listProcesses, readCommandLine } from '../../lib/base/process/process-table.js';
import { arePackagesReady } from '../../scripts/setup/packages.js';
import { isPythonReady } from '../../scripts/setup/python.js';
import { assertComplete, assertPartial } from '../helpers/check-report.js';
import { waitUntil } from '../helpers/gunicorn.js';
import { listen } from '../helpers/listen.js';
import { readEnvironment } from '../helpers/marked-processes.js';
import { test } from '../helpers/quiet.js';
import { makeScene, REPOSITORY, SCRIPT } from '../helpers/scene.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const CTRL_C = '\x03';
const INTERRUPTED = 'the load test was interrupted (Ctrl+C or a signal)';

/** @type {import('../helpers/scene.js').Demo} */
let demo;
before(async () => {
  demo = await startDemo({ auth: 'cached', workers: 1 });
});
after(() => demo?.stop());

test('Ctrl+C in a terminal ends load and profiler with one report and 130', async t => {
  const scene = makeScene(t, { ...demo.env, DURATION: '30' });
  const terminal = scene.loadflameInTerminal(['test', SCRIPT, '--profile']);
  const run = await scene.waitForRun();
  await run.waitForLoad();
  await terminal.waitFor(/only \(1\/1\)/);
  terminal.type(CTRL_C);
  assert.equal(await terminal.ended, 130, terminal.output());
  assertPartial(run, terminal.output(), [INTERRUPTED]);
  assert.ok(run.readReport().profile);
  assert.deepEqual(await scene.processes.listLeft(), []);
});

test('an interruption before the measurement ends at once and leaves nothing', async t => {
  const silent = createServer();
  const target = await listen(t, silent);
  const scene = makeScene(t, { ...demo.env, TARGET: target });
  const load = scene.test();
  await new Promise(resolve => silent.once('connection', resolve));
  const pressedMs = Date.now();
  load.signal('SIGINT');
  assert.equal(await load.ended, 130, load.output());
  assert.ok(Date.now() - pressedMs < 1500);
  assert.match(load.output(), /^code: {2}INTERRUPTED$/m);
  assert.deepEqual(scene.listRuns(), []);
});

test('Ctrl+C while the demo starts ends what has started', async t => {
  const temp = makeTempFolder(t);
  const scene = makeScene(t, { TMPDIR: temp });
  const start = scene.start(['start', '--profiles', scene.root]);
  // The demo's own programs get little of our environment, but this.
  const listPrograms = () =>
    listProcesses().filter(({ pid }) => readEnvironment(pid).includes(`TMPDIR=${temp}\0`));
  const isProvider = (/** @type {{pid: number}} */ { pid }) =>
    readCommandLine(pid)?.some(word => word.endsWith('oidc-provider/server.js')) ?? false;
  await waitUntil(() => listPrograms().some(isProvider), 'the identity provider');
  start.signal('SIGINT');
  assert.equal(await start.ended, 130, start.output());
  assert.match(start.output(), /^code: {2}INTERRUPTED$/m);
  assert.deepEqual(listPrograms(), []);
  assert.deepEqual(readdirSync(temp), []);
  assert.deepEqual(scene.listRuns(), []);
});

/** The npm scripts install what is missing: a test must never set that off. */
const isSetUp = arePackagesReady({ dev: false }) && isPythonReady();
const skip = isSetUp || process.env.CI ? false : 'the set-up is not in place: node scripts/run.js';

test('through npm: one Ctrl+C, and the prompt comes back when the report is there', {
  skip,
}, async t => {
  assert.ok(isSetUp, 'in CI the tests run after the set-up');
  const scene = makeScene(t, { ...demo.env, PS1: 'PROMPT> ' });
  const terminal = scene.startInTerminal(['bash', '--norc', '-i'], REPOSITORY);
  await terminal.waitFor(/PROMPT> /);
  terminal.type(`npm run --silent python:profile -- --profiles ${scene.root}\n`);
  const run = await scene.waitForRun();
  await run.waitForRecording();
  await terminal.waitFor(/recording ·/);
  terminal.type(CTRL_C);
  await terminal.waitFor(/report: .*report\.html\s+.*PROMPT> $/s);
  // 0 is ours. A shell like dash that npm puts between dies of the Ctrl+C that it got too, but later.
  terminal.type('echo it ended with $?\n');
  await terminal.waitFor(/it ended with (0|130)\s/);
  assertComplete(run);
  assert.equal(terminal.output().split('stopping the profiler …').length, 2, terminal.output());
  terminal.type('exit\n');
  await terminal.ended;
  assert.deepEqual(await scene.processes.listLeft(), []);
});
