import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { readInThread } from '../../../lib/analysis/stacks/read-in-thread.js';
import { readRawSegments } from '../../../lib/analysis/stacks/read-raw.js';
import { makeRun, writeRun } from '../../helpers/synthetic-run/index.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

test('reading a profile in its own thread gives the same, including the companion’s routes', async t => {
  const folder = writeRun(makeTempFolder(t), makeRun({ durationSec: 20, companion: true }));
  const parts = [1, 2, 3, 4].map(n => ({
    file: path.join(folder, `profile/segment-0000${n}.raw`),
    startMs: n * 5000,
    endMs: n * 5000 + 5000,
  }));
  const [here, aside] = await Promise.all([
    readRawSegments(parts, { rateHz: 50 }),
    readInThread('raw', parts, { rateHz: 50 }),
  ]);
  assert.ok(here.totalWeight > 0 && here.routes.length > 0);
  assert.deepEqual(aside, here);
});

test('reports an unreadable file instead of waiting for it', async t => {
  const file = path.join(makeTempFolder(t), 'none.raw');
  await assert.rejects(readInThread('raw', [{ file, startMs: 0, endMs: 1 }]), { code: 'ENOENT' });
});
