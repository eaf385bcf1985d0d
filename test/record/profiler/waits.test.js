import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { readCommandLine } from '../../../lib/base/process/process-table.js';
import { findPySpy } from '../../../lib/record/profiler/find-py-spy.js';
import { startGunicorn, waitUntil } from '../../helpers/gunicorn.js';
import { test } from '../../helpers/quiet.js';
import { makeFakePySpy, readSegment, startRecording } from '../../helpers/recording.js';

/** Requests that do nothing but wait in the API, until the test is over. @param {import('node:test').TestContext} t @param {string} url */
function keepWaiting(t, url) {
  let over = false;
  const loops = Array.from({ length: 2 }, async () => {
    while (!over)
      await fetch(`${url}/sleep/200`).then(
        response => response.text(),
        () => sleep(20),
      );
  });
  t.after(async () => {
    over = true;
    await Promise.all(loops);
  });
}

test('threads that wait are recorded beside the running ones, and the two py-spies leave each other alone', async t => {
  const { masterPid, url } = await startGunicorn(t, { workers: 1, args: ['--threads', '4'] });
  keepWaiting(t, url);
  const options = { waits: true, segmentMs: 60_000 };
  const { profiler, files, lines } = await startRecording(t, masterPid, options);
  await waitUntil(async () => (await lines('waits-start')).length === 1, 'the first looks');
  assert.equal(profiler.pids().length, 2);
  await sleep(1500);
  await profiler.roll();
  await sleep(500);
  await profiler.stop();
  const [first, second] = await lines('waits');
  assert.ok(first && second && second.startMs > first.startMs);
  assert.match(readSegment(files, first), /doze \(burn_app\.py:\d+\) \d+$/m);
  // The same threads do not run: of the seconds in which they were seen, most were not theirs.
  const running = (await lines('segment')).map(segment => readSegment(files, segment)).join('');
  const countOf = (/** @type {string} */ text) =>
    [...text.matchAll(/doze \(burn_app\.py:\d+\) (\d+)$/gm)].reduce(
      (sum, [, n]) => sum + Number(n),
      0,
    );
  const looks = countOf(readSegment(files, first));
  const rateHz = Number((await lines('waits-start'))[0]?.rateHz);
  const [seenSec, ranSec] = [looks / rateHz, countOf(running) / 50];
  assert.ok(seenSec > ranSec * 2, `seen for ${seenSec} s, running for ${ranSec} s`);
  // Two that stop the process fail 15 % of their looks; here it is a few at hand-overs, of 100.
  const errors = (await lines('segment')).reduce((sum, segment) => sum + segment.errors, 0);
  assert.ok(errors <= 10, `${errors} errors`);
  assert.equal((await lines('waits-lost')).length, 0);
});

test('looks that are lost are told, and the profile goes on without a word', async t => {
  const { masterPid, url } = await startGunicorn(t, { workers: 1, args: ['--threads', '4'] });
  keepWaiting(t, url);
  const { profiler, lines, events } = await startRecording(t, masterPid, { waits: true });
  await waitUntil(async () => (await lines('waits-start')).length === 1, 'the first looks');
  const looking = profiler.pids().find(pid => readCommandLine(pid)?.includes('--idle'));
  process.kill(Number(looking), 'SIGKILL');
  await waitUntil(async () => (await lines('waits-start')).length === 2, 'looks after the kill');
  await profiler.stop();
  assert.match((await lines('waits-lost'))[0]?.reason, /SIGKILL/);
  assert.equal((await lines('waits')).length, 1);
  assert.equal((await lines('segment-lost')).length, 0);
  assert.deepEqual(await events('recorder-died'), []);
});

test('a py-spy that can not look at waiting threads costs nothing but these', async t => {
  const { masterPid } = await startGunicorn(t, { workers: 1 });
  const { path: real } = await findPySpy();
  const pySpy = makeFakePySpy(
    t,
    `case "$*" in *--idle*) echo "Error: not here" >&2; exit 1;; esac\nexec ${real} "$@"`,
  );
  const { profiler, lines, events } = await startRecording(t, masterPid, { waits: true, pySpy });
  await waitUntil(() => profiler.stats().segments >= 1, 'a segment');
  assert.deepEqual(await profiler.stop(), { reason: 'stopped' });
  assert.match((await lines('waits-lost'))[0]?.reason, /not here/);
  assert.deepEqual(await events('recorder-died'), []);
});

test('workers without threads show nothing of what waits, and the index says so', async t => {
  const { masterPid } = await startGunicorn(t, { workers: 1 });
  const { profiler, lines } = await startRecording(t, masterPid, {
    waits: true,
    workerClass: 'tornado',
  });
  assert.equal(profiler.pids().length, 1);
  await profiler.stop();
  assert.match((await lines('waits-lost'))[0]?.reason, /tornado workers .* without threads/);
});

for (const [threads, rateHz] of /** @type {const} */ ([
  [4, 10],
  [32, 5],
]))
  test(`workers of ${threads} threads are sampled ${rateHz} times a second for what they wait for`, async t => {
    const { masterPid } = await startGunicorn(t, { workers: 1 });
    const { lines } = await startRecording(t, masterPid, { waits: true, threads });
    await waitUntil(async () => (await lines('waits-start')).length === 1, 'the first looks');
    assert.equal((await lines('waits-start'))[0]?.rateHz, rateHz);
  });
