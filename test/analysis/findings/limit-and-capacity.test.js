import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCapacityFinding } from '../../../lib/analysis/findings/capacity.js';
import { findCauses } from '../../../lib/analysis/findings/causes.js';
import { findLimitFinding } from '../../../lib/analysis/findings/limit.js';
import { estimateWhatIf } from '../../../lib/analysis/limit/what-if.js';
import { makeGroup, makeLoad, makeProfile, makeRunInfo } from '../facts.js';

/** @typedef {import('../../../lib/analysis/limit.d.ts').LimitId} LimitId */

const CAUSE = {
  id: 'tls',
  title: 'TLS context per request',
  category: 'auth',
  severity: 'bad',
  share: { value: 0.6, low: 0.55, high: 0.65 },
  shareOfCategory: 0.9,
  cpuMsPerRequest: { value: 6, low: null, high: null },
  evidence: ['a (b.py)'],
};

/** @param {LimitId} id @param {any} [profileOptions] */
function factsOf(id, profileOptions = {}) {
  const measured = {
    run: makeRunInfo(),
    load: makeLoad(),
    profile: makeProfile({ cores: [1, 1], causes: [CAUSE], ...profileOptions }),
    limit: { id, text: `It is ${id}.`, evidence: [] },
    timeline: null,
  };
  return { ...measured, whatIf: estimateWhatIf(measured) };
}

/** @type {[LimitId, string | null][]} */
const TABLE = [
  ['workers', 'warn'],
  ['gil', 'warn'],
  ['database', 'warn'],
  ['external-call', 'warn'],
  ['slots', 'warn'],
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
  test(`a limit that is ${id}: ${severity ?? 'silent'}`, () => {
    const [finding] = findLimitFinding(factsOf(id));
    assert.equal(finding?.severity ?? null, severity);
    if (!finding) return;
    assert.equal(finding.id, `limit.${id}`);
    assert.equal(finding.title, `It is ${id}.`);
    assert.equal(finding.advice === null, id === 'none' || id === 'unknown');
  });
}

test('an imbalance that has a finding of its own is told once', () => {
  const balance = { workers: null, backends: makeGroup([3953, 0]) };
  assert.deepEqual(findLimitFinding({ ...factsOf('imbalance'), balance }), []);
});

test('capacity is told now and after the fix where CPU is the limit, with what was answered', () => {
  const [finding] = findCapacityFinding(factsOf('workers'));
  assert.equal(
    finding?.title,
    'At full CPU these workers serve about 200/s, without TLS context per request about 500/s.',
  );
  assert.deepEqual(finding?.evidence, [
    { label: 'answered in this run', value: '20/s' },
    { label: 'without TLS context per request', value: '500/s (396/s to 571/s), + 150.0 %' },
  ]);
});

test('capacity is told without causes, too', () => {
  const [finding] = findCapacityFinding(factsOf('gil', { causes: [] }));
  assert.equal(finding?.title, 'At full CPU these workers serve about 200/s.');
});

for (const id of /** @type {LimitId[]} */ ([
  'none',
  'database',
  'generator',
  'machine',
  'unknown',
])) {
  test(`no capacity is told where the limit is ${id}`, () => {
    assert.deepEqual(findCapacityFinding(factsOf(id)), []);
  });
}

test('a cause says what mending it would bring, and when it would not bring throughput', () => {
  const gainOf = (/** @type {LimitId} */ id) => findCauses(factsOf(id))[0]?.gain ?? '';
  assert.match(
    gainOf('workers'),
    /^up to 150\.0 % more requests \(98\.0 % to 185\.7 %\): about 500\/s instead of 200\/s, as the workers are CPU-bound/,
  );
  assert.match(
    gainOf('database'),
    /^up to 6\.0 ms of CPU a request; it will not raise .* wait for the database$/,
  );
});

test('a cause that is a mere remark promises nothing', () => {
  const facts = factsOf('workers', { causes: [{ ...CAUSE, severity: 'info' }] });
  assert.equal(findCauses(facts)[0]?.gain, null);
});
