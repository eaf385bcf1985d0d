import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeFinding } from '../../lib/text/findings.js';
import { describeVerdict } from '../../lib/text/verdict.js';
import { buildCalls, buildStatement } from '../fixtures/reports/build-calls.js';
import { BUSY, CAUSE, judgeFigures } from '../helpers/judge-figures.js';

/** @param {Parameters<typeof judgeFigures>[0]} figures */
function judged(figures) {
  const { verdict, findings } = judgeFigures(figures);
  const gains = findings.map(own => describeFinding(own).gain ?? '').join('\n');
  return { level: verdict.level, gains, ...describeVerdict(verdict) };
}

test('workers that use their cores are the limit, and a fix is stated as throughput (Amdahl)', () => {
  const { sentences, gains } = judged({ cores: [0.95, 0.9] });
  assert.match(sentences.join('\n'), /their CPU is the bottleneck/);
  assert.match(gains, /serve about 100\.0 % more requests/);
});

test('idle workers promise no throughput for a fix', () => {
  const { sentences, gains } = judged({ cores: [0.2, 0.3] });
  assert.match(sentences.join('\n'), /No bottleneck at this load/);
  assert.match(gains, /will not raise the throughput/);
  assert.doesNotMatch(gains, /more requests/);
});

test('one busy worker among idle ones is uneven work, not a CPU limit of all', () => {
  const text = judged({ cores: [0.95, 0.1] }).sentences.join('\n');
  assert.match(text, /busy one are not served by the idle ones/);
  assert.doesNotMatch(text, /CPU limits/);
});

test('on a full machine nobody can tell what limits', () => {
  const { sentences, gains } = judged({ cores: [0.5, 0.5], hostCores: 3.9, models: ['closed'] });
  assert.match(sentences.join('\n'), /The CPU is saturated, 3\.90 of 4 cores/);
  assert.match(gains, /is not known while the CPU is saturated/);
});

test('where the generator was the limit, the target is not called saturated, however busy it looks', () => {
  const causes = [{ ...CAUSE, severity: 'warn' }];
  const { level, doubt, headline, ...says } = judged({ cores: [0.95, 0.9], sign: BUSY, causes });
  assert.equal(level, 'warn');
  assert.match(headline, /^The largest waste is TLS context/);
  assert.equal(
    doubt,
    'Doubtful: the load generator was the bottleneck: worker 1 was busy 97.0 % of the time in 34 of 58 s.',
  );
  const text = [...says.sentences, says.gains].join('\n');
  assert.match(
    text,
    /generator could not send more .*: this run does not show what the target can serve/,
  );
  assert.match(text, /is not known, because the load generator was the bottleneck/);
  assert.doesNotMatch(text, /CPU is the bottleneck|more requests;/);
});

test('describes a closed loop by rounds of its users, open arrivals by users', () => {
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
  assert.match(told(12_000), /p95 of the total time from the scheduled start 12 s; none/);
  assert.doesNotMatch(told(24), /scheduled/);
});

test('a generator that only paused now and then does not change the verdict', () => {
  const paused = { ...BUSY, id: 'paused', isLimit: false };
  assert.deepEqual(judged({ cores: [0.95], sign: paused }), judged({ cores: [0.95] }));
});

test('what spoils the measurement is a line above what users felt', () => {
  const { level, doubt, headline, sentences } = judged({ cores: [0.5], failed: 60, sign: BUSY });
  assert.equal(level, 'bad', 'as that finding is');
  assert.match(doubt ?? '', /^Doubtful: the load generator was the bottleneck/);
  assert.match(headline, /^6\.0 % of the requests failed/);
  assert.match(sentences.join('\n'), /The load generator could not send more/);
});

test('a bottleneck of CPU is the headline with the largest waste', () => {
  const { headline } = judged({ cores: [0.95, 0.9], models: ['closed'] });
  assert.match(
    headline,
    /^The target is saturated: the bottleneck is the CPU of its workers; the largest waste is TLS context/,
  );
});

test('a bottleneck that held no request back yet does not make the target saturated', () => {
  const { headline } = judged({ cores: [0.95, 0.9] });
  assert.match(headline, /^The bottleneck is the CPU of its workers; the largest waste is TLS/);
});

test('a waste is one of the largest where a repeated statement, whose CPU is not known, may be larger', () => {
  const uses = [{ name: 'GET /orders', requests: 200, perRequest: 50 }];
  const calls = buildCalls([buildStatement({ uses, relation: 'Order.items' })]);
  const lead = judged({ cores: [0.1], calls }).headline;
  assert.match(lead, /^One of the largest wastes is TLS context/);
  const beside = judged({ cores: [0.95, 0.9], calls }).headline;
  assert.match(beside, /; one of the largest wastes is TLS context/);
  // a count needs no quiet machine
  const count =
    /; N\+1: GET \/orders loads `Order\.items` with 50 queries per request.*in the server\.$/;
  assert.match(beside, count);
  const full = { cores: [0.5, 0.5], hostCores: 3.9, calls };
  assert.match(judged(full).headline, /N\+1: GET \/orders loads `Order\.items` with 50/);
  const few = buildCalls([buildStatement()]);
  assert.match(judged({ cores: [0.1], calls: few }).headline, /^The largest waste is TLS/);
});

