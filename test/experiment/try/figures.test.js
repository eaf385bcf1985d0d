import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { analyseRun } from '../../../lib/analysis/analyse-run.js';
import { looksOf } from '../../../lib/experiment/strategies/pairs.js';
import { readPair, readSideRun } from '../../../lib/experiment/try/figures.js';
import { makeRun, writeRun } from '../../helpers/synthetic-run/index.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

test('two pairs can decide exactly where a run shows how much it varies within', async t => {
  const root = makeTempFolder(t);
  for (const durationSec of [5, 6, 7, 8, 9, 10, 11, 20]) {
    const folder = path.join(root, `${durationSec}`);
    writeRun(folder, makeRun({ id: 'run', durationSec, seed: 3, startMs: 1795211098000 }));
    const run = await readSideRun(folder, (await analyseRun(folder)).report);
    for (const measure of /** @type {const} */ (['throughputPerSec', 'cpuMsPerRequest'])) {
      const { error } = readPair({ a: run, b: run }, measure);
      assert.equal(looksOf(durationSec)[0]?.pairs === 2, error !== null, `${durationSec} ${error}`);
    }
  }
});
