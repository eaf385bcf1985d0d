/** A spike in a study without factors: its one variant has no name. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findStudyFindings } from '../../lib/experiment/study/analysis/findings.js';
import { judgeStudy } from '../../lib/experiment/study/analysis/judge-study.js';
import { describeSpike } from '../../lib/text/study-variant.js';
import { makeStudy } from '../helpers/synthetic-study/index.js';

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
