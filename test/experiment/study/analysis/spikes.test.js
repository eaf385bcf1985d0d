/** Who felt a spike, and who did not: in a study that nobody ran. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  judgeSpikes,
  MAIL,
  NEAR,
  SLOTS,
  SLOTS_FELT,
} from '../../../helpers/synthetic-study/judge-spikes.js';

/**
 * Of each variant: the first step whose spike was felt, null for none, undefined if that is not known.
 * @param {ReturnType<typeof judgeSpikes>} report
 */
function feltOf({ verdict: { headline } }) {
  assert.ok(headline.id === 'spike');
  assert.equal(headline.facts.endpoint, MAIL);
  return headline.facts.variants.map(({ isJudged, felt }) =>
    isJudged ? (felt?.step ?? null) : undefined,
  );
}

const UNKNOWN = [undefined, undefined];
const always = () => true;

test('reports victims per variant with the endpoint that slowed them, from the first step with some', () => {
  const report = judgeSpikes((variant, step) =>
    variant === 'mail=inline' && step >= 32 ? SLOTS_FELT : null,
  );
  assert.deepEqual(feltOf(report), [32, null]);
  const finding = report.findings.find(({ id }) => id === 'spike');
  assert.ok(finding?.id === 'spike');
  assert.equal(finding.severity, 'warn');
  const [inline] = finding.facts.variants;
  assert.deepEqual(
    inline?.felt?.victims.map(({ name, p95Ms }) => [name, p95Ms]),
    [[SLOTS, { before: 20, during: 2300, after: 25 }]],
  );
  const victims = report.variants.map(({ spikes = [] }) =>
    spikes.map(({ endpoints }) => endpoints.filter(({ isVictim }) => isVictim).length),
  );
  assert.deepEqual(victims, [
    [0, 0, 1, 1],
    [0, 0, 0, 0],
  ]);
});

test('reports no victims if no run shows any', () => {
  const report = judgeSpikes(() => null);
  assert.deepEqual(feltOf(report), [null, null]);
  assert.equal(report.findings.find(({ id }) => id === 'spike')?.severity, 'info');
});

test('one repeat of three is chance', () => {
  const report = judgeSpikes((_variant, _step, repeat) => (repeat === 1 ? SLOTS_FELT : null));
  assert.deepEqual(feltOf(report), [null, null]);
});

test('where the runs saw no such spike, or one of something else, or victims that they did not tell, nobody is cleared', () => {
  for (const told of [
    { endpoint: '', first: [] },
    { ...SLOTS_FELT, endpoint: NEAR },
    { ...SLOTS_FELT, isHidden: true },
  ])
    assert.deepEqual(feltOf(judgeSpikes(() => told)), UNKNOWN);
});

test('all victims are known, and not the slowest five of each run', () => {
  const first = ['a', 'b', 'c', 'd', 'e', SLOTS].map(endpoint => ({ endpoint }));
  assert.deepEqual(feltOf(judgeSpikes(() => ({ endpoint: MAIL, first }))), [8, 8]);
});

test('without the reports of runs, victims are unknown', () => {
  const told = () => SLOTS_FELT;
  assert.deepEqual(feltOf(judgeSpikes(told, () => false)), UNKNOWN);
  const half = judgeSpikes(told, run => !run.startsWith('runs/mail-inline'));
  assert.deepEqual(feltOf(half), [undefined, 8]);
});

test('on a machine that other programs filled, and where others got few answers, nobody is said to be no victim', () => {
  const judge = (/** @type {Parameters<typeof judgeSpikes>[2]} */ truth) =>
    feltOf(judgeSpikes(() => null, always, truth));
  assert.deepEqual(judge({ otherCores: 2 }), UNKNOWN);
  assert.deepEqual(judge({ otherCores: 1 }), [null, null], 'a core was free');
  for (const count of [0, 49]) assert.deepEqual(judge({ count }), UNKNOWN);
});

test('the throughput of a load with a small spike is not a plateau', () => {
  const { variants } = judgeSpikes(() => null, always, { base: 600 });
  for (const { saturation, bottleneck } of variants) {
    assert.equal(saturation.state, 'not-reached');
    assert.equal(saturation.kneeInFlight, null, 'each step is another mix of requests');
    assert.equal(bottleneck.id, 'none');
  }
});
