import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  findErrorBursts,
  findRequestErrors,
  findTokenTrouble,
} from '../../../lib/analysis/findings/errors.js';
import { sumUpFailures } from '../../../lib/analysis/load/failures.js';
import { findLead, rankFindings } from '../../../lib/analysis/verdict/trust.js';
import { makeLoad, makeRunInfo } from '../facts.js';

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
    assert.equal(findLead(findings)?.id, lead);
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
