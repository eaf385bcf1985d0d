import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planCell } from '../../../lib/study/run/plan-cell.js';
import { readStudy } from '../../../lib/study/study-file/read-study.js';
import { SMALL, writeStudy } from '../study-file/write-study.js';
import { makeRecords } from './make-records.js';

/** @param {import('node:test').TestContext} t @param {string} [more] of the study file */
const study = (t, more = '') => readStudy(writeStudy(t, `${SMALL}${more}`));
const cell = (/** @type {number} */ step) =>
  /** @type {const} */ ({ variant: 'all', repeat: 1, step, purpose: 'measure' });
const FIRST = { isFirst: true, records: [] };
const LATER = { isFirst: false, records: [] };

test('a cell is the same load twice, and the first of a block has the highest before it', t => {
  const one = study(t, 'warmUp: {at: most, for: 10s, each: 2s}\nduration: 20s\n');
  const own = [
    { name: 'warm-up', duration: 2, users: 2 },
    { name: 'plateau', duration: 20, users: 2 },
  ];
  assert.deepEqual(planCell(one, cell(2), LATER), { phases: own, leadMs: 2000, timeoutSec: null });
  assert.deepEqual(planCell(one, cell(2), FIRST).phases, [
    { name: 'first warm-up', duration: 10, users: 4 },
    ...own,
  ]);
  assert.equal(planCell(one, cell(2), FIRST).leadMs, 12_000);
  // What the highest load left there is worked off first: four of half a second each.
  const slow = { ...one, transactionSec: 0.5 };
  assert.deepEqual(planCell(slow, cell(2), FIRST).phases[1], { pause: 2 });
  assert.equal(planCell(slow, cell(2), FIRST).leadMs, 14_000);
  assert.deepEqual(planCell(slow, cell(2), LATER).phases, own);
  const plain = study(t, 'warmUp: 3s\n');
  assert.deepEqual(
    planCell(plain, cell(1), FIRST).phases.map(({ name, duration }) => [name, duration]),
    [
      ['warm-up', 3],
      ['plateau', 20],
    ],
  );
});

test('cells and timeouts are as long as transactions need, by what the step before took', t => {
  const long = study(t, 'transaction: 12s\nwarmUp: 5s\n');
  const first = planCell(long, cell(1), FIRST);
  assert.deepEqual(
    first.phases.map(({ duration }) => duration),
    [12, 36],
  );
  // four users, one after the other
  assert.equal(first.timeoutSec, 48);
  const records = makeRecords();
  records.endCell(cell(2), 0.1);
  const [before] = records.all;
  if (before?.kind !== 'cell-end' || before.outcome !== 'measured') throw new Error('no cell');
  before.figures.latency = /** @type {any} */ ({ meanMs: 20_000 });
  const next = planCell(long, cell(4), { isFirst: false, records: records.all, cpus: 2 });
  assert.deepEqual(
    next.phases.map(({ duration }) => duration),
    [40, 120],
  );
  const wide = planCell(long, cell(4), { isFirst: false, records: records.all, cpus: 8 });
  assert.equal(wide.phases[0]?.duration, 20, 'each has a core of its own');
  const quick = study(t, 'transaction: 20ms\n');
  assert.deepEqual(
    planCell(quick, cell(4), FIRST).phases.map(({ duration }) => duration),
    [5, 20],
  );
  assert.equal(planCell(quick, cell(4), FIRST).timeoutSec, 10);
});

test('a burst is all at once, without anything before it, and its requests wait for each other', t => {
  const file = SMALL.replace(/load: .*/, 'load: {model: burst, steps: [500]}');
  const burst = readStudy(writeStudy(t, `${file}duration: 90s\n`));
  assert.deepEqual(planCell(burst, cell(500), FIRST), {
    phases: [{ name: 'plateau', duration: 0.001, arrivalCount: 500 }],
    leadMs: 0,
    timeoutSec: 90,
  });
});

test('a spike has the load of all the time before and after it, and all may be under way in each phase', t => {
  const one = readStudy(
    writeStudy(
      t,
      `${SMALL.replace('{flow', '{name: mail, flow').replace('{steps: [1, 2, 4]}', '{model: spike, of: mail, base: 60, steps: [2.5, 8]}')}warmUp: 2s\nduration: 6s\n`,
    ),
  );
  const steady = { arrivalRate: 60, maxVusers: 340 };
  assert.deepEqual(planCell(one, cell(8), FIRST), {
    phases: [
      { name: 'warm-up', duration: 2, ...steady },
      { name: 'before', duration: 6, ...steady },
      { name: 'plateau', duration: 6, ...steady, more: { mail: 8 } },
      { name: 'after', duration: 6, ...steady },
    ],
    leadMs: 8000,
    timeoutSec: null,
  });
});
