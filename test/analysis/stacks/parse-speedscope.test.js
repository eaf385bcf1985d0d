import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { joinThreads } from '../../../lib/analysis/stacks/node-table.js';
import { parseSpeedscope } from '../../../lib/analysis/stacks/parse-speedscope.js';
import { readProfile } from '../../../lib/analysis/stacks/read-profile.js';
import { formatRaw } from '../../../lib/analysis/stacks/write-raw.js';
import { formatSpeedscope } from '../../../lib/analysis/stacks/write-speedscope.js';

const frames = [
  { name: 'main', file: 'a.py', line: 1, col: null },
  { name: 'load', file: 'a.py', line: 9 },
  { name: 'b.py:save:12' },
  null,
];
const LINES = ['main (a.py:1);load (a.py:9) 7', 'main (a.py:1);save (b.py:12) 3'];

/** @param {unknown[]} profiles */
const textOf = profiles => JSON.stringify({ profiles, shared: { frames } });

/** @param {unknown[]} profiles */
const parse = (...profiles) => parseSpeedscope(textOf(profiles), { file: 'x.json' });

/** @param {import('../../../lib/analysis/stacks/profile.d.ts').Profile} profile */
const linesOf = profile => [...formatRaw(joinThreads(profile))].map(line => line.trimEnd());

/** @param {string} unit @param {number} weight of a sample */
const sampled = (unit, weight) => ({
  ...{ type: 'sampled', name: 'Thread 7 "MainThread"', unit, startValue: 0, endValue: 1 },
  samples: [...Array(7).fill([0, 1]), ...Array(3).fill([0, 2])],
  weights: Array(10).fill(weight),
});

for (const [unit, weight, rateHz] of /** @type {[string, number, number | null][]} */ ([
  ['none', 1, null],
  ['seconds', 0.01, 100],
  ['milliseconds', 10, 100],
  ['microseconds', 10_000, 100],
  ['nanoseconds', 1e7, 100],
]))
  test(`samples with weights in ${unit} keep their number and their thread`, () => {
    const profile = parse(sampled(unit, weight));
    assert.deepEqual(linesOf(profile), LINES);
    assert.deepEqual([profile.rateHz, profile.skipped], [rateHz, 0]);
    assert.deepEqual(profile.threads, [{ id: '7', name: 'MainThread' }]);
  });

test('weights of no common rate keep their shares', () => {
  const { rows, totalWeight } = parse({
    ...{ type: 'sampled', name: 'a', unit: 'microseconds' },
    samples: [[0, 1], [0, 2], [0]],
    weights: [100_003, 99_995.5, 0],
  });
  assert.equal(totalWeight, 2);
  assert.ok(Math.abs((rows.weight[0] ?? 0) - (2 * 100_003) / 199_998.5) < 1e-9);
});

test('between two events, the time belongs to the open frames', () => {
  const at = (
    /** @type {'O' | 'C'} */ type,
    /** @type {number} */ frame,
    /** @type {number} */ at,
  ) => ({
    ...{ type, frame, at },
  });
  const events = [
    at('O', 0, 5),
    at('O', 1, 5),
    at('C', 1, 12),
    at('O', 2, 12),
    at('C', 2, 15),
    at('C', 0, 15),
  ];
  const profile = parse({ type: 'evented', name: 'a', unit: 'seconds', events });
  const [load = 0, save = 0] = profile.rows.weight;
  assert.ok(Math.abs(load / save - 7 / 3) < 1e-9);
  assert.equal(profile.skipped, 0);
});

test('what we write is read back with the same samples, processes and stacks', async () => {
  const profile = await readProfile(join(import.meta.dirname, 'fixtures', 'gunicorn-sync.raw'));
  for (const rateHz of [null, 100]) {
    const text = [...formatSpeedscope(joinThreads({ ...profile, rateHz }))].join('');
    const again = parseSpeedscope(text, { file: 'x.json' });
    assert.deepEqual([again.totalWeight, again.rateHz], [profile.totalWeight, rateHz]);
    const withoutParents = (/** @type {string} */ line) =>
      line.replace(/^process 8628:"[^"]*";/, '');
    assert.deepEqual(linesOf(again).sort(), linesOf(profile).map(withoutParents).sort());
  }
});

test('entries without a known frame or weight are counted, and nothing else changes', () => {
  const profile = parse({
    ...{ type: 'sampled', name: '__proto__', unit: 'none' },
    samples: [[0, 1], [0, 2], [0, 99], [0, '__proto__'], null, [0], [0], [[0]]],
    weights: [7, 3, 5, 5, 5, -1, 1e300, 1],
  });
  assert.deepEqual(linesOf(profile), LINES);
  assert.deepEqual([profile.skipped, profile.entries], [6, 8]);
  assert.match(profile.firstSkipped, /99/);
});

for (const [what, text, message] of /** @type {[string, string, RegExp][]} */ ([
  ['bytes', textOf([{ unit: 'bytes', samples: [], weights: [] }]), /"bytes"/],
  ['counts and times', textOf([sampled('none', 1), sampled('seconds', 1)]), /"seconds"/],
  ['samples that are text', textOf([{ unit: 'none', samples: 'a', weights: [1] }]), /lacks a list/],
  ['profiles that are text', '{"profiles":"a","shared":{"frames":[]}}', /undefined/],
  ['no frames', '{"profiles":[]}', /frames/],
  ['half of its text', '{"profiles":[{"type":"sam', /JSON/],
  ['a deep nest', `{"profiles":${'['.repeat(5000)}`, /nested/],
]))
  test(`a file of ${what} is refused by name`, () => {
    assert.throws(() => parseSpeedscope(text, { file: 'x.json' }), {
      code: 'PROFILE_BROKEN',
      message,
    });
  });

test('events that never close are counted as unreadable, in linear time', () => {
  const events = Array.from({ length: 30_000 }, (_, at) => ({ type: 'O', at, frame: 0 }));
  const profile = {
    type: 'evented',
    name: 'a',
    unit: 'seconds',
    startValue: 0,
    endValue: 1,
    events,
  };
  const text = JSON.stringify({ shared: { frames: [{ name: 'f' }] }, profiles: [profile] });
  const startedUs = process.cpuUsage().user;
  const { skipped } = parseSpeedscope(text, { file: 'a.json' });
  assert.ok(process.cpuUsage().user - startedUs < 2e6);
  assert.ok(skipped > 15_000, `${skipped}`);
});
