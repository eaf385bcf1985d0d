import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  findErrorBursts,
  findRequestErrors,
  findTokenTrouble,
} from '../../../../lib/analysis/judge/findings/errors.js';
import { findLead, rankFindings } from '../../../../lib/analysis/judge/verdict/trust.js';
import { sumUpFailures } from '../../../../lib/analysis/load/failures.js';
import { wordsOf } from '../../../helpers/words.js';
import { makeLoad, makeRunInfo } from '../../facts.js';

/** @param {Record<string, number>} codes of 10,000 responses */
function factsOf(codes) {
  const load = makeLoad();
  load.http = {
    requests: 10_000,
    responses: 10_000,
    errorRate: 0,
    codes: Object.entries(codes).map(([code, count]) => ({ code, count })),
  };
  load.failures = sumUpFailures(load);
  return { run: makeRunInfo(), load: { ...load, tokens: null, window: {} }, profile: null };
}

/** @type {[what: string, codes: Record<string, number>, severity: string, lead: string][]} */
const REFUSED = [
  ['one 401 beside many 403s', { 401: 1, 403: 1000 }, 'warn', 'request-errors'],
  ['many 401s beside some 403s', { 401: 1000, 403: 20 }, 'bad', 'token-trouble'],
];
for (const [what, codes, severity, lead] of REFUSED)
  test(`${what}: the headline is of ${lead}`, () => {
    const facts = factsOf(codes);
    const [trouble] = findTokenTrouble(facts);
    assert.equal(trouble?.severity, severity);
    const findings = rankFindings([...findTokenTrouble(facts), ...findRequestErrors(facts)]);
    assert.equal(findLead(findings).lead?.id, lead);
  });

test('quotes a refused body', () => {
  const load = makeLoad();
  load.http = { requests: 100, responses: 100, errorRate: 0.3 };
  load.endpoints = [{ name: 'POST /slots', codes: [{ code: '400', count: 30 }] }];
  const sample = { endpoint: 'POST /slots', code: '400', headers: {} };
  const body = '{"code":"SLOT_TAKEN","message":"09:15 is taken"}';
  load.errorSamples = [{ ...sample, body, requestBody: '{"start":"09:15"}' }];
  load.failures = sumUpFailures(load);
  const { evidence } = wordsOf(findRequestErrors({ run: makeRunInfo(), load, profile: null })[0]);
  assert.deepEqual(evidence, [
    { label: 'POST /slots 400 SLOT_TAKEN: 09:15 is taken', value: '30 ×' },
    { label: 'a body that POST /slots refused', value: '{"start":"09:15"}' },
  ]);
});

/** @type {[what: string, emits: number, severity: string][]} */
const BURSTS = [
  ['few of many messages', 10_000, 'warn'],
  ['many of few messages', 10, 'bad'],
];
for (const [what, emits, severity] of BURSTS)
  test(`errors that came together, ${what}: ${severity}`, () => {
    const errorBursts = [{ code: 'ack timeout', errors: 60, isSteady: false, startMs: 0 }];
    const load = { ...makeLoad({ emits }), errorBursts, window: { startMs: 0 } };
    const [finding] = findErrorBursts({ run: makeRunInfo(), load, profile: null });
    assert.equal(finding?.severity, severity);
  });
