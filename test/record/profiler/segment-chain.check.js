import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { startGunicorn } from '../../helpers/gunicorn.js';
import { test } from '../../helpers/quiet.js';
import { startRecording } from '../../helpers/recording.js';

test('hand-overs of a real recording lie on the beat of the clock', async t => {
  const { masterPid } = await startGunicorn(t, { workers: 1 });
  const { profiler, lines } = await startRecording(t, masterPid, { segmentMs: 1000, rateHz: 20 });
  await sleep(4600);
  await profiler.stop();
  const segments = await lines('segment');
  const offBeatMs = segments
    .slice(0, -1)
    .map(({ endMs }, index) => (endMs + segments[index + 1]?.startMs) / 2)
    .map(middleMs => Math.abs(middleMs - Math.round(middleMs / 1000) * 1000))
    .sort((a, b) => a - b);
  assert.ok(offBeatMs.length >= 3, `${offBeatMs.length} hand-overs`);
  const medianMs = offBeatMs[Math.floor(offBeatMs.length / 2)] ?? Number.NaN;
  t.diagnostic(`${offBeatMs.join(', ')} ms off the beat`);
  // at random it would be 250 ms
  assert.ok(medianMs < 120, `${offBeatMs.join(', ')} ms off the beat`);
});
