import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildCalls, buildStatement } from '../../../fixtures/reports/build-calls.js';
import { BUSY, CAUSE, judgeFigures } from '../../../helpers/judge-figures.js';

/** The facts of a verdict that a test asks for. @param {Parameters<typeof judgeFigures>[0]} figures */
function judged(figures) {
  const { verdict, findings } = judgeFigures(figures);
  const { level, doubt, headline, points } = verdict;
  /** @type {any} */
  const { finding, waste, isUnsent } = headline.facts;
  /** @param {string} id @returns {any} */
  const factsOf = id => points.find(point => point.id === id)?.facts;
  const cause = findings.find(({ id }) => id === 'cause')?.facts;
  return {
    level,
    doubt: doubt?.id ?? null,
    headline: finding ? `${finding.id}${finding.of ? ` ${finding.of}` : ''}` : headline.id,
    finding,
    waste: waste?.cause.id ?? null,
    isUnsent,
    load: factsOf('load'),
    bottleneck: factsOf('bottleneck')?.bottleneck,
    whatIf: /** @type {any} */ (cause)?.whatIf,
    ids: findings.map(({ id }) => id),
  };
}

test('workers that use their cores are the limit, and a fix is stated as throughput (Amdahl)', () => {
  const { bottleneck, whatIf } = judged({ cores: [0.95, 0.9] });
  assert.equal(bottleneck.id, 'workers');
  assert.equal(whatIf.gain.value, 1);
});

test('idle workers promise no throughput for a fix', () => {
  const { bottleneck, whatIf } = judged({ cores: [0.2, 0.3] });
  assert.equal(bottleneck.id, 'none');
  assert.equal(whatIf.gain, null);
  assert.deepEqual(whatIf.condition, { id: 'bottleneck', bottleneck: 'none' });
});

test('one busy worker among idle ones is uneven work, not a CPU limit of all', () => {
  assert.equal(judged({ cores: [0.95, 0.1] }).bottleneck.id, 'imbalance');
});

test('on a full machine nobody can tell what limits', () => {
  const figures = { cores: [0.5, 0.5], hostCores: 3.9, models: ['closed'] };
  const { bottleneck, whatIf } = judged(figures);
  assert.equal(bottleneck.id, 'machine');
  assert.deepEqual(whatIf.condition, { id: 'bottleneck', bottleneck: 'machine' });
});

test('where the generator was the limit, the target is not called saturated, however busy it looks', () => {
  const causes = [{ ...CAUSE, severity: 'warn' }];
  const own = judged({ cores: [0.95, 0.9], sign: BUSY, causes });
  assert.deepEqual(
    [own.level, own.doubt, own.headline, own.bottleneck.id],
    ['warn', 'generator-limit', 'cause x', 'generator'],
  );
  assert.deepEqual(own.whatIf.condition, { id: 'bottleneck', bottleneck: 'generator' });
});

test('a closed loop counts the users that repeat, other loads those that arrive', () => {
  const usersOf = (/** @type {string[]} */ models) =>
    judged({ cores: [0.1], models }).load.closedUsers;
  assert.equal(usersOf(['open', 'none']), null);
  assert.equal(usersOf(['closed', 'none']), 3);
  assert.equal(usersOf(['closed', 'open']), null);
});

test('requests that were sent late give both times', () => {
  const times = (/** @type {number} */ p95Ms) => ({ count: 300, p95Ms });
  const late = (/** @type {number} */ p95Ms) =>
    judged({ cores: [0.1], http: { totalTime: times(20), totalFromIntended: times(p95Ms) } }).load
      .lateStarts;
  assert.deepEqual(late(12_000), { percent: 95, intendedMs: 12_000, actualMs: 20, matters: true });
  assert.equal(late(24), null);
});

test('a generator that only paused now and then does not change the verdict', () => {
  const paused = { ...BUSY, id: 'paused', isLimit: false };
  assert.deepEqual(judged({ cores: [0.95], sign: paused }), judged({ cores: [0.95] }));
});

test('what spoils the measurement is a doubt above what users felt', () => {
  const { level, doubt, headline } = judged({ cores: [0.5], failed: 60, sign: BUSY });
  assert.deepEqual([level, doubt, headline], ['bad', 'generator-limit', 'request-errors']);
});

test('a bottleneck of CPU is the headline with the largest waste, saturated or not', () => {
  const of = (/** @type {string[]} */ models) => judged({ cores: [0.95, 0.9], models });
  for (const models of [['closed'], []]) {
    const { headline, waste, finding } = of(models);
    assert.deepEqual([headline, waste], ['bottleneck workers', 'x']);
    assert.equal(finding.facts.facts.isSaturated, models.length > 0);
  }
});

test('a repeated statement needs no quiet machine', () => {
  const uses = [{ name: 'GET /orders', requests: 200, perRequest: 50 }];
  const calls = buildCalls([buildStatement({ uses, relation: 'Order.items' })]);
  const full = { cores: [0.5, 0.5], hostCores: 3.9, calls };
  for (const figures of [{ cores: [0.1], calls }, { cores: [0.95, 0.9], calls }, full])
    assert.ok(judged(figures).ids.includes('n-plus-one'));
});

/** @type {[number, any[], string, string][]} */
const TABLE = [
  [0, [], 'good', 'all-answered'],
  [0, [{ ...CAUSE, severity: 'warn' }], 'warn', 'cause x'],
  [0, [CAUSE], 'bad', 'cause x'],
  [20, [], 'warn', 'request-errors'],
  [20, [CAUSE], 'bad', 'request-errors'],
  [60, [CAUSE], 'bad', 'request-errors'],
];
for (const [failed, causes, level, headline] of TABLE)
  test(`${failed} of 1000 failed and ${causes.length} causes: ${level}`, () => {
    const verdict = judged({ cores: [0.1], failed, causes });
    assert.deepEqual([verdict.level, verdict.headline], [level, headline]);
  });

const LOST = { connects: 100, disconnects: [{ reason: 'transport close', count: 9 }] };
/** @type {[what: string, facts: {failed?: number, skipped?: number, socketio?: any}, alone: string][]} */
const SMALL = [
  ['some failed requests', { failed: 9 }, 'mostly-answered'],
  ['dropped arrivals', { skipped: 2 }, 'mostly-answered'],
  ['lost connections', { socketio: LOST }, 'lost-connections'],
];
for (const [what, facts, alone] of SMALL)
  test(`${what} are the headline where nothing else is`, () => {
    const only = judged({ cores: [0.1], causes: [], ...facts });
    assert.equal(only.headline, alone);
    assert.equal(only.isUnsent ?? false, what === 'dropped arrivals');
    assert.equal(judged({ cores: [0.1], ...facts }).headline, 'cause x');
  });

test('leads with a waste rather than with an unknown bottleneck, and says either once', () => {
  const mediansMs = Array.from({ length: 12 }, (_, second) => 20 + 10 * second);
  const [wasteful, plain] = [[CAUSE], []].map(causes =>
    judged({ cores: [0.2, 0.2], causes, mediansMs }),
  );
  assert.deepEqual([wasteful?.headline, wasteful?.bottleneck.id], ['cause x', 'unknown']);
  assert.deepEqual([plain?.headline, plain?.bottleneck], ['bottleneck unknown', undefined]);
});
