import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { outlinePlan, planStudy } from '../../lib/experiment/study/plan-study.js';
import { readStudy } from '../../lib/experiment/study/study-file/read-study.js';
import { printTerminal } from '../../lib/report/print/terminal.js';
import { textWidth } from '../../lib/report/print/terminal-text.js';
import { describePlan } from '../../lib/text/document/plan.js';
import { SMALL, writeStudy } from '../experiment/study/study-file/write-study.js';

/** @import { StudyPlan } from '../../lib/run/facts/study-records.d.ts' */

/** @param {import('node:test').TestContext} t @param {string} text */
const plan = (t, text) => planStudy(readStudy(writeStudy(t, text)), { seed: 7 });

/** @param {StudyPlan} made @param {{width: number}} options */
const render = (made, options) => printTerminal(describePlan(made, outlinePlan(made)), options);

test('describes a plan by its variants, load, time and order', t => {
  const text = `${SMALL.replace('[1, 2, 4]', '{most: 16}')}question: Does it pay?
factors: {workers: [1, 2], cache: ["off", redis]}
services:
  db: {command: x}
  redis: {command: x, when: {cache: redis}}
record: {profile: plateau}
repeats: 2
`;
  assert.equal(
    render(plan(t, text), { width: 100 }),
    `A study
i 4 variants × up to 5 steps × 2 repeats + 4 profiles: at most 44 cells, at most 21 min 28 s
  Does it pay?

Variants
  - 1 worker, cache off, db
  - 1 worker, cache redis, db, redis
  - 2 workers, cache off, db
  - 2 workers, cache redis, db, redis

Each cell
  - Closed users: each sends, waits for the response and sends again. Steps of 1, 2, 4, 8, 16 users,
    until throughput rises by less than 5 % in two steps in a row, more than 1 % of requests fail,
    more than 1 % of arrivals are dropped, or the load generator is the bottleneck.
  - 5 s of warm-up with the same load, 20 s measured, 1 s of rest
  - each repeat in a random order of the variants (seed 7)
  - once per variant, the step with the highest throughput is run again with the profiler`,
  );
});

test('a plan keeps to the width of a narrow terminal', t => {
  const values = Array.from({ length: 100 }, (_, index) => `value${index}`);
  const text = `${SMALL.replace('A study', 'A study '.repeat(30))}factors: {long-name-of-a-factor: [${values}]}
repeats: 12
services: {${Array.from({ length: 20 }, (_, index) => `service${index}: {command: x}`).join(', ')}}
`;
  const lines = render(plan(t, text), { width: 60 }).split('\n');
  for (const line of lines) assert.ok(textWidth(line) <= 60, line);
});

test('removes terminal control sequences', t => {
  const text = SMALL.replace('title: A study', 'title: "A \\e[31mred\\u202e study"');
  const told = render(plan(t, text), { width: 80 });
  assert.equal(told.includes('\u001b') || told.includes('\u202e'), false);
});

test('describes arrivals and a list of steps', t => {
  const text = SMALL.replace('{steps: [1, 2, 4]}', '{model: open, steps: [10, 20]}');
  const lines = render(plan(t, text), { width: 80 }).split('\n');
  assert.ok(lines.includes('i 1 variant × 2 steps × 3 repeats: about 6 cells, about 2 min 54 s'));
  assert.match(lines.join(' '), /Open arrivals: .* Steps of\s+10, 20 a second\./);
});

const STUDIES = path.resolve(import.meta.dirname, '../../studies');
for (const name of readdirSync(STUDIES).filter(file => file.endsWith('.yaml')))
  test(`the plan of ${name} fits a terminal`, () => {
    for (const isQuick of [false, true]) {
      const study = readStudy(path.join(STUDIES, name), { quick: isQuick });
      const text = render(planStudy(study, { seed: 7 }), { width: 100 });
      assert.match(text, /cells/);
      for (const line of text.split('\n')) assert.ok(textWidth(line) <= 100, line);
    }
  });
