import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOTHING_BESIDES } from '../../lib/analysis/judge/quality/index.js';
import { judgeProfile } from '../../lib/analysis/judge/quality/profile.js';
import { countInFlight } from '../../lib/analysis/load/littles-law.js';
import { describeFailed } from '../../lib/text/failures.js';
import { describeQuality } from '../../lib/text/quality.js';
import { makeRecorded, makeWaits } from '../analysis/facts.js';

test('names the share that is above ALLOWED_FAILURES', () => {
  const users = { failed: 2, ended: 25 };
  const failures = { failed: 3, tried: 1000, share: 0.003, unknown: 0, users, allowed: 0.01 };
  const text = describeFailed(/** @type {any} */ ({ ...failures, isTooMany: true }));
  assert.match(text, /; 8\.0 % of users, above ALLOWED_FAILURES$/);
  const many = describeFailed(/** @type {any} */ ({ ...failures, share: 0.03, isTooMany: true }));
  assert.match(many, /users; above the 1\.0 % of ALLOWED_FAILURES$/);
});

test('the companion is recommended only where it is missing', () => {
  const { profile } = makeRecorded({ waits: { ...makeWaits({ cpu: 1 }), suspended: null } });
  const say = (/** @type {boolean} */ hasCompanion) => {
    const costs = /** @type {any} */ ({ basis: hasCompanion ? 'companion' : 'stacks' });
    const item = judgeProfile(profile, { costs }, NOTHING_BESIDES).find(
      ({ id }) => id === 'awaits-unknown',
    );
    return item ? describeQuality(item) : '';
  };
  assert.match(say(false), /With the companion/);
  assert.match(say(true), /^What requests await is not known/);
  assert.doesNotMatch(say(true), /companion/);
});

test('requests in progress are N = X·R of the client', () => {
  const seconds = [10, 20, 30].map(inFlight => ({ inFlight }));
  assert.equal(countInFlight(/** @type {any} */ (seconds)), 20);
});
