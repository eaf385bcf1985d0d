import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planCell } from '../../../../lib/experiment/study/run/plan-cell.js';
import { readStudy } from '../../../../lib/experiment/study/study-file/read-study.js';
import { SMALL, writeStudy } from '../study-file/write-study.js';

/** @param {import('node:test').TestContext} t @param {string} [more] of the study file */
const study = (t, more = '') => readStudy(writeStudy(t, `${SMALL}${more}`));

test('a cell is the same load twice', t => {
  assert.deepEqual(planCell(study(t, 'warmUp: 3s\nduration: 20s\n'), 2), {
    phases: [
      { name: 'warm-up', duration: 3, users: 2 },
      { name: 'measured', duration: 20, users: 2 },
    ],
    leadMs: 3000,
    timeoutSec: null,
  });
});

test('a burst is all at once, without anything before it, and its requests wait for each other', t => {
  const file = SMALL.replace(/load: .*/, 'load: {model: burst, steps: [500]}');
  const burst = readStudy(writeStudy(t, `${file}duration: 90s\n`));
  assert.deepEqual(planCell(burst, 500), {
    phases: [{ name: 'measured', duration: 0.001, arrivalCount: 500 }],
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
  assert.deepEqual(planCell(one, 8), {
    phases: [
      { name: 'warm-up', duration: 2, ...steady },
      { name: 'before', duration: 6, ...steady },
      { name: 'measured', duration: 6, ...steady, more: { mail: 8 } },
      { name: 'after', duration: 6, ...steady },
    ],
    leadMs: 8000,
    timeoutSec: null,
  });
});
