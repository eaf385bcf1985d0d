import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { isProcessAlive } from '../../../lib/base/process/process-table.js';
import { listWorkers } from '../../../lib/record/target/process-family.js';
import { keepBusy, startGunicorn, waitUntil } from '../../helpers/gunicorn.js';
import { test } from '../../helpers/quiet.js';
import { readSegment, startRecording, sumHoles } from '../../helpers/recording.js';

/** @param {number[]} values */
const median = values => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

test('a recording is a chain of segments that overlap, with a time and samples each', async t => {
  const { masterPid, url } = await startGunicorn(t);
  keepBusy(t, url, 2, 300);
  const { profiler, files, lines, events } = await startRecording(t, masterPid);
  assert.equal(profiler.pids().length, 1);
  await waitUntil(() => profiler.stats().segments >= 5, 'five segments');
  const pids = profiler.pids();
  assert.deepEqual(await profiler.stop(), { reason: 'stopped' });

  const segments = await lines('segment');
  assert.ok(segments.length >= 6, `${segments.length} segments`);
  const holes = segments.slice(1).map(({ startMs }, i) => startMs - segments[i]?.endMs);
  assert.ok(median(holes) < 20, `holes of ${holes} ms`);
  for (const segment of segments) {
    assert.match(segment.file, /^segment-\d{5}\.raw$/);
    assert.ok(segment.endMs > segment.startMs);
    assert.equal(typeof segment.errors, 'number');
    assert.equal(typeof segment.lateMs, 'number');
  }
  const texts = segments.map(segment => readSegment(files, segment));
  const counted =
    texts
      .join('')
      .match(/ \d+$/gm)
      ?.reduce((sum, n) => sum + Number(n), 0) ?? 0;
  const { samples } = profiler.stats();
  const holesMs = sumHoles(segments);
  assert.equal(counted, samples);
  assert.ok(samples > 20, `${samples} samples`);
  assert.ok(holesMs < 300, `${holesMs} ms not sampled`);
  assert.deepEqual(await lines('segment-lost'), []);
  assert.match(
    texts.join(''),
    /^process \d+:.*;thread \(\d+\): MainThread;.*burn \(burn_app.py:\d+\)/m,
  );

  const [start] = await lines('recording-start');
  assert.equal(start?.masterPid, masterPid);
  assert.deepEqual([start?.rateHz, start?.sudo, start?.recorder.pausesTarget], [50, false, false]);
  const started = (await lines('worker-start')).map(({ pid }) => pid);
  assert.deepEqual(started.sort(), listWorkers(masterPid).sort());
  assert.deepEqual(await lines('worker-end'), []);
  assert.equal((await lines('recording-end'))[0]?.reason, 'stopped');
  assert.deepEqual(await events('recorder-died'), []);
  assert.deepEqual(pids.filter(isProcessAlive), []);
});

test('roll() begins a new segment at once', async t => {
  const { masterPid } = await startGunicorn(t, { workers: 1 });
  const { profiler, lines } = await startRecording(t, masterPid, { segmentMs: 60_000 });
  await sleep(300);
  const before = Date.now();
  await profiler.roll();
  const after = Date.now();
  const [segment] = await lines('segment');
  assert.ok(segment?.endMs >= before && segment?.endMs <= after);
  await profiler.stop();
  assert.equal((await lines('segment')).length, 2);
  await profiler.roll();
});

test('stopping twice, at once after the start and during a hand-over loses no segment', async t => {
  const { masterPid, url } = await startGunicorn(t, { workers: 1 });
  keepBusy(t, url, 2, 300);
  const first = await startRecording(t, masterPid);
  const reasons = await Promise.all([first.profiler.stop(), first.profiler.stop()]);
  assert.deepEqual(reasons, [{ reason: 'stopped' }, { reason: 'stopped' }]);
  assert.equal((await first.lines('recording-end')).length, 1);
  assert.deepEqual(await first.lines('segment-lost'), []);
  assert.equal((await first.lines('segment')).length, 1);

  const second = await startRecording(t, masterPid, { segmentMs: 60_000 });
  await sleep(300);
  const roll = second.profiler.roll();
  await sleep(20);
  await Promise.all([second.profiler.stop(), roll, second.profiler.stop()]);
  assert.equal((await second.lines('segment')).length, 2);
  assert.deepEqual(await second.lines('segment-lost'), []);
  assert.deepEqual(second.profiler.pids(), []);
});

test('workers that come and go are counted, and a new one is in the profile', async t => {
  const { masterPid, url } = await startGunicorn(t, { args: ['--graceful-timeout', '2'] });
  keepBusy(t, url, 4, 300);
  const { profiler, files, lines } = await startRecording(t, masterPid);
  const [victim = 0] = listWorkers(masterPid);
  process.kill(victim, 'SIGKILL');
  await waitUntil(async () => (await lines('worker-start')).length === 3, 'a new worker');
  const restarted = (await lines('worker-start'))[2]?.pid;
  assert.equal((await lines('worker-end'))[0]?.pid, victim);
  await waitUntil(async () => {
    const texts = (await lines('segment')).map(segment => readSegment(files, segment));
    return texts.some(text => text.includes(`process ${restarted}:`));
  }, 'samples of the new worker');

  process.kill(masterPid, 'SIGHUP');
  await waitUntil(
    async () => (await lines('worker-end')).length === 3,
    'the end of the old workers',
  );
  await waitUntil(async () => (await lines('worker-start')).length === 5, 'two workers after HUP');
  await profiler.stop();
  assert.deepEqual(await lines('segment-lost'), []);
});
