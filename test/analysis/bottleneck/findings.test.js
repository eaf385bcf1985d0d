import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findBottleneck } from '../../../lib/analysis/bottleneck/find-bottleneck.js';
import { estimateWhatIf } from '../../../lib/analysis/bottleneck/what-if.js';
import { gatherRunFacts } from '../../../lib/analysis/judge/bottleneck/gather-run.js';
import {
  findBottleneckFinding,
  findCapacity,
} from '../../../lib/analysis/judge/findings/bottleneck.js';
import { findCauses } from '../../../lib/analysis/judge/findings/code.js';
import { buildCalls, buildStatement } from '../../fixtures/reports/build-calls.js';
import { wordsOf } from '../../helpers/words.js';
import { makeGroup, makeLoad, makeRecorded, makeRunInfo, makeWaits } from '../facts.js';

/** @import { BottleneckId } from '../../../lib/run/facts/bottleneck.d.ts' */

const CAUSE = {
  id: 'tls',
  title: 'TLS context per request',
  category: 'auth',
  severity: 'bad',
  share: { value: 0.6, low: 0.55, high: 0.65 },
  cpuMsPerRequest: { value: 6, low: null, high: null },
  evidence: ['a (b.py)'],
};

/**
 * @param {BottleneckId} id @param {any} [profileOptions] @param {{load?: any, balance?: any}} [more]
 * @returns {any}
 */
function factsOf(id, profileOptions = {}, { load = makeLoad(), balance = null } = {}) {
  const measured = {
    run: makeRunInfo(),
    load,
    balance,
    ...makeRecorded({ cores: [1, 1], causes: [CAUSE], ...profileOptions }),
    timeline: null,
  };
  const { facts } = findBottleneck(gatherRunFacts(measured));
  const bottleneck = { id, component: null, facts, resources: [], fix: null, paths: [] };
  return { ...measured, bottleneck, whatIf: estimateWhatIf({ ...measured, bottleneck }) };
}

/** @type {[BottleneckId, string | null][]} */
const TABLE = [
  ['workers', 'warn'],
  ['gil', 'warn'],
  ['database', 'warn'],
  ['external-call', 'warn'],
  ['slots', 'warn'],
  ['connections', 'warn'],
  ['pool', 'warn'],
  ['lock', 'warn'],
  ['imbalance', 'warn'],
  ['none', 'good'],
  ['unknown', 'info'],
  // these have findings of their own
  ['quota', null],
  ['generator', null],
  ['machine', null],
];
for (const [id, severity] of TABLE) {
  test(`a bottleneck that is ${id}: ${severity ?? 'silent'}`, () => {
    const [finding] = findBottleneckFinding(factsOf(id));
    assert.equal(finding?.severity ?? null, severity);
    if (!finding) return;
    assert.deepEqual([finding.id, finding.of], ['bottleneck', id]);
    assert.equal(wordsOf(finding).advice === null, id === 'none' || id === 'unknown');
  });
}

test('leaves the first place to the statement that each request repeats, where the database limits', () => {
  const uses = [{ name: 'GET /orders', requests: 200, perRequest: 31 }];
  const line = buildStatement({ relation: 'Order.items', uses, shareOfTotalMs: 0.6 });
  const other = buildStatement({ id: 'other', text: 'SELECT 1', meanMs: 20 });
  const severityOf = (/** @type {any[]} */ statements, changes = {}, id = 'database') => {
    const facts = factsOf(/** @type {BottleneckId} */ (id));
    Object.assign(facts.bottleneck.facts, changes);
    return findBottleneckFinding({ ...facts, calls: buildCalls(statements) })[0]?.severity;
  };
  assert.equal(severityOf([line, other]), 'info');
  const less = { ...line, shareOfTotalMs: 0.4 };
  assert.equal(severityOf([other, less]), 'warn', 'others take more');
  assert.equal(severityOf([line], { locking: { by: 'row-lock', share: 1, meanMs: 1 } }), 'warn');
  assert.equal(severityOf([line], {}, 'lock'), 'warn');
});

test('responses that get slower are a warning, with how much', () => {
  const load = makeLoad({
    lengthSec: 40,
    p50Ms: (/** @type {number} */ second) => 20 + 5 * second,
  });
  const [finding] = findBottleneckFinding(factsOf('unknown', {}, { load }));
  assert.equal(finding?.severity, 'warn');
  assert.match(
    wordsOf(finding).title,
    /But the median response took \d+ ms at the start and \d+ ms/,
  );
});

test('reports an imbalance with its own finding once', () => {
  const balance = { workers: null, backends: makeGroup([3953, 0]) };
  assert.deepEqual(findBottleneckFinding(factsOf('imbalance', {}, { balance })), []);
});

test('reports an imbalance without its own finding, however uneven the requests', () => {
  const waits = makeWaits({ 'external-call': 0.9 }, { slots: 16, busy: 5, fullest: 4 });
  const load = makeLoad({ model: 'closed', users: 12, inFlight: () => 11 });
  const balance = { backends: null, workers: makeGroup([5000, 400, 300, 300]) };
  const facts = factsOf('imbalance', { cores: [0.25, 0.05, 0.04, 0.04], waits }, { load, balance });
  assert.equal(facts.bottleneck.facts.why, 'slots');
  assert.equal(findBottleneckFinding(facts)[0]?.of, 'imbalance');
});

test('reports capacity now and after the fix if CPU is the bottleneck, with the throughput', () => {
  const [finding] = findCapacity(factsOf('workers'));
  assert.equal(
    wordsOf(finding).title,
    'At full CPU these workers serve about 200/s, without TLS context per request about 500/s.',
  );
  assert.deepEqual(wordsOf(finding).evidence, [
    { label: 'served in this run', value: '20/s' },
    { label: 'without TLS context per request', value: '500/s (396/s to 847/s), + 150.0 %' },
  ]);
});

test('reports capacity without causes, too', () => {
  const [finding] = findCapacity(factsOf('gil', { causes: [] }));
  assert.equal(wordsOf(finding).title, 'At full CPU these workers serve about 200/s.');
  assert.ok(finding);
  const capacityPerSec = { value: 200, low: 190, high: null };
  const least = /** @type {any} */ ({ ...finding, facts: { ...finding.facts, capacityPerSec } });
  assert.equal(wordsOf(least).title, 'At full CPU these workers serve at least 190/s.');
});

for (const id of /** @type {BottleneckId[]} */ (['none', 'database', 'generator', 'unknown'])) {
  test(`reports no capacity if the bottleneck is ${id}`, () => {
    assert.deepEqual(findCapacity(factsOf(id)), []);
  });
}

test('a cause states the gain of its fix, and when that is not throughput', () => {
  const gainOf = (/** @type {BottleneckId} */ id) => wordsOf(findCauses(factsOf(id))[0]).gain ?? '';
  assert.match(
    gainOf('workers'),
    /about 150\.0 % more requests \(98\.0 % to 323\.3 %\): 500\/s instead of 200\/s\.$/,
  );
  assert.match(
    gainOf('database'),
    /\(6\.0 ms a request\); it will not raise .* the bottleneck is the database\.$/,
  );
});

test('a cause of severity info promises no gain', () => {
  const facts = factsOf('workers', { causes: [{ ...CAUSE, severity: 'info' }] });
  assert.equal(wordsOf(findCauses(facts)[0]).gain, undefined);
});
