import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureSamplingCoverage } from '../../../lib/analysis/profile/profile-report.js';

const segment = (/** @type {number} */ startMs, lateMs = 0) => ({
  ...{ kind: /** @type {const} */ ('segment'), t: 0, file: 'segment-00001.raw' },
  startMs,
  endMs: startMs + 5000,
  lateMs,
});

test('a profiler that keeps up has sampled as often as configured', () => {
  assert.equal(
    measureSamplingCoverage([segment(0), segment(5000)], [7], () => 1000),
    1,
  );
  assert.equal(
    measureSamplingCoverage([], [7], () => 1000),
    1,
  );
});

test('its delay at the end of a segment counts as unsampled, weighted by CPU time', () => {
  const cpuOf = (/** @type {number} */ _pid, /** @type {number} */ startMs) =>
    startMs === 0 ? 1000 : 3000;
  const share = measureSamplingCoverage([segment(0), segment(5000, 4000)], [7], cpuOf);
  assert.ok(Math.abs(share - (1000 + 3000 * 0.2) / 4000) < 1e-9, `${share}`);
});

test('one that was always late still sampled sometimes', () => {
  assert.equal(
    measureSamplingCoverage([segment(0, 9000)], [7], () => 1000),
    0.02,
  );
});
