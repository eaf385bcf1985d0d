/** No report says one thing and its opposite, whatever was measured. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyseRun } from '../../lib/analysis/analyse-run.js';
import { EXCLUSIONS, isOf } from '../../lib/analysis/judge/verdict/trust.js';
import { wordReport } from '../../lib/text/index.js';
import { KINDS } from '../fixtures/reports/extreme-reports.js';
import { cloneRun, RECORDED } from '../helpers/recorded-runs.js';
import { drawSpec } from '../helpers/synthetic-run/draw-spec.js';
import { makeRun, writeRun } from '../helpers/synthetic-run/index.js';
import { withoutStacks } from '../helpers/synthetic-run/without-stacks.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

/** @import { Report } from '../../lib/run/facts/report.d.ts' */

const RUNS = 60;

/** The worst first: the verdict, which is never `info`, is never milder than a finding beside it. */
const LEVELS = ['invalid', 'bad', 'warn', 'unknown', 'good', 'info'];

/** What a reader can't believe both, in the words that the report says. @type {[RegExp, RegExp][]} */
const OPPOSITES = [
  [/CPU is the bottleneck|\(GIL\)|could serve about/, /while CPU was idle/],
  [/could serve about/, /will not raise the throughput/],
  [
    /No bottleneck at this load/,
    /is saturated|ran into its CPU quota|got slower|could serve about/,
  ],
  [/No bottleneck at this load/, /is not valid/],
  [
    /none failed|responded to everything|requests got a response/,
    /requests failed|messages failed/,
  ],
  [/none failed|responded to everything|requests got a response/, /[1-9]\d* errors? in/],
  [/none failed|responded to everything|requests got a response/, /connections? failed/],
  [/none failed/, /Not everything got a response/],
  [/responded to everything/, /dropped|connections? broke|came back|did nothing/],
  [/none failed/, /users failed|never (?:completed|succeeded)/],
  [/started at most|kept up/, /held the load generator/],
  [/closed loop/, /MAX_VIRTUAL_USERS|ARRIVAL_RATE/],
  [/load generator kept up/, /load generator was (?:the bottleneck|starved)/],
  [/load generator was the bottleneck/, /was held back, too/],
  [/machine was full/, /while CPU was idle/],
  [/Not valid/, /would save|could serve|is the bottleneck|No bottleneck/],
];

/** All that the report says about the run. @param {Report} report */
function readAll(report) {
  const { verdict, findings, bottleneck, quality } = wordReport(report);
  return [
    verdict.text.headline,
    ...verdict.text.sentences,
    ...findings.map(({ text }) => `${text.title} ${text.gain ?? ''} ${text.advice ?? ''}`),
    ...(verdict.level === 'invalid' || !bottleneck ? [] : [bottleneck.text.title]),
    ...quality.map(({ text }) => text),
  ].join('\n');
}

/** @param {Report} report @param {string} what */
function assertConsistent(report, what) {
  const text = readAll(report);
  for (const [one, other] of OPPOSITES)
    assert.ok(!(one.test(text) && other.test(text)), `${what}: ${one} and ${other} in\n${text}`);
  for (const [shown, ...refuted] of EXCLUSIONS)
    if (report.findings.some(finding => isOf(finding, shown)))
      for (const other of refuted)
        assert.ok(!report.findings.some(finding => isOf(finding, other)), `${what}: ${other}`);
  const { doubt, headline } = wordReport(report).verdict.text;
  const isDoubtful = doubt !== null || /^(?:Partial run: )?Doubtful/.test(headline);
  if (isDoubtful) assert.notEqual(report.reliability.level, 'valid', what);
  const { level } = report.verdict;
  const worst = report.findings.map(({ severity }) => LEVELS.indexOf(severity));
  assert.ok(LEVELS.indexOf(level) <= Math.min(...worst), `${what}: ${level}\n${text}`);
}

test('runs of all kinds have reports that do not contradict themselves', async t => {
  for (let seed = 1; seed <= RUNS; seed++) {
    const { report } = await analyseRun(writeRun(makeTempFolder(t), makeRun(drawSpec(seed))));
    assertConsistent(report, `seed ${seed}`);
  }
});

test('runs recorded without stacks have reports that do not contradict themselves', async t => {
  for (let seed = RUNS + 1; seed <= RUNS + 15; seed++) {
    const run = withoutStacks(makeRun(drawSpec(seed)));
    const { report } = await analyseRun(writeRun(makeTempFolder(t), run));
    assertConsistent(report, `seed ${seed}`);
    assert.ok(report.cpu && !report.profile);
  }
});

test('recorded runs with failures have reports that do not contradict themselves', async t => {
  for (const name of RECORDED) assertConsistent((await analyseRun(cloneRun(t, name))).report, name);
});

test('the reports of the other tests do not contradict themselves', () => {
  for (const build of Object.values(KINDS)) assertConsistent(build(), build.name);
});
