/** What a study says of spikes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findStudyFindings } from '../../lib/experiment/study/analysis/findings.js';
import { judgeStudy } from '../../lib/experiment/study/analysis/judge-study.js';
import { wordStudyReport } from '../../lib/text/study.js';
import { describeSpike } from '../../lib/text/study-variant.js';
import { printStudy, studyToMarkdown } from '../helpers/print-documents.js';
import { makeStudy } from '../helpers/synthetic-study/index.js';
import { judgeSpikes, SLOTS_FELT } from '../helpers/synthetic-study/judge-spikes.js';

test('a study without factors has one variant, which is not named', () => {
  const { plan, journal } = makeStudy({
    factors: {},
    model: 'spike',
    steps: [8, 16, 32],
    truth: () => ({ throughput: step => 60 + step }),
  });
  const report = judgeStudy(plan, journal, { readReport: () => null, nowMs: 0 });
  const p95Ms = { before: 20, during: 2300, after: 20 };
  const told = (/** @type {boolean} */ isVictim, isJudged = true) => {
    const endpoints = [{ name: 'slots', isVictim, p95Ms, errorRate: 0 }];
    const spikes = [{ step: 8, endpoint: 'e-mail', isJudged, endpoints }];
    const variants = report.variants.map(variant => ({ ...variant, spikes }));
    const found = findStudyFindings({ ...report, variants }).find(({ id }) => id === 'spike');
    assert.ok(found?.id === 'spike');
    return describeSpike(found.facts);
  };
  assert.equal(
    told(true),
    'A spike of e-mail makes other endpoints slower from 8/s on (p95 of slots 20 ms → 2,300 ms).',
  );
  assert.equal(told(false), 'A spike of e-mail makes no other endpoint clearly slower up to 8/s.');
  assert.equal(told(false, false), 'Which endpoints a spike of e-mail slows is not known.');
});

test('names victims per variant, from the first step with some, and what to do about them', () => {
  const report = wordStudyReport(
    judgeSpikes((variant, step) => (variant === 'mail=inline' && step >= 32 ? SLOTS_FELT : null)),
  );
  const title =
    'A spike of e-mail makes other endpoints slower with mail inline from 32/s on (p95 of slots 20 ms → 2,300 ms); it makes no other endpoint clearly slower with mail queued up to 48/s.';
  assert.equal(report.verdict.headline.text, title);
  const { evidence, advice } = report.findings.find(({ id }) => id === 'spike')?.text ?? {};
  assert.deepEqual(evidence, [
    { label: 'mail inline, 32/s: slots', value: 'p95 20 ms → 2,300 ms, after it 25 ms' },
  ]);
  assert.match(String(advice), /what e-mail waits for out of the request/);
  const markdown = studyToMarkdown(report);
  assert.match(
    markdown,
    /\| mail inline +\| 32\/s +\| slots +\| 20 ms +\| 2,300 ms +\| 25 ms +\| .*slower +\|/,
  );
  assert.match(markdown, /\| mail queued +\| 32\/s +\| slots .* +\| +\|/);
  assert.match(printStudy(report, { width: 400 }), /from 32\/s on/);
});

test('a spike without victims needs no advice, and one that nobody judged says so', () => {
  const word = (/** @type {Parameters<typeof judgeSpikes>} */ ...given) =>
    wordStudyReport(judgeSpikes(...given));
  const none = word(() => null);
  assert.equal(
    none.verdict.headline.text,
    'A spike of e-mail makes no other endpoint clearly slower with mail inline up to 48/s and with mail queued up to 48/s.',
  );
  assert.equal(none.findings.find(({ id }) => id === 'spike')?.text.advice, null);
  assert.doesNotMatch(studyToMarkdown(none), /slower +\|/);
  const told = () => SLOTS_FELT;
  const unread = word(told, () => false);
  assert.equal(
    unread.verdict.headline.text,
    'Which endpoints a spike of e-mail slows with mail inline and with mail queued is not known.',
  );
  assert.match(studyToMarkdown(unread), /not judged/);
  assert.match(
    word(told, run => !run.startsWith('runs/mail-inline')).verdict.headline.text,
    /slower with mail queued from 8\/s on.*\. Which endpoints a spike of e-mail slows with mail inline is not known\.$/,
  );
});
