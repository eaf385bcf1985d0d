/** What a study says of the capacity that was asked for. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { say } from '../../lib/text/say.js';
import { STUDY_HEADLINES } from '../../lib/text/study-verdict.js';

const ASKED = { ratePerSec: 300, p95Ms: 200, errors: 0.01, headroom: 0.3 };
const MEASURED = {
  throughputLabel: 'requests/s',
  variant: '8 workers',
  bottleneck: { id: 'workers', component: null },
  isShared: false,
  usablePerSec: 560,
};

/** @param {string} id @param {object} facts */
const sayAnswer = (id, facts) =>
  say(STUDY_HEADLINES, /** @type {any} */ ({ id, facts: { ...ASKED, ...MEASURED, ...facts } }));

/** @param {object} facts */
const variant = facts => ({
  variant: 'workers=4',
  capacityPerSec: null,
  usablePerSec: null,
  enough: null,
  needed: null,
  step: null,
  broken: null,
  ...facts,
});
const most = variant({ capacityPerSec: { value: 400 }, usablePerSec: 280, basis: 'measured' });
const below = variant({ basis: 'none', broken: { step: 1, p95Ms: 15, errorRate: 0 } });
const limited = variant({ basis: 'generator-limited' });

test('each answer is one sentence, which names a variant only if something was varied', () => {
  assert.equal(
    sayAnswer('capacity-enough', {}),
    'Enough for 300 requests/s at p95 < 200 ms and at most 1 % errors: 8 workers (560 requests/s usable with 30 % headroom); the bottleneck is the CPU of its workers.',
  );
  /** @type {[string, object, RegExp][]} */
  const cases = [
    ['capacity-enough', { variant: null }, /: what was measured \(560 requests\/s usable/],
    ['capacity-not-enough', { needed: 4 }, /it takes 4 machines like this one with 8 workers/],
    ['capacity-not-enough', { needed: 3, isAtMost: true }, /at most 3 machines/],
    [
      'capacity-not-enough',
      { needed: 2, variant: null },
      /2 machines like this one that share nothing \(each 560/,
    ],
    [
      'capacity-most',
      { ratePerSec: null, capacity: most },
      /^The most at p95 < 200 ms .*: 8 workers, up to 400 requests\/s/,
    ],
    [
      'capacity-most',
      { ratePerSec: null, variant: null, capacity: most },
      /errors: up to 400 requests\/s/,
    ],
    [
      'capacity-unknown',
      { variants: [limited] },
      /no capacity is given: the load generator was the bottleneck/,
    ],
    [
      'capacity-unknown',
      { p95Ms: 5, variants: [below] },
      /not even step 1 is within the objective \(p95 15 ms/,
    ],
  ];
  for (const [id, facts, said] of cases) assert.match(sayAnswer(id, facts), said);
});
