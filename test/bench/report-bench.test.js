import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  checkGrowth,
  checkHour,
  checkPage,
  describeCheck,
  isKept,
} from '../../research/bench/report/checks.js';
import { parseOptions } from '../../research/bench/report/options.js';

test('reports a missed limit', () => {
  const checks = [
    ...checkHour({ wallMs: 7000, peakBytes: 400e6 }, 9e6),
    ...checkPage({
      firstPaintMs: 500,
      readyMs: 900,
      selection: { p50Ms: 50, p95Ms: 250, maxMs: 300, count: 40 },
    }),
  ];
  assert.deepEqual(
    checks.filter(check => !isKept(check)).map(({ name }) => name),
    ['build time', 'report.html', 'selection, p95'],
  );
  assert.match(describeCheck(checks[0] ?? assert.fail()), /^BAD .*7000 ms, to be at most 6000 ms$/);
});

test('cost may grow in proportion, and not with requests', () => {
  const sizes = [
    { changed: '', times: 1, cpuMs: 1000 },
    { changed: 'stacks', times: 4, cpuMs: 4500 },
    { changed: 'windows', times: 4, cpuMs: 5500 },
    { changed: 'requests', times: 10, cpuMs: 1600 },
  ];
  const kept = checkGrowth(sizes).map(isKept);
  assert.deepEqual(kept, [true, false, false]);
});

test('reads flags, and refuses an unknown part', () => {
  assert.deepEqual(parseOptions(['--only', 'hour', '--rounds', '2']), {
    parts: ['hour'],
    rounds: 2,
    keep: null,
    help: false,
  });
  assert.throws(() => parseOptions(['--only', 'day']), /no day; there are hour, growth, demo/);
});
