import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeFirstRequests } from '../../../../lib/analysis/judge/quality/first-requests.js';
import { describeQuality } from '../../../../lib/text/quality.js';

/**
 * @param {{answers: number[], cpuMs: number[]}[]} endpoints what the companion measured of each
 * @param {{isMeasured?: boolean}} [options]
 */
function judge(endpoints, { isMeasured = true } = {}) {
  const sumAt = (/** @type {'answers' | 'cpuMs'} */ what) =>
    endpoints[0]?.answers.map((_, at) =>
      endpoints.reduce((sum, own) => sum + (own[what][at] ?? 0), 0),
    );
  const timeline = /** @type {any} */ ({
    load: {
      requests: sumAt('answers'),
      answered: null,
      endpoints: endpoints.map(measured => ({ measured: isMeasured ? measured : null })),
    },
    workers: [{ pid: 1, cpuMs: sumAt('cpuMs') }],
  });
  const [item] = judgeFirstRequests(timeline);
  return item?.id === 'first-requests' ? { ...item.facts, text: describeQuality(item) } : null;
}

test('says how much of the CPU per request is that of first requests, where later ones cost less', () => {
  const endpoint = { answers: [10, 10, 10, 10], cpuMs: [500, 50, 50, 50] };
  const one = judge([endpoint]);
  assert.equal(one?.share?.toFixed(3), (450 / 650).toFixed(3));
  assert.match(
    one?.text ?? '',
    /^At least 69\.2 % of the CPU is that of first requests\. A request costs 16\.3 ms with them, and at most 5\.0 ms after them\./,
  );
  assert.equal(judge([endpoint], { isMeasured: false })?.share, undefined);
  const steady = { answers: [10, 10, 10, 10], cpuMs: [60, 50, 50, 50] };
  assert.equal(judge([steady]), null);
});

test('the first requests to each endpoint count, and an endpoint that is asked at the start only does not', () => {
  const late = { answers: [0, 0, 10, 10], cpuMs: [0, 0, 300, 50] };
  const early = { answers: [10, 10, 10, 10], cpuMs: [50, 50, 50, 50] };
  assert.equal(judge([late, early])?.share?.toFixed(3), (250 / 550).toFixed(3));
  const login = { answers: [30, 0, 0, 0], cpuMs: [3000, 0, 0, 0] };
  assert.equal(judge([login, { ...early, answers: [30, 30, 30, 30] }]), null);
  const unmeasured = judge([login, { ...early, answers: [30, 30, 30, 30] }], { isMeasured: false });
  assert.equal(unmeasured, null, 'the mix of endpoints changes');
});

test('of few requests says that their usual cost is not known', () => {
  const few = judge([{ answers: [8, 2], cpuMs: [900, 10] }]);
  assert.equal(few?.share, null);
  assert.match(few?.text ?? '', /^Of 10 responses, most may be first ones of a worker/);
  assert.equal(judge([{ answers: [400], cpuMs: [900] }]), null);
  assert.deepEqual(judgeFirstRequests(null), []);
});
