import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeCollections } from '../../lib/text/words.js';

test('collections of each request are counted per request, rare ones are not', () => {
  const own = { cpuMs: 2400, longestMs: 26 };
  assert.equal(
    describeCollections({ ...own, count: 12_000, requests: 1200 }),
    '12,000 collections, 10 per request, 2,400 ms of CPU, the longest 26 ms',
  );
  const rare = '120 collections, 2,400 ms of CPU, the longest 26 ms';
  assert.equal(describeCollections({ ...own, count: 120, requests: 1200 }), rare);
  assert.equal(describeCollections({ ...own, count: 120 }), rare);
});
