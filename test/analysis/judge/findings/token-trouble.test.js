import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findTokenTrouble } from '../../../../lib/analysis/judge/findings/errors.js';
import { wordsOf } from '../../../helpers/words.js';
import { makeLoad, makeRunInfo } from '../../facts.js';

test('401 without a login names what to set, and claims neither tokens nor OIDC', () => {
  const load = makeLoad();
  const codes = [
    { code: '200', count: 93 },
    { code: '401', count: 7 },
  ];
  Object.assign(load, { tokens: null, window: { startMs: 0, endMs: 9 } });
  Object.assign(load.http, { codes, responses: 100 });
  const [found] = findTokenTrouble({ run: makeRunInfo(), load, profile: null });
  const { title, advice } = wordsOf(found);
  assert.equal(
    title,
    'The target refused 7 of 100 requests with 401, and loadflame did not log in.',
  );
  assert.match(advice ?? '', /^If the target takes OIDC tokens, set OIDC_ISSUER.* in envs\.sh/);
  assert.match(advice ?? '', /an API key, .* the script has to send it/);
});

/** @type {[reason: string, advice: RegExp][]} */
const FAILED_REFRESHES = [
  ['connect ECONNREFUSED 127.0.0.1:4400', /could not be reached/],
  ['invalid_grant: Session not active', /idle timeout/],
];
for (const [reason, expected] of FAILED_REFRESHES)
  test(`a refresh that failed with "${reason}" says so before anything is guessed`, () => {
    const tokens = { obtained: 1, refreshed: 0, failed: 1, lifetimeSec: 5, reason, flippedAtMs: 4 };
    const load = { ...makeLoad(), tokens, window: { startMs: 0, endMs: 9 } };
    Object.assign(load.http, { codes: [{ code: '401', count: 7 }], responses: 100 });
    const [found] = findTokenTrouble({ run: makeRunInfo(), load, profile: null });
    const { title, advice } = wordsOf(found);
    assert.ok(title.endsWith(`1 refresh failed: ${reason}.`), title);
    assert.match(advice ?? '', expected);
  });
