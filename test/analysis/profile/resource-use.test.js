import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureResources } from '../../../lib/analysis/profile/resource-use.js';
import { recordsOf } from '../../helpers/records.js';

const START = 1_795_211_100_000;
const WINDOW = { startMs: START + 2000, endMs: START + 6000 };

/** @param {Parameters<typeof measureResources>[0]} records */
const measureComponents = records => measureResources(records, [WINDOW])?.components ?? [];

/**
 * Ten seconds of samples, one each.
 * @param {(second: number) => Record<string, any>[]} at
 */
function record(at) {
  const records = Array.from({ length: 10 }, (_, second) => [
    { t: START + second * 1000, kind: 'host', busyMs: 0, totalMs: second * 2000, cpus: 2 },
    { t: START + second * 1000, kind: 'group', name: 'database', processes: 1, unseenCpuMs: 0 },
    ...at(second).map(line => ({ t: START + second * 1000, kind: 'sample', ...line })),
  ]).flat();
  return recordsOf('processes', records);
}

/** @param {number} pid @param {number} cpuMs @param {Record<string, any>} [more] */
function sample(pid, cpuMs, more) {
  return { pid, role: 'database', cpuMs, startTicks: pid, rssBytes: 30e6, threads: 1, ...more };
}

test('the CPU of a component includes children that no sample shows', () => {
  const records = record(second => [
    // 0.1 and 0.3 of a core, and 0.2 of children that come and go
    sample(1, 5000 + second * 100),
    sample(2, 7000 + second * 300),
    { ...sample(3, second * 900), role: 'generator' },
  ]);
  for (const line of records) if (line.kind === 'group') line.unseenCpuMs = (line.t - START) / 5;
  const [database, ...others] = measureComponents(records);
  assert.deepEqual(others, [], 'the generator is no component');
  assert.ok(Math.abs((database?.cores ?? 0) - 0.6) < 1e-9, `${database?.cores}`);
  assert.ok(Math.abs((database?.busiestCores ?? 0) - 0.3) < 1e-9);
  assert.deepEqual(database?.processes, { mean: 2, max: 2 });
  assert.equal(database?.rssBytes, 60e6);
});

test('processes that live in a part of the window count for that part', () => {
  const records = record(second => [
    sample(1, second * 100),
    // It is born after the fourth second and has used 80 ms by the fifth, then 100 ms a second.
    ...(second >= 5 ? [sample(2, 80 + (second - 5) * 100)] : []),
  ]);
  const [database] = measureComponents(records);
  assert.ok(Math.abs((database?.cores ?? 0) - (400 + 180) / 4000) < 1e-9, `${database?.cores}`);
  assert.deepEqual(database?.processes, { mean: 7 / 5, max: 2 });
});

test('shared memory is what was read last, and of those that came since as of the others', () => {
  const pss = (/** @type {number} */ second) =>
    second % 5 === 0 ? { pssBytes: 10e6 + second } : {};
  const some = record(second => [
    sample(1, 0, pss(second)),
    sample(2, 0, pss(second)),
    ...(second >= 2 ? [sample(3, 0)] : []),
  ]);
  const [database] = measureComponents(some);
  assert.ok(Math.abs((database?.pssBytes ?? 0) - 30e6) < 100, `${database?.pssBytes}`);
  const hidden = record(() => [sample(1, 0, { pssBytes: null })]);
  assert.equal(measureComponents(hidden)[0]?.pssBytes, null);
});

test('shows a group without processes as empty', () => {
  const [none] = measureComponents(record(() => []));
  assert.equal(none?.name, 'database');
  assert.deepEqual([none?.cores, none?.processes.max, none?.pssBytes], [0, 0, null]);
});

test('workers and the master come first, then groups in their order', () => {
  const roles = ['zebra', 'worker', 'generator', 'database', 'master', 'loadflame', 'py-spy'];
  const records = [
    ...record(() => roles.map((role, pid) => ({ ...sample(pid, 0), role }))),
    ...recordsOf('processes', [{ t: START, kind: 'group', name: 'zebra', processes: 1 }]),
  ];
  assert.deepEqual(
    measureComponents(records).map(({ name }) => name),
    ['workers', 'master', 'database', 'zebra'],
  );
});
