import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findLimit } from '../../lib/analysis/limit/find-limit.js';
import { estimateWhatIf } from '../../lib/analysis/limit/what-if.js';
import { judge } from '../../lib/analysis/verdict.js';

const CAUSE = {
  id: 'x',
  title: 'TLS context per request',
  severity: 'bad',
  share: { value: 0.5, low: 0.45, high: 0.55 },
  cpuMsPerRequest: { value: 5, low: null, high: null },
};

/**
 * @param {{cores: number[], hostCores?: number, failed?: number, causes?: any[], sign?: any, models?: string[], http?: any, websocket?: any}} facts
 */
function judged({
  cores,
  hostCores = 1,
  failed = 0,
  causes = [CAUSE],
  sign,
  models = [],
  http,
  websocket = null,
}) {
  const requests = 1000;
  const findings = causes.map(cause => ({
    id: 'cause.x',
    severity: cause.severity,
    title: `${cause.title}: 50 %.`,
  }));
  const measured = /** @type {any} */ ({
    run: { status: 'complete', host: { cpus: 4 } },
    load: {
      http: {
        requests,
        responses: requests,
        meanRatePerSec: 10,
        errorRate: failed / requests,
        codes: [
          { code: '200', count: requests - failed },
          { code: '500', count: failed },
        ],
        timeToFirstByte: null,
        ...http,
      },
      users: { created: 10, failed: 0, skipped: 0 },
      socketio: null,
      websocket,
      errors: [],
      phases: models.map(model => ({ model, startMs: 0, endMs: null })),
      seconds: [1, 3, 3, 3, null].map(usersActive => ({
        startMs: 0,
        usersActive,
        requests: 300,
        inFlight: usersActive,
        p50Ms: 5,
      })),
      resolutionMs: 1000,
      generator: { signs: sign ? [sign] : [] },
    },
    profile: {
      workers: cores.map(n => ({ cores: n })),
      cpu: { hostCores, basis: 'process-cpu', perRequest: { value: 10, low: null, high: null } },
      hotPaths: [],
      causes,
      causesTogether: null,
      waits: null,
      samples: { active: 1000 },
    },
  });
  const limit = findLimit(measured);
  return judge({ ...measured, findings, limit, whatIf: estimateWhatIf({ ...measured, limit }) });
}

test('workers that use their cores are the limit, and a fix is told as throughput (Amdahl)', () => {
  const { sentences } = judged({ cores: [0.95, 0.9] });
  assert.match(sentences.join('\n'), /their CPU limits the throughput/);
  assert.match(sentences.join('\n'), /serve up to 100\.0 % more requests/);
});

test('idle workers promise no throughput for a fix', () => {
  const { sentences } = judged({ cores: [0.2, 0.3] });
  assert.match(sentences.join('\n'), /Nothing limits the throughput at this load/);
  assert.match(sentences.join('\n'), /will not raise the throughput/);
  assert.doesNotMatch(sentences.join('\n'), /more requests/);
});

test('one busy worker among idle ones is no CPU limit of all, but work that does not spread', () => {
  const text = judged({ cores: [0.95, 0.1] }).sentences.join('\n');
  assert.match(text, /busy one is not served by the idle one/);
  assert.doesNotMatch(text, /CPU limits/);
});

test('on a full machine nobody can tell what limits', () => {
  const { sentences } = judged({ cores: [0.5, 0.5], hostCores: 3.9, models: ['closed'] });
  assert.match(sentences.join('\n'), /no idle CPU/);
  assert.match(sentences.join('\n'), /can not be told while the machine is full/);
});

const BUSY = {
  id: 'busy',
  isLimit: true,
  text: 'worker 1 was busy 97.0 % of the time in 34 of 58 s',
};

test('where the generator was the limit, the target is not called saturated, however busy it looks', () => {
  const { level, headline, sentences } = judged({ cores: [0.95, 0.9], sign: BUSY });
  assert.equal(level, 'warn');
  assert.equal(headline, `Doubtful: the load generator was the limit: ${BUSY.text}.`);
  const text = sentences.join('\n');
  assert.match(text, /generator could not send more: what the API can serve does not follow/);
  assert.match(text, /can not be told, because the load generator was the limit/);
  assert.doesNotMatch(text, /CPU limits|more requests;/);
});

test('a closed loop is told as rounds of its users, open arrivals as users', () => {
  const describe = (/** @type {string[]} */ models) =>
    judged({ cores: [0.1], models }).sentences[0] ?? '';
  assert.match(describe(['open', 'none']), /^1,000 requests of 10 users, /);
  assert.match(
    describe(['closed', 'none']),
    /^1,000 requests in 10 rounds of 3 users \(closed loop\), /,
  );
  assert.match(describe(['closed', 'open']), /^1,000 requests of 10 users, /);
});

test('where requests were sent late, the first sentence says when users would have had their answers', () => {
  const times = (/** @type {number} */ p95Ms) => ({ count: 300, p95Ms });
  const told = (/** @type {number} */ p95Ms) =>
    judged({ cores: [0.1], http: { totalTime: times(20), totalFromIntended: times(p95Ms) } })
      .sentences[0] ?? '';
  assert.match(
    told(12_000),
    /counted from when they were due, 95 % were complete within 12 s; none/,
  );
  assert.doesNotMatch(told(24), /due/);
});

test('a generator that only paused now and then does not change the verdict', () => {
  const paused = { id: 'paused', isLimit: false, text: 'worker 1 stood still' };
  assert.deepEqual(judged({ cores: [0.95], sign: paused }), judged({ cores: [0.95] }));
});

test('a target that failed is the headline, and the limit of the generator a sentence', () => {
  const { level, headline, sentences } = judged({ cores: [0.5], failed: 60, sign: BUSY });
  assert.equal(level, 'bad');
  assert.match(headline, /6\.0 % of the requests failed/);
  assert.match(sentences.join('\n'), /the load generator could not send more/);
});

/** @type {[number, any[], string, RegExp][]} */
const TABLE = [
  [0, [], 'good', /answered everything/],
  [0, [CAUSE], 'warn', /largest waste is TLS context/],
  [20, [], 'warn', /2\.0 % of the requests failed/],
  [20, [CAUSE], 'warn', /Some requests failed; the largest waste/],
  [60, [CAUSE], 'bad', /6\.0 % of the requests failed/],
];
for (const [failed, causes, level, headline] of TABLE) {
  test(`${failed} of 1000 failed and ${causes.length} causes: ${level}`, () => {
    const verdict = judged({ cores: [0.1], failed, causes });
    assert.equal(verdict.level, level);
    assert.match(verdict.headline, headline);
  });
}

test('a load of messages alone is told by its messages, one of both by both', () => {
  const replyTime = { count: 152, p50Ms: 1.1 };
  const amount = (/** @type {number} */ requests) =>
    judged({ cores: [0.2], http: { requests }, websocket: { replyTime } }).sentences[0];
  assert.match(
    amount(0) ?? '',
    /^152 WebSocket replies of 10 users, half within 1\.1 ms; none failed/,
  );
  assert.match(
    amount(40) ?? '',
    /^40 requests of 10 users, 10\/s; none failed; 152 WebSocket replies, half within 1\.1 ms/,
  );
});
