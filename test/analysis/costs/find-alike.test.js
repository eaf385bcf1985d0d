import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { analyseRun } from '../../../lib/analysis/analyse-run.js';
import { runFiles } from '../../../lib/run/run-folder.js';
import { wordReport } from '../../../lib/text/index.js';
import { makeRun, writeRun } from '../../helpers/synthetic-run/index.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

const FILE = 'queue_management/resources/orders.py';
/** @type {import('../../helpers/synthetic-run/synthetic-run.d.ts').SyntheticRun} */
let run;
before(() => {
  run = makeRun({
    durationSec: 20,
    endpoints: [
      { name: 'GET /orders', view: 'get', file: FILE, ratePerSec: 30, cpuMs: { business: 8 } },
      { name: 'GET /items', view: 'get', file: FILE, ratePerSec: 10, cpuMs: { business: 4 } },
      {
        name: 'POST /orders',
        view: 'place_order',
        file: FILE,
        ratePerSec: 10,
        cpuMs: { business: 6 },
      },
    ],
  });
});

/** @param {import('node:test').TestContext} t @param {string} python @param {Record<string, any>[]} [calls] @param {any} [of] */
async function explain(t, python, calls = [], of = run) {
  const segments = run.segments.map(one =>
    one.kind === 'recording-start' ? { ...one, python } : one,
  );
  const folder = writeRun(makeTempFolder(t), { ...of, segments });
  writeFileSync(runFiles(folder).calls, calls.map(one => `${JSON.stringify(one)}\n`).join(''));
  return wordReport((await analyseRun(folder)).report).costs?.text ?? '';
}

test('methods that Python calls alike may be several where nobody read the source', async t => {
  const text = await explain(t, '3.9.18');
  assert.match(text, /get \(queue_management\/resources\/orders\.py\) may be several functions/);
  assert.doesNotMatch(text, /place_order .* may be several/);
});

test('of views alone it is said, too', async t => {
  const { manifest } = run;
  const bare = { ...run, metrics: [], errors: [], manifest: { ...manifest, kind: 'profile' } };
  assert.match(await explain(t, '3.10.4', [], bare), /view functions, .* may be several functions/);
});

test('nothing is said where Python tells them apart, or the source was read', async t => {
  assert.doesNotMatch(await explain(t, '3.11.2'), /may be several/);
  const t0 = run.manifest.startedAtMs;
  const route = { function: 'place_order', file: FILE, path: '/orders', methods: ['POST'] };
  const calls = [
    { t: t0, kind: 'start' },
    { t: t0, kind: 'route', ...route },
  ];
  assert.doesNotMatch(await explain(t, '3.9.18', calls), /may be several/);
});
