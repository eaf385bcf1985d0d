import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  isSegmentInside,
  mergeProfiles,
  withoutStartedPrograms,
} from '../../../lib/analysis/stacks/merge-profiles.js';
import { joinThreads } from '../../../lib/analysis/stacks/node-table.js';
import { formatRaw } from '../../../lib/analysis/stacks/write-raw.js';
import { parseRaw } from '../../helpers/parse-raw.js';

test('merging sums equal stacks and shares their frames', () => {
  const a = parseRaw('process 1:"x";f (a.py:1);g (a.py:2) 3\n');
  const b = parseRaw('process 1:"x";f (a.py:1);g (a.py:2) 4\nprocess 2:"y";f (a.py:1) 1\n');
  const merged = mergeProfiles([a, b]);
  assert.deepEqual(
    [...formatRaw(joinThreads(merged))],
    ['process 2:"y";f (a.py:1) 1\n', 'process 1:"x";f (a.py:1);g (a.py:2) 7\n'],
  );
  assert.equal(merged.frames.length, 2);
  assert.equal(a.totalWeight, 3, 'inputs stay as they are');
});

test('lines of one function stay frames of their own', () => {
  assert.equal(parseRaw('f (a.py:1) 3\nf (a.py:2) 3\n').frames.length, 2);
});

test('a segment lies where its middle does, and one without a time lies everywhere', () => {
  const window = { startMs: 4000, endMs: 8000 };
  const inside = [
    [0, 5000],
    [5000, 10000],
    [10000, 15000],
    [null, null],
  ].map(([startMs = null, endMs = null]) => isSegmentInside({ startMs, endMs }, window));
  assert.deepEqual(inside, [false, true, false, true]);
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

test('samples of programs that workers run, or that a start script began beside them, can be left out', () => {
  const worker = 'process 1:"gunicorn";process 2:"gunicorn"';
  const program = `${worker};process 9:"sh";process 10:"x"`;
  const beside = 'process 1:"gunicorn";process 8:"y"';
  const profile = parseRaw(
    `${worker};show (views.py:3) 100\n${program};run (x.py:3) 50\n${beside};serve (y.py:3) 25\n`,
  );
  const left = withoutStartedPrograms(profile, [2]);
  assert.equal(left.totalWeight, 100);
  assert.deepEqual([...left.rows.weight], [100]);
  // A loose file has no workers.
  assert.equal(withoutStartedPrograms(profile, []), profile);
});
