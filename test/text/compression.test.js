import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCauses } from '../../lib/analysis/judge/findings/code.js';
import { describeFinding } from '../../lib/text/findings.js';

/** @param {number} count @param {Record<string, number>} [means] per response */
const endpoint = (count, means) => ({ codes: [{ code: '200', count }], means });

/** @param {ReturnType<typeof endpoint>[]} endpoints @param {string} [id] of the cause */
function describe(endpoints, id = 'compression') {
  const cause = {
    ...{ id, title: 'compression', category: 'business', partOf: null, severity: 'warn' },
    ...{ share: { value: 0.4, low: 0.3, high: 0.5 }, cpuMsPerRequest: null },
    ...{ places: [], evidence: [], explanation: 'It takes CPU.', advice: 'Less of it.' },
  };
  const report = /** @type {any} */ ({ profile: { causes: [cause] }, load: { endpoints } });
  const [found] = findCauses(report);
  assert.ok(found);
  const { detail, advice } = describeFinding(found);
  return { detail, advice };
}

test('compression says how much smaller bodies of gzip were, and whether by the highest level', () => {
  const half = { gzips: 0.5, bestGzips: 0.5, gzipBytes: 1000, unpackedBytes: 4000 };
  const all = { gzips: 1, bestGzips: 0, gzipBytes: 2000, unpackedBytes: 8000 };
  assert.equal(
    describe([
      endpoint(60, half),
      endpoint(30, all),
      endpoint(500, { responseBytes: 9 }),
      endpoint(7),
    ]).detail,
    'It takes CPU. 60 responses came as gzip, 50.0 % of them at level 9: in the mean, 8.0 kB became 2.0 kB.',
  );
  const low = describe([endpoint(30, all)]);
  assert.match(`${low.detail}`, /gzip, none at level 9:/);
  assert.equal(describe([endpoint(9, { responseBytes: 9 })]).detail, 'It takes CPU.');
  assert.equal(describe([endpoint(60, half)], 'deep-copy').detail, 'It takes CPU.');
});

test('no lower level is advised where no response has the highest one', () => {
  const low = { gzips: 1, bestGzips: 0, gzipBytes: 2000, unpackedBytes: 8000 };
  const { advice } = describe([endpoint(30, low)]);
  assert.match(`${advice}`, /^Compress once what does not change, or let the proxy/);
  const best = { ...low, bestGzips: 0.1 };
  for (const endpoints of [[endpoint(30, best)], [endpoint(30)]])
    assert.equal(describe(endpoints).advice, 'Less of it.');
});
