import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { startAsgi } from '../helpers/asgi.js';
import { startGunicorn } from '../helpers/gunicorn.js';
import { needsModules } from '../helpers/needs.js';
import { makeScene } from '../helpers/scene.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

/**
 * @param {import('node:test').TestContext} t
 * @param {{url: string, pid: number}} server
 * @param {string[]} [args]
 */
async function killUnderLoad(t, { url, pid }, args = []) {
  const scene = makeScene(t, { SERVER_PID: String(pid) });
  const load = scene.test([`${url}/burn/5`, '--duration', '8', '--users', '4', '--full', ...args]);
  const run = await scene.waitForRun();
  await run.waitForAnswers(50);
  process.kill(pid, 'SIGKILL');
  assert.equal(await load.ended, 6, load.output());
  assert.doesNotMatch(load.output(), /single virtual user|users? failed \(/);
  assert.match(load.output(), /Find out what ended it/);
  return { report: run.readReport(), output: load.output().replace(/\s+/g, ' ') };
}

test('names the end of a recorded server first, whatever workers serve on', async t => {
  const { masterPid, url } = await startGunicorn(t);
  const { report, output } = await killUnderLoad(t, { url, pid: masterPid }, ['--profile']);
  assert.equal(report.load?.serverEnd?.pid, masterPid);
  assert.match(
    output,
    new RegExp(`Not valid: the server process ended \\(pid ${masterPid}\\) .* after the start`),
  );
});

test('names the end of a server that is not recorded by what no longer listens', {
  skip: needsModules('uvicorn'),
}, async t => {
  const { url, pid } = await startAsgi(t, { modules: [], app: 'asgi_app:app', env: {} });
  const { report, output } = await killUnderLoad(t, { url, pid });
  assert.deepEqual(report.load?.serverEnd?.pid, null);
  assert.match(
    output,
    /✖ Not valid: the server stopped listening .* after the start of the load\./,
  );
});

/** @param {import('node:test').TestContext} t @param {(server: {url: string, masterPid: number, flag: string}) => void} act */
async function changeUnderLoad(t, act) {
  const flag = path.join(makeTempFolder(t), 'slow');
  const server = await startGunicorn(t, { app: 'reload_app:app', env: { SLOW_FLAG: flag } });
  const { masterPid, url, folder } = server;
  const env = { SERVER_PID: String(masterPid), LOG_FILES: path.join(folder, 'log') };
  const scene = makeScene(t, { ...env, PROFILER: 'none', ALLOWED_FAILURES: '50%' });
  const load = scene.test([
    `${url}/burn/5`,
    '--duration',
    '14',
    '--users',
    '4',
    '--profile',
    '--full',
  ]);
  const run = await scene.waitForRun();
  await run.waitForAnswers(200);
  act({ url, masterPid, flag });
  assert.equal(await load.ended, 0, load.output());
  return load.output().replace(/\s+/g, ' ');
}

test('names a reload', async t => {
  const output = await changeUnderLoad(t, ({ masterPid, flag }) => {
    writeFileSync(flag, '');
    process.kill(masterPid, 'SIGHUP');
  });
  assert.match(
    output,
    /✖ 2 workers were restarted during the recording: the server was reloaded\./,
  );
  assert.match(output, /the API's log: .*Handling signal: hup/);
});

test("finds gunicorn's line on a killed worker after another program's incomplete line", async t => {
  const output = await changeUnderLoad(t, ({ url }) => void fetch(`${url}/end`).catch(() => {}));
  assert.match(output, /1 worker was restarted during the recording: it was killed/);
  assert.match(
    output,
    /the API's log: \[[^\]]+\] \[\d+\] \[ERROR\] Worker \(pid:\d+\) was sent SIGKILL!/,
  );
  assert.doesNotMatch(output, /Look at the database|more users would get more/);
});