test('connections from the line of a waste are a part of it, and no second fact of the headline', () => {
  const file = 'shop/views.py';
  const places = [{ ...{ function: 'pay', file, line: 34 }, share: 1 }];
  const causes = [{ ...CAUSE, places, evidence: [] }];
  const uses = ['/a', '/b', '/c', '/d'].map(name => ({ name: `GET ${name}`, requests: 200 }));
  const own = { kind: /** @type {const} */ ('connect'), system: null, text: 'connect pay', uses };
  const headlineOf = (/** @type {number} */ line) =>
    judged({ cores: [0.1], causes, calls: buildCalls([buildStatement({ ...own, line })]) })
      .headline;
  assert.match(headlineOf(34), /^The largest waste is TLS context.* of every request\.$/);
  assert.match(headlineOf(35), /; GET \/a and 3 others open new connections, 1\.0 per request/);
});

/** @type {[number, any[], string, RegExp][]} */
const TABLE = [
  [0, [], 'good', /responded to everything/],
  [0, [{ ...CAUSE, severity: 'warn' }], 'warn', /largest waste is TLS context/],
  [0, [CAUSE], 'bad', /largest waste is TLS context/],
  [20, [], 'warn', /2\.0 % of the requests failed/],
  [20, [CAUSE], 'bad', /^2\.0 % of the requests failed, most \(20\) with status 500/],
  [60, [CAUSE], 'bad', /6\.0 % of the requests failed/],
];
for (const [failed, causes, level, headline] of TABLE) {
  test(`${failed} of 1000 failed and ${causes.length} causes: ${level}`, () => {
    const verdict = judged({ cores: [0.1], failed, causes });
    assert.equal(verdict.level, level);
    assert.match(verdict.headline, headline);
  });
}

const LOST = { connects: 100, disconnects: [{ reason: 'transport close', count: 9 }] };
/** @type {[what: string, facts: {failed?: number, skipped?: number, socketio?: any}, alone: RegExp][]} */
const SMALL = [
  ['some failed requests', { failed: 9 }, /^Not everything got a response/],
  ['dropped arrivals', { skipped: 2 }, /^Not everything was sent/],
  ['lost connections', { socketio: LOST }, /^9 of 100 socket\.io connections broke \(9\.0 %\)/],
];
for (const [what, facts, alone] of SMALL)
  test(`${what} are the headline where nothing else is`, () => {
    const { headline: only, sentences } = judged({ cores: [0.1], causes: [], ...facts });
    assert.match(only, alone);
    assert.ok(!(/was answered/.test(only) && /none failed/.test(sentences.join())));
    const { headline } = judged({ cores: [0.1], ...facts });
    assert.match(headline, /^The largest waste is TLS/);
  });

test('describes a load of messages by its messages, and a mixed load by both', () => {
  const replyTime = { count: 152, p50Ms: 1.1 };
  const amount = (/** @type {number} */ requests) =>
    judged({ cores: [0.2], http: { requests }, websocket: { replyTime } }).sentences[0];
  assert.match(amount(0) ?? '', /^152 WebSocket replies of 10 users, median 1\.1 ms; none failed/);
  assert.match(
    amount(40) ?? '',
    /^40 requests of 10 users, 10\/s; none failed; 152 WebSocket replies, median 1\.1 ms/,
  );
});

test('leads with a waste rather than with an unknown bottleneck, and says either once', () => {
  const mediansMs = Array.from({ length: 12 }, (_, second) => 20 + 10 * second);
  const [wasteful, plain] = [[CAUSE], []].map(causes =>
    judged({ cores: [0.2, 0.2], causes, mediansMs }),
  );
  assert.match(wasteful?.headline ?? '', /^The largest waste is/);
  assert.equal(
    wasteful?.sentences.filter(text => /worker CPU is not the bottleneck/.test(text)).length,
    1,
  );
  assert.match(plain?.headline ?? '', /worker CPU is not the bottleneck/);
  assert.ok(plain?.sentences.every(text => !/worker CPU is not the bottleneck/.test(text)));
});

for (const [id, expected] of /** @type {const} */ ([
  ['external-call', 'The bottleneck is calls to other services.'],
  ['lock', 'The target is saturated: the bottleneck is a lock.'],
]))
  test(`only what the target itself holds saturates it: ${id}`, () => {
    const facts = { id, component: null, facts: { isSaturated: true } };
    const finding = { id: 'bottleneck', facts };
    const headline = { id: 'finding', facts: { finding, waste: null, doubt: null } };
    const verdict = /** @type {any} */ ({ headline, points: [], isPartial: false });
    assert.equal(describeVerdict(verdict).headline, expected);
  });
