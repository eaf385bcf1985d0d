/** Profiles of a size that a long run of a large application has. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { loadRules } from '../../../lib/analysis/hotpath/load-rules.js';
import { analyseProfile } from '../../../lib/analysis/profile/analyse-profile.js';
import { ProfileBuilder } from '../../../lib/analysis/stacks/profile-builder.js';
import { readProfile } from '../../../lib/analysis/stacks/read-profile.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

const rules = await loadRules();
const REQUEST = [
  'SyncWorker.handle_request (gunicorn/workers/sync.py:190)',
  'Flask.wsgi_app (flask/app.py:1511)',
];

test('a hundred thousand different stacks are read in a few seconds', async t => {
  const file = path.join(makeTempFolder(t), 'big.raw');
  const lines = Array.from({ length: 100_000 }, (_, index) => {
    const frames = Array.from(
      { length: 30 },
      (_, depth) => `f${(index * (depth + 1)) % 3001} (p/m${depth}.py:${depth})`,
    );
    return `process 1:"x";thread (1): MainThread;${frames.join(';')};leaf${index} (a.py:1) 20`;
  });
  writeFileSync(file, `${lines.join('\n')}\n`);
  const before = process.cpuUsage();
  const profile = await readProfile(file);
  assert.equal(profile.totalWeight, 2_000_000);
  const { user, system } = process.cpuUsage(before);
  const cpuMs = (user + system) / 1000;
  assert.ok(cpuMs < 15_000, `${cpuMs} ms`);
});

test('two million samples of a hundred thousand stacks are analysed in seconds', () => {
  const builder = new ProfileBuilder();
  for (let index = 0; index < 100_000; index++) {
    const middle = Array.from(
      { length: 25 },
      (_, depth) => `f${(index * (depth + 1)) % 3001} (p/m${depth}.py:${depth})`,
    );
    builder.addTextStack([...REQUEST, ...middle, `leaf${index % 5000} (shop/a.py:1)`], 20);
  }
  const profile = builder.build({ source: 'raw' });
  const before = process.cpuUsage();
  const { table, samples } = analyseProfile({ profile, rules });
  // CPU time, for the machine may be shared.
  const { user, system } = process.cpuUsage(before);
  const cpuMs = (user + system) / 1000;
  assert.ok(cpuMs < 15_000, `${cpuMs} ms`);
  assert.equal(samples.active, 2_000_000);
  assert.ok(table.nodeCount < 1_000_000, `${table.nodeCount} nodes`);
  assert.equal(table.totalSamples, 2_000_000);
});
