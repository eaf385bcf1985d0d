import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findRepeatedCalls } from '../../../../lib/analysis/judge/findings/calls.js';
import { buildCalls, buildStatement } from '../../../fixtures/reports/build-calls.js';
import { wordsOf } from '../../../helpers/words.js';
import { makeRecorded } from '../../facts.js';
import { factsOf } from './find-calls.js';

/** @param {any[]} paths of the bottleneck */
function gainOf(paths) {
  const call = buildStatement({
    ...{ kind: 'connect', system: null, text: 'connect 10.0.0.5:4791', meanMs: 0, most: 1 },
    uses: [{ name: 'GET /orders', perRequest: 1, requests: 500 }],
  });
  const { function: name, file } = call;
  const known = paths.map(path => ({ function: name, file, ...path }));
  const facts = factsOf(buildCalls([call]), {
    bottleneck: { id: 'slots', facts: {}, paths: known },
  });
  return wordsOf(findRepeatedCalls(facts)[0]).gain ?? '';
}

test('a connection made per request is found with the wait of the function that makes it', () => {
  const path = { kind: 'external-call', ms: 30, as: 'connect' };
  const without = { value: 6.5, low: 3.8, high: 11 };
  assert.match(
    gainOf([{ ...path, without }]),
    /^A connection that stays open would save up to 30 ms of the .* per request\. The same users would get about 650\.0 % more requests per second \(380\.0 % to 1100\.0 %\)\.$/,
  );
  assert.match(
    gainOf([{ ...path, ms: 81, without }]),
    /save up to (?<ms>[\d.]+ ms) of the \k<ms> in the server/,
    'samples may show more than the time of the request',
  );
  assert.match(gainOf([{ ...path, without: null }]), /^A connection that stays open .* request\.$/);
  for (const other of [{ as: null }, { function: 'elsewhere' }])
    assert.match(gainOf([{ ...path, without, ...other }]), /^Its time is part of the call/);
});

test('a connection that SQLite opens per request is a remark, as it is a file', () => {
  const severityOf = (/** @type {string | null} */ system) => {
    const call = buildStatement({
      ...{ kind: 'connect', system, text: `connect ${system}`, meanMs: 0, most: 1 },
      uses: [{ name: 'GET /orders', perRequest: 1, requests: 500 }],
    });
    return findRepeatedCalls(factsOf(buildCalls([call])))[0]?.severity;
  };
  assert.deepEqual(['sqlite', 'postgresql'].map(severityOf), ['info', 'warn']);
});

test('what a connection that stays open brings is not predicted where its time is not known', () => {
  const call = buildStatement({
    ...{ kind: 'connect', system: 'postgresql', text: 'connect postgresql', meanMs: 0, most: 3 },
    uses: [{ name: 'GET /orders', perRequest: 3, requests: 500 }],
  });
  const { cpu, profile } = makeRecorded({ cores: [1], cpuMs: 10 });
  const samples = { ...profile.samples, unseenShare: 0, skew: 1 };
  const own = { loadEndpoint: 'GET /orders', samples: 400, shareOfCpu: { value: 1 }, views: [] };
  const costs = { endpoints: [{ ...own, byCategory: [{ category: 'database', share: 0.8 }] }] };
  const facts = factsOf(buildCalls([call]), {
    ...{ bottleneck: { id: 'workers', facts: {}, paths: [] }, cpu, timeline: null, costs },
    profile: { ...profile, samples },
  });
  const [finding] = findRepeatedCalls(facts);
  assert.equal(finding?.id === 'repeated-call' && finding.facts.gain, null);
});
