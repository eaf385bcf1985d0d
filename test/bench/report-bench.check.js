import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { runFiles } from '../../lib/run/run-folder.js';
import {
  buildReport,
  makeRun,
  measureFiles,
  readCounts,
} from '../../research/bench/report/build.js';
import { LIMITS } from '../../research/bench/report/checks.js';
import { measurePage } from '../../research/bench/report/page.js';
import { HOUR } from '../../research/bench/report/sizes.js';
import { needs } from '../helpers/needs.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

test('makes, builds and reads a run of a size in a browser, with all figures', {
  skip: needs('chromium'),
}, async t => {
  const folder = path.join(makeTempFolder(t), 'run');
  const size = { ...HOUR, minutes: 1, endpoints: 5, workers: 2, samples: 6000, stacks: 300 };
  await makeRun(folder, size);
  const { wallMs, cpuMs, peakBytes } = await buildReport(folder);
  assert.ok(wallMs > 100 && cpuMs > 100, `${wallMs} ms, CPU ${cpuMs} ms`);
  assert.ok(peakBytes > 30e6 && peakBytes < LIMITS.peakBytes, `${peakBytes} bytes`);
  const counts = readCounts(folder);
  assert.ok(Math.abs(counts.samples / 6000 - 1) < 0.1, `${counts.samples} samples`);
  // What endpoints have in common is counted with each of them.
  assert.ok(counts.stacks >= 250 && counts.stacks < 700, `${counts.stacks} stacks`);
  assert.ok(Math.abs(counts.requests / 6000 - 1) < 0.1, `${counts.requests} requests`);
  const files = measureFiles(folder);
  assert.ok(files.html > files.json && files.raw > 0 && files.speedscope > 0);
  const page = await measurePage(runFiles(folder).reportHtml, { openings: 1, selections: 3 });
  assert.ok(page.firstPaintMs > 0 && page.firstPaintMs <= page.readyMs);
  assert.equal(page.selection.count, 3);
  assert.ok(page.selection.p50Ms > 0);
});
