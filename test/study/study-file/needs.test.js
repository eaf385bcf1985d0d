import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { renderStudyPlan } from '../../../lib/report/study/render-plan.js';
import { outlinePlan, planStudy } from '../../../lib/study/plan-study.js';
import { judgeStudy } from '../../../lib/study/report.js';
import { readStudy } from '../../../lib/study/study-file/read-study.js';
import { wordStudyReport } from '../../../lib/text/study.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';
import { SMALL, writeStudy } from './write-study.js';

const FACTORS = `factors: { threads: [1, 2, 4], migration: [usual, slow] }
exclude: [{ threads: [2, 4], migration: slow }]
needs:
  - { when: { threads: 2 }, cpus: 2 }
  - { when: { threads: 4 }, cpus: 4 }
  - { when: { migration: slow }, writable: /no/such/setting }
`;

/** @param {import('node:test').TestContext} t @param {string} [added] */
const read = (t, added = '') => readStudy(writeStudy(t, SMALL + FACTORS + added));

/** @param {number} cpus @param {string[]} [writable] */
const machine = (cpus, writable = []) => ({
  cpus,
  canWrite: (/** @type {string} */ file) => writable.includes(file),
});

test('a machine runs the variants whose needs it has, and each other is left out with its reason', t => {
  const study = read(t);
  const plan = planStudy(study, { seed: 1, machine: machine(2) });
  assert.deepEqual(
    plan.variants.map(({ id }) => id),
    ['threads=1,migration=usual', 'threads=2,migration=usual'],
  );
  assert.deepEqual(plan.leftOut, [
    {
      label: '1 thread, migration slow',
      lacks: [{ id: 'writable', facts: { file: '/no/such/setting' } }],
    },
    { label: '4 threads, migration usual', lacks: [{ id: 'cpus', facts: { least: 4, has: 2 } }] },
  ]);
  assert.equal(plan.estimate.cells, 2 * 3 * 3);
  assert.ok(plan.blocks.every(({ variant }) => plan.variants.some(({ id }) => id === variant)));

  const whole = planStudy(study, { seed: 1, machine: machine(4, ['/no/such/setting']) });
  assert.equal(whole.variants.length, 4);
  assert.equal(whole.leftOut, undefined);
});

test('a variant that lacks two things is told with both', t => {
  const added = '  - { when: { threads: 4, migration: usual }, writable: /other }\n';
  const { leftOut } = planStudy(read(t, added), { machine: machine(1) });
  const four = leftOut?.find(({ label }) => label.startsWith('4'));
  assert.deepEqual(
    four?.lacks.map(({ id }) => id),
    ['cpus', 'writable'],
  );
});

test('a file that has to be writable is looked for on this machine, beside the study', t => {
  const folder = makeTempFolder(t);
  writeFileSync(path.join(folder, 'setting'), '1');
  const file = path.join(folder, 'small.yaml');
  const needs = (/** @type {string} */ name) =>
    `factors: { a: [x, y] }\nneeds: [{ when: { a: y }, writable: ${name} }]\n`;
  const count = (/** @type {string} */ name) => {
    writeFileSync(file, SMALL + needs(name));
    return planStudy(readStudy(file)).variants.length;
  };
  assert.deepEqual([count('setting'), count('settings')], [2, 1]);
});

test('what is left out is in the plan for people, and in the report with what it needs', t => {
  const plan = planStudy(read(t), { seed: 1, machine: machine(2) });
  const lines = renderStudyPlan(plan, outlinePlan(plan), { width: 100 }).split('\n');
  const at = lines.indexOf('Left out on this machine');
  assert.deepEqual(lines.slice(at - 1, at + 4), [
    '',
    'Left out on this machine',
    '  1 thread, migration slow: it needs to write /no/such/setting',
    '  4 threads, migration usual: it needs 4 cores, and this machine has 2',
    '',
  ]);
  const report = wordStudyReport(judgeStudy(plan, [], { readReport: () => null }));
  const finding = report.findings.find(({ id }) => id === 'left-out');
  assert.match(
    finding?.text.title ?? '',
    /^2 variants were left out: this machine cannot run them/,
  );
  assert.deepEqual(finding?.text.evidence[1], {
    label: '4 threads, migration usual',
    value: 'it needs 4 cores, and this machine has 2',
  });
  const all = planStudy(read(t), { seed: 1, machine: machine(4, ['/no/such/setting']) });
  const whole = renderStudyPlan(all, outlinePlan(all), { width: 100 });
  assert.doesNotMatch(whole, /Left out/);
  const { findings } = judgeStudy(all, [], { readReport: () => null });
  assert.ok(findings.every(({ id }) => id !== 'left-out'));
});
