import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { findPySpy } from '../../../lib/record/profiler/find-py-spy.js';
import { startProfiler } from '../../../lib/record/profiler/recorder.js';
import { readNdjson } from '../../../lib/run/ndjson.js';
import { createRunFolder } from '../../../lib/run/run-folder.js';
import { keepBusy, startGunicorn } from '../../helpers/gunicorn.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

test('windows with and without py-spy take turns from the start of the load, in the order of the lot', async t => {
  const gunicorn = await startGunicorn(t);
  keepBusy(t, gunicorn.url);
  const files = createRunFolder(makeTempFolder(t), 'alternating');
  const lots = [0.2, 0.8, 0.2];
  const profiler = await startProfiler({
    masterPid: gunicorn.masterPid,
    pySpy: await findPySpy(),
    files,
    alternate: { windowMs: 1000, seed: 1, random: () => lots.shift() ?? 0.2 },
  });
  t.after(profiler.stop);
  await sleep(500);
  assert.equal(profiler.pids().length, 1, 'before the load it samples');
  await profiler.roll();
  await sleep(5200);
  await profiler.stop();
  assert.deepEqual(profiler.pids(), []);
  const { records } = await readNdjson(files.segments);
  const windows = records.filter(({ kind }) => kind === 'window');
  const told = windows.map(({ pair, profiled }) => `${pair}${profiled ? '+' : '-'}`);
  assert.deepEqual(told.slice(0, 4), ['1+', '1-', '2-', '2+']);
  const segments = records.filter(({ kind }) => kind === 'segment');
  const last = windows.at(-1);
  assert.equal(last?.isWhole, false, 'the one that was cut short is told, too');
  for (const { profiled, startMs, endMs, isWhole } of windows) {
    if (!isWhole) continue;
    const covered = segments.reduce(
      (sum, segment) =>
        sum + Math.max(0, Math.min(endMs, segment.endMs) - Math.max(startMs, segment.startMs)),
      0,
    );
    const share = covered / (endMs - startMs);
    assert.ok(profiled ? share > 0.9 : share === 0, `${profiled} ${share}`);
  }
  assert.equal(new Set(segments.map(({ file }) => file)).size, segments.length);
  assert.equal(records.find(({ kind }) => kind === 'recording-start')?.alternate.windowMs, 1000);
  assert.equal((await profiler.ended).reason, 'stopped');
});
