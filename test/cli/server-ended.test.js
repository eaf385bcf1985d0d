import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAsgi } from '../helpers/asgi.js';
import { startGunicorn } from '../helpers/gunicorn.js';
import { needsModules } from '../helpers/needs.js';
import { makeScene } from '../helpers/scene.js';

/**
 * @param {import('node:test').TestContext} t
 * @param {{url: string, pid: number}} server
 * @param {string[]} [args]
 */
async function killUnderLoad(t, { url, pid }, args = []) {
  const scene = makeScene(t, { SERVER_PID: String(pid) });
  const load = scene.test([`${url}/burn/5`, '--duration', '8', '--users', '4', ...args]);
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
