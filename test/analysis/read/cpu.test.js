import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureHost, measureProcesses, withUnseen } from '../../../lib/analysis/read/cpu.js';

/** @param {number} t @param {number} pid @param {number} cpuMs @param {number} [startTicks] */
const sample = (t, pid, cpuMs, startTicks = 1) => ({
  t,
  kind: /** @type {const} */ ('sample'),
  pid,
  role: 'worker',
  cpuMs,
  rssBytes: 10 + pid,
  startTicks,
});

test('CPU time inside a window is taken between samples, by straight line', () => {
  const records = [
    sample(0, 1, 5000),
    sample(1000, 1, 5400),
    sample(2000, 1, 5800),
    sample(3000, 1, 5800),
  ];
  const [use] = measureProcesses(records, [{ startMs: 500, endMs: 2500 }]);
  assert.equal(use?.cpuMs, 600);
});

test('a worker that was born in the window has used all that it shows, one that was there before has not', () => {
  const records = [
    sample(0, 1, 9000),
    sample(1000, 2, 300),
    sample(2000, 1, 9100),
    sample(2000, 2, 700),
  ];
  const uses = measureProcesses(records, [{ startMs: 0, endMs: 2000 }]);
  assert.deepEqual(
    uses.map(({ pid, cpuMs }) => [pid, cpuMs]),
    [
      [1, 100],
      [2, 700],
    ],
  );
});

test('a worker that died keeps what it had used', () => {
  const [use] = measureProcesses(
    [sample(0, 1, 0), sample(1000, 1, 800)],
    [{ startMs: 0, endMs: 9000 }],
  );
  assert.equal(use?.cpuMs, 800);
});

test('a process has lived for the part of the windows of which its CPU time is known', () => {
  const beside = [0, 1, 2, 3, 4, 5, 6].map(second => sample(second * 1000, 1, 0));
  const reborn = [
    sample(0, 2, 0),
    sample(2000, 2, 900),
    sample(4000, 3, 100),
    sample(6000, 3, 900),
  ];
  const uses = measureProcesses(
    [...beside, ...reborn],
    [
      { startMs: 1000, endMs: 5000 },
      { startMs: 5500, endMs: 9000 },
    ],
  );
  assert.deepEqual(
    uses.map(({ pid, livedMs }) => [pid, livedMs]),
    [
      [1, 7500],
      [2, 1000],
      [3, 1500 + 3500],
    ],
  );
});

test('a pid that was used again is another process', () => {
  const uses = measureProcesses(
    [sample(0, 1, 50, 1), sample(5000, 1, 10, 2)],
    [{ startMs: 0, endMs: 6000 }],
  );
  assert.equal(uses.length, 2);
});

test('children that no sample shows count for their own group', () => {
  const records = [0, 1, 2, 3].flatMap(second =>
    ['rq', 'local services'].map(name => ({
      t: second * 1000,
      kind: /** @type {const} */ ('group'),
      name,
      processes: 1,
      unseenCpuMs: name === 'rq' ? second * 100 : 0,
    })),
  );
  const uses = measureProcesses(withUnseen(records), [{ startMs: 500, endMs: 2500 }]);
  assert.deepEqual(
    uses.map(({ role, cpuMs }) => [role, cpuMs]),
    [
      ['rq', 200],
      ['local services', 0],
    ],
  );
});

test('a process may be seen for days', () => {
  const records = Array.from({ length: 200_000 }, (_, second) => sample(second * 1000, 1, second));
  const [use] = measureProcesses(records, [{ startMs: 0, endMs: 1000 }]);
  assert.equal(use?.rssBytesMax, 11);
});

test('several windows add up', () => {
  const records = [sample(0, 1, 0), sample(10_000, 1, 1000)];
  const [use] = measureProcesses(records, [
    { startMs: 0, endMs: 1000 },
    { startMs: 9000, endMs: 10_000 },
  ]);
  assert.equal(use?.cpuMs, 200);
});

test('busy cores of the host come from its own counters', () => {
  const host = (/** @type {number} */ t, /** @type {number} */ busyMs, more = {}) => ({
    t,
    kind: /** @type {const} */ ('host'),
    busyMs,
    totalMs: t * 2,
    cpus: 2,
    ...more,
  });
  assert.deepEqual(
    measureHost([host(0, 0), host(1000, 500), host(2000, 1000)], [{ startMs: 0, endMs: 2000 }]),
    {
      busyCores: 0.5,
      cpus: 2,
      stealCores: null,
      crowdedShare: null,
    },
    'in folders of older versions nobody counted what others took',
  );
  const counted = measureHost(
    [
      host(0, 0, { stealMs: 0, pressureMs: 50 }),
      host(2000, 3000, { stealMs: 400, pressureMs: 1550 }),
    ],
    [{ startMs: 0, endMs: 2000 }],
  );
  assert.deepEqual([counted?.stealCores, counted?.crowdedShare], [0.2, 0.75]);
  assert.equal(measureHost([], [{ startMs: 0, endMs: 2000 }]), null);
});
