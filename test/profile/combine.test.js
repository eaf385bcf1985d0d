import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filterProfile, mergeProfiles } from '../../lib/profile/combine-profiles.js';
import { ProfileBuilder } from '../../lib/profile/profile-builder.js';
import { parseRaw } from '../../lib/profile/read-raw.js';
import { formatRaw } from '../../lib/profile/write-raw.js';

test('merging sums equal stacks and shares their frames', () => {
  const a = parseRaw('process 1:"x";f (a.py:1);g (a.py:2) 3\n');
  const b = parseRaw('process 1:"x";f (a.py:1);g (a.py:2) 4\nprocess 2:"y";f (a.py:1) 1\n');
  const merged = mergeProfiles([a, b]);
  assert.deepEqual(
    [...formatRaw(merged)],
    ['process 1:"x";f (a.py:1);g (a.py:2) 7\n', 'process 2:"y";f (a.py:1) 1\n'],
  );
  assert.equal(merged.frames.length, 2);
  assert.equal(a.totalWeight, 3, 'inputs stay as they are');
});

test('lines of one function stay frames of their own', () => {
  assert.equal(parseRaw('f (a.py:1) 3\nf (a.py:2) 3\n').frames.length, 2);
});

test('a stretch of time takes the segments whose middle lies in it, and those without a time', () => {
  const builder = new ProfileBuilder();
  const node = builder.internNode(-1, builder.internFrameText('f (a.py:1)'));
  for (const [index, [startMs, endMs]] of [
    [0, 5000],
    [5000, 10000],
    [10000, 15000],
  ].entries())
    builder.addRow(node, 10 ** index, { segment: builder.addSegment(startMs ?? 0, endMs ?? 0) });
  builder.addRow(node, 1000, { segment: builder.addSegment(null, null) });
  builder.addRow(node, 10000);
  const profile = builder.build({ source: 'raw' });
  assert.equal(
    filterProfile(profile, { window: { startMs: 4000, endMs: 8000 } }).totalWeight,
    11010,
  );
  assert.equal(filterProfile(profile, {}).totalWeight, 11111);
});

test('pids take the samples of their processes only', () => {
  const profile = parseRaw(
    'process 1:"m";f (a.py:1) 1\nprocess 1:"m";process 2:"w";f (a.py:1) 2\nf (a.py:1) 4\n',
  );
  const filtered = filterProfile(profile, { pids: new Set([2]) });
  assert.deepEqual([...formatRaw(filtered)], ['process 1:"m";process 2:"w";f (a.py:1) 2\n']);
});

test('a built profile refuses changes', () => {
  const profile = /** @type {any} */ (parseRaw('f (a.py:1) 1\n'));
  assert.throws(() => profile.frames.push({}), TypeError);
  assert.throws(() => {
    profile.totalWeight = 2;
  }, TypeError);
  assert.throws(() => {
    profile.frames[0].name = 'g';
  }, TypeError);
});
