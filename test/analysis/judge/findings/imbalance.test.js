import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findImbalance } from '../../../../lib/analysis/judge/findings/bottleneck.js';
import { wordsOf } from '../../../helpers/words.js';
import { makeGroup, makeLoad, makeRecorded, makeRunInfo } from '../../facts.js';

/** @typedef {import('../../../../lib/run/facts/costs.d.ts').BalanceGroup['basis']} Basis */

/** @param {{backends?: number[], workers?: number[], basis?: Basis, cores?: number[], users?: number}} facts */
function find({ backends, workers, basis, cores = [0.9, 0.1], users = 1000 }) {
  return findImbalance({
    run: makeRunInfo(),
    load: makeLoad({ created: users }),
    ...makeRecorded({ cores }),
    balance: {
      backends: backends ? makeGroup(backends, basis) : null,
      workers: workers ? makeGroup(workers, basis) : null,
    },
  });
}

/** @type {[what: string, facts: Parameters<typeof find>[0], says: string | null][]} */
const TABLE = [
  [
    'all to one of two',
    { backends: [3953, 0] },
    'bad All 3,953 requests went to one of 2 instances of the API.',
  ],
  [
    'nearly all to one of two',
    { backends: [3800, 153] },
    'bad One of 2 instances of the API got 3,800 of 3,953 requests, the least got 153.',
  ],
  [
    'four to one',
    { backends: [3200, 753] },
    'warn One of 2 instances of the API got 3,200 of 3,953 requests, the least got 753.',
  ],
  ['one of five is idle', { backends: [500, 490, 510, 505, 0] }, null],
  ['even', { backends: [2000, 1953] }, null],
  ['uneven as chance is', { backends: [1100, 900, 1000] }, null],
  ['too few requests to tell', { backends: [40, 2] }, null],
  [
    'all to one pod by its cookie, of so few users that chance does it one time in four',
    { backends: [3953, 0], basis: 'sticky-cookie', users: 3 },
    'warn All 3,953 requests went to one of 2 instances of the API.',
  ],
  [
    'all to one pod by its cookie, of twelve users: one time in two thousand',
    { backends: [3953, 0], basis: 'sticky-cookie', users: 12 },
    'bad All 3,953 requests went to one of 2 instances of the API.',
  ],
  [
    'what chance does with six users, and nobody is idle',
    { backends: [3300, 653], basis: 'sticky-cookie', users: 6 },
    null,
  ],
  [
    'all to one pod by its cookie, of many users',
    { backends: [3953, 0], basis: 'sticky-cookie' },
    'bad All 3,953 requests went to one of 2 instances of the API.',
  ],
  [
    'one pod is all that is ever seen',
    { backends: [3953], basis: 'sticky-cookie' },
    "info The router's cookie named one instance of the API for all 3,953 requests. It is not known whether it is the only one, or one of several that got all traffic.",
  ],
  [
    'a busy worker and an idle one',
    { workers: [3800, 153] },
    'warn One of 2 workers got 3,800 of 3,953 requests, the least got 153.',
  ],
  ['the same, and nobody is busy', { workers: [3800, 153], cores: [0.3, 0.02] }, null],
  [
    'by CPU time',
    { workers: [9000, 800], basis: 'process-cpu' },
    'warn One of 2 workers got 91.8 % of the CPU time, the least got 8.2 %.',
  ],
  ['workers that race', { workers: [1300, 900, 1100, 700] }, null],
];

for (const [what, facts, says] of TABLE) {
  test(`${what}: ${says ?? 'silent'}`, () => {
    const [finding, ...others] = find(facts);
    assert.equal(finding ? `${finding.severity} ${wordsOf(finding).title}` : null, says);
    assert.deepEqual(others, []);
  });
}

test('what to set where one pod is all that is ever seen', () => {
  const [finding] = find({ backends: [3953], basis: 'sticky-cookie' });
  assert.match(finding ? (wordsOf(finding).advice ?? '') : '', /BACKENDS.*STICKY_COOKIE/);
});

test('reports nothing if the balance is unknown', () => {
  const facts = { run: makeRunInfo(), load: makeLoad(), profile: null };
  assert.deepEqual(findImbalance({ ...facts, balance: null }), []);
  assert.deepEqual(findImbalance(facts), []);
});
