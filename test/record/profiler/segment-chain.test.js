import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { findBeat, startChain } from '../../../lib/record/profiler/segment-chain.js';
import { holdTime } from '../../helpers/hold-time.js';

test('segments end on multiples of their length, and none is shorter than half of it', () => {
  assert.equal(findBeat(10_000, 5000), 15_000);
  assert.equal(findBeat(12_400, 5000), 15_000);
  assert.equal(findBeat(12_500, 5000), 15_000);
  assert.equal(findBeat(12_501, 5000), 20_000);
  assert.equal(findBeat(14_990, 5000), 20_000);
});

/**
 * A chain of recorders for five seconds; each takes a while until it samples.
 * @param {import('node:test').TestContext} t @param {number[]} leadsMs of each; the last one's of all that follow
 * @returns {Promise<number[]>} ms of the middle of each hand-over after the beat of the clock
 */
async function recordHandOvers(t, leadsMs) {
  const { pass } = holdTime(t, 1_700_000_000_370);
  /** @type {import('../../../lib/record/profiler/start-py-spy.js').SegmentEnd[]} */
  const segments = [];
  const chain = startChain({
    segmentMs: 1000,
    startSegment: n => makeSegment(leadsMs[n - 1] ?? leadsMs.at(-1) ?? 0),
    onSegment: end => segments.push(end),
    onLost: () => assert.fail('lost'),
    onDied: reason => assert.fail(reason),
    whyOver: () => null,
  });
  await pass(5000);
  await chain.stop();
  return segments.slice(0, -1).map(({ endMs }, index) => {
    const middleMs = (endMs + (segments[index + 1]?.startMs ?? Number.NaN)) / 2;
    return middleMs - Math.round(middleMs / 1000) * 1000;
  });
}

/** @param {number} leadMs @returns {import('../../../lib/record/profiler/start-py-spy.js').Segment} */
function makeSegment(leadMs) {
  /** @type {PromiseWithResolvers<import('../../../lib/record/profiler/start-py-spy.js').SegmentEnd>} */
  const { promise: ended, resolve } = Promise.withResolvers();
  let startMs = /** @type {number | null} */ (null);
  const sampling = sleep(leadMs).then(() => {
    startMs = Date.now();
    return true;
  });
  return {
    sampling,
    ended,
    startMs: () => startMs,
    pid: () => 1,
    end: () => {
      const file = { file: '', isWritten: true, samples: 1, errors: 0, lateMs: 0, reason: '' };
      resolve({ ...file, startMs: startMs ?? 0, endMs: Date.now() });
      return ended;
    },
  };
}

test('hand-overs lie on the beat of the clock', async t => {
  const offBeatMs = await recordHandOvers(t, [100]);
  assert.ok(offBeatMs.length >= 4, `${offBeatMs.length} hand-overs`);
  // at random it would be 250 ms
  assert.ok(
    offBeatMs.every(ms => Math.abs(ms) <= 1),
    `${offBeatMs.join(', ')} ms off the beat`,
  );
});

test('hand-overs come near the beat where a recorder takes longer to start than assumed', async t => {
  const offBeatMs = await recordHandOvers(t, [300]);
  assert.ok(offBeatMs.length >= 4, `${offBeatMs.length} hand-overs`);
  const text = `${offBeatMs.join(', ')} ms off the beat`;
  // Of the error of an estimate, 0.7 is left after each start.
  for (const [index, ms] of offBeatMs.entries())
    assert.ok(Math.abs(ms - 200 * 0.7 ** (index + 1)) <= 2, text);
});
