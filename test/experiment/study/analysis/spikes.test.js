/** Who felt a spike, and who did not: in a study that nobody ran. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeStudy } from '../../../../lib/experiment/study/analysis/judge-study.js';
import { wordStudyReport } from '../../../../lib/text/study.js';
import { printStudy, studyToMarkdown } from '../../../helpers/print-documents.js';
import { makeStudy } from '../../../helpers/synthetic-study/index.js';

const STEPS = [8, 16, 32, 48];
const [MAIL, SLOTS, NEAR] = ['e-mail', 'slots', 'near'];

/** @typedef {{endpoint: string, first: {endpoint: string}[], isHidden?: boolean}} Told `isHidden`: the run saw victims, and did not tell them */

const times = (/** @type {number} */ p95Ms, requests = 200) => ({
  requests,
  errors: 0,
  latency: {
    count: requests,
    minMs: 1,
    meanMs: 5,
    p50Ms: 5,
    p75Ms: 6,
    p90Ms: 7,
    p95Ms,
    p99Ms: 9,
    maxMs: 9,
  },
});

/**
 * What is told where the runs' own reports name these as victims.
 * @param {(variant: string, step: number, repeat: number) => Told | null} victimsOf
 * @param {(folder: string) => boolean} [isReadable] a run's report
 * @param {{otherCores?: number, count?: number, base?: number}} [truth] cores that programs use which are no part of the study;
 *   answers of an endpoint in the spike
 */
function judge(
  victimsOf,
  isReadable = () => true,
  { otherCores = 0.03, count = 200, base = 60 } = {},
) {
  const { plan, journal } = makeStudy({
    factors: { mail: ['inline', 'queued'] },
    model: 'spike',
    steps: STEPS,
    truth: () => ({ throughput: step => base + step, otherCores }),
    noise: 0.001,
  });
  Object.assign(plan.study.load, { of: MAIL, base });
  const told = new Map();
  for (const record of journal) {
    if (record.kind !== 'cell-end' || record.outcome !== 'measured' || !record.folder) continue;
    const facts = victimsOf(record.variant, record.step, record.repeat);
    const isSlower = facts?.endpoint === MAIL;
    /** @type {Told} */
    const { endpoint, first: victims, isHidden } = facts ?? { endpoint: MAIL, first: [] };
    const first = victims.slice(0, 5);
    told.set(record.folder, {
      findings:
        victims.length > 0 && !isHidden ? [{ id: 'spike', facts: { endpoint, first } }] : [],
      timeline: { load: { spike: endpoint ? { endpoint, victims } : null } },
    });
    record.figures.spike = {
      endpoint: MAIL,
      endpoints: [
        { name: SLOTS, before: times(20), during: times(isSlower ? 2300 : 21), after: times(25) },
        { name: NEAR, before: times(10), during: times(12, count), after: times(10) },
        { name: MAIL, before: times(260, 30), during: times(900), after: times(260, 30) },
      ],
    };
  }
  const readReport = (/** @type {string} */ run) => (isReadable(run) ? told.get(run) : null);
  return wordStudyReport(judgeStudy(plan, journal, { readReport, nowMs: 0 }));
}

const UNKNOWN =
  /^Which endpoints a spike of e-mail slows with mail inline and with mail queued is not known\.$/;
const slotsFelt = { endpoint: MAIL, first: [{ endpoint: SLOTS }] };
const findingOf = (/** @type {ReturnType<typeof judge>} */ { findings }) =>
  findings.find(({ id }) => id === 'spike')?.text;

test('reports victims per variant with the endpoint that slowed them, from the first step with some', () => {
  const report = judge((variant, step) =>
    variant === 'mail=inline' && step >= 32 ? slotsFelt : null,
  );
  const title =
    'A spike of e-mail makes other endpoints slower with mail inline from 32/s on (p95 of slots 20 ms → 2,300 ms); it makes no other endpoint clearly slower with mail queued up to 48/s.';
  assert.equal(report.verdict.headline.text, title);
  assert.deepEqual(findingOf(report)?.evidence, [
    { label: 'mail inline, 32/s: slots', value: 'p95 20 ms → 2,300 ms, after it 25 ms' },
  ]);
  assert.match(String(findingOf(report)?.advice), /what e-mail waits for out of the request/);
  const markdown = studyToMarkdown(report);
  assert.match(
    markdown,
    /\| mail inline +\| 32\/s +\| slots +\| 20 ms +\| 2,300 ms +\| 25 ms +\| .*slower +\|/,
  );
  assert.match(markdown, /\| mail queued +\| 32\/s +\| slots .* +\| +\|/);
  assert.match(printStudy(report, { width: 400 }), /from 32\/s on/);
});

test('reports no victims and no advice if no run shows any', () => {
  const report = judge(() => null);
  const title =
    'A spike of e-mail makes no other endpoint clearly slower with mail inline up to 48/s and with mail queued up to 48/s.';
  assert.equal(report.verdict.headline.text, title);
  assert.equal(findingOf(report)?.advice, null);
  assert.doesNotMatch(studyToMarkdown(report), /slower +\|/);
});

test('one repeat of three is chance', () => {
  const report = judge((_variant, _step, repeat) => (repeat === 1 ? slotsFelt : null));
  assert.match(report.verdict.headline.text, /^A spike of e-mail makes no other/);
});

test('where the runs saw no such spike, or one of something else, or victims that they did not tell, nobody is cleared', () => {
  for (const told of [
    { endpoint: '', first: [] },
    { ...slotsFelt, endpoint: NEAR },
    { ...slotsFelt, isHidden: true },
  ])
    assert.match(judge(() => told).verdict.headline.text, UNKNOWN);
});

test('all victims are known, and not the slowest five of each run', () => {
  const many = ['a', 'b', 'c', 'd', 'e', SLOTS].map(endpoint => ({ endpoint }));
  const report = judge(() => ({ endpoint: MAIL, first: many }));
  assert.match(report.verdict.headline.text, /makes other endpoints slower with mail inline/);
});

test('without the reports of runs, victims are unknown, also in the table', () => {
  const report = judge(
    () => slotsFelt,
    () => false,
  );
  assert.match(report.verdict.headline.text, UNKNOWN);
  assert.match(studyToMarkdown(report), /not judged/);
  const half = judge(
    () => slotsFelt,
    run => !run.startsWith('runs/mail-inline'),
  );
  assert.match(half.verdict.headline.text, /slower with mail queued from 8\/s on/);
  assert.match(
    half.verdict.headline.text,
    /\. Which endpoints a spike of e-mail slows with mail inline is not known\.$/,
  );
});

test('on a machine that other programs filled, and where others got few answers, nobody is said to be no victim', () => {
  const always = () => true;
  const report = judge(() => null, always, { otherCores: 2 });
  assert.match(report.verdict.headline.text, UNKNOWN);
  assert.match(studyToMarkdown(report), /not judged/);
  const roomy = judge(() => null, always, { otherCores: 1 });
  assert.match(roomy.verdict.headline.text, /no other endpoint clearly slower/, 'a core was free');
  for (const count of [0, 49])
    assert.match(judge(() => null, always, { count }).verdict.headline.text, UNKNOWN);
});

test('the throughput of a load with a small spike is not a plateau', () => {
  const { variants } = judge(
    () => null,
    () => true,
    { base: 600 },
  );
  for (const { saturation, bottleneck } of variants) {
    assert.equal(saturation.state, 'not-reached');
    assert.equal(saturation.kneeInFlight, null, 'each step is another mix of requests');
    assert.equal(bottleneck.id, 'none');
  }
});
