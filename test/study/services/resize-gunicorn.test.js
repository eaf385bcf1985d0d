import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { resizeGunicorn } from '../../../lib/study/services/resize-gunicorn.js';
import { listWorkers } from '../../../lib/target/process-family.js';
import { keepBusy, startGunicorn } from '../../helpers/gunicorn.js';
import { test } from '../../helpers/quiet.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

const { signal } = new AbortController();

/** An application that takes a second to load, and does not load at all once `broken` is there. */
const SLOW_APP = `
import os, time
if os.path.exists(os.path.join(os.path.dirname(__file__), "broken")):
    raise RuntimeError("does not load any more")
time.sleep(1)

def app(environ, start_response):
    start_response("200 OK", [("Content-Length", "0")])
    return []
`;

/** @param {import('node:test').TestContext} t */
async function startSlowApp(t) {
  const folder = makeTempFolder(t);
  writeFileSync(path.join(folder, 'slow_app.py'), SLOW_APP);
  const gunicorn = await startGunicorn(t, {
    workers: 1,
    args: ['--chdir', folder],
    app: 'slow_app:app',
  });
  return { ...gunicorn, appFolder: folder };
}

test('1 → 3 → 2 workers under load: as many as asked for are there, and those that stay are the same', async t => {
  const { masterPid, url } = await startGunicorn(t, { workers: 1 });
  const stop = keepBusy(t, url);
  const first = listWorkers(masterPid);
  const three = await resizeGunicorn(masterPid, 3, { signal });
  assert.equal(three.length, 3);
  assert.ok(first.every(pid => three.includes(pid)));
  const two = await resizeGunicorn(masterPid, 2, { signal });
  assert.equal(two.length, 2);
  assert.ok(two.every(pid => three.includes(pid)));
  assert.deepEqual(await resizeGunicorn(masterPid, 2, { signal }), two);
  assert.deepEqual(listWorkers(masterPid), two);
  await stop();
});

test('a new worker counts when it has loaded its application', async t => {
  const { masterPid } = await startSlowApp(t);
  const startMs = performance.now();
  assert.equal((await resizeGunicorn(masterPid, 2, { signal })).length, 2);
  const tookMs = performance.now() - startMs;
  assert.ok(tookMs >= 1000, `took ${tookMs} ms`);
});

test('a worker that does not load takes gunicorn down, and that is told', async t => {
  const { masterPid, appFolder } = await startSlowApp(t);
  writeFileSync(path.join(appFolder, 'broken'), '');
  await assert.rejects(resizeGunicorn(masterPid, 2, { signal }), {
    code: 'STUDY_RESIZE_FAILED',
    message: /did not reach 2 workers: the master has ended/,
  });
});

test('a gunicorn that does not heed, a wrong number and an interrupt end the wait', async t => {
  const { masterPid, child } = await startGunicorn(t, { workers: 1 });
  await resizeGunicorn(masterPid, 1, { signal });
  child.signal('SIGSTOP');
  await assert.rejects(resizeGunicorn(masterPid, 2, { signal, timeoutMs: 800 }), {
    code: 'STUDY_RESIZE_FAILED',
    message: /2 workers: it still has 1$/,
  });
  for (const workers of [0, 1.5, Number.NaN]) {
    await assert.rejects(resizeGunicorn(masterPid, workers, { signal }), {
      code: 'STUDY_RESIZE_FAILED',
      message: /is whole and at least 1/,
    });
  }
  const stop = new AbortController();
  const resizing = resizeGunicorn(masterPid, 3, { signal: stop.signal });
  resizing.catch(() => {});
  await sleep(100);
  stop.abort();
  await assert.rejects(resizing, { code: 'INTERRUPTED' });
  child.signal('SIGCONT');
});
