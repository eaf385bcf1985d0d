import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findModel, readPlan } from '../../lib/analysis/load/load-report.js';
import { describePhase } from '../../lib/text/words.js';

/** @type {[Record<string, any>, 'open' | 'closed' | 'none', string][]} */
const TABLE = [
  [{ duration: 30, arrivalRate: 3 }, 'open', '30 s, open arrivals, 3 users/s'],
  [{ duration: 30, arrivalRate: 1 }, 'open', '30 s, open arrivals, 1 user/s'],
  [
    { duration: 30, arrivalRate: 3, rampTo: 10, maxVusers: 20 },
    'open',
    '30 s, open arrivals, 3 → 10 users/s, at most 20 at once',
  ],
  [{ duration: 30, rampTo: 10 }, 'open', '30 s, open arrivals, 0 → 10 users/s'],
  [{ duration: 30, arrivalCount: 7 }, 'open', '30 s, open arrivals, 7 users'],
  [{ pause: 5 }, 'none', '5 s, no arrivals'],
  [{ duration: 60, users: 50 }, 'closed', '60 s, closed loop, 50 users'],
  [{ duration: 60, users: 1 }, 'closed', '60 s, closed loop, 1 user'],
  [{ duration: 60, users: 50, rampTo: 100 }, 'closed', '60 s, closed loop, 50 → 100 users'],
];
for (const [spec, model, words] of TABLE) {
  test(`${JSON.stringify(spec)}: ${words}`, () => {
    assert.equal(findModel(spec), model);
    assert.equal(describePhase({ plan: readPlan(spec), model: findModel(spec) }), words);
  });
}
