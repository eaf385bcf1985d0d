/** What is said of CPU time that no endpoint has. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyseRun } from '../../lib/analysis/analyse-run.js';
import { formatCount } from '../../lib/base/format.js';
import { explainTying, sayLeft } from '../../lib/text/endpoint-costs.js';
import { wordReport } from '../../lib/text/index.js';
import { analyseEnded } from '../helpers/analyse-ended-threads.js';
import { printRun } from '../helpers/print-documents.js';
import { makeRun, writeRun } from '../helpers/synthetic-run/index.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

/** @param {'view' | 'companion'} basis @param {number} share @param {number} [later] */
const left = (basis, share, later = 0) =>
  sayLeft(/** @type {any} */ ({ basis, tying: { later }, unattributed: { samples: 9, share } }));

test('much CPU that no measured request has is a doubt about what requests cost', () => {
  assert.match(
    left('companion', 0.86),
    /^ 86\.0 % of the CPU is in no row: requests without a response\. Others may cost more/,
  );
  assert.equal(left('companion', 0.1), '');
});

test('responses that are rendered after their view are the reason that a view has no cost', () => {
  assert.match(left('view', 0.633, 1), /^ 63\.3 % of the CPU is in no row: responses are rendered/);
  assert.doesNotMatch(left('view', 0.633), /rendered/);
});

test('rows of views say that native threads are not in them', () => {
  const costs = {
    basis: /** @type {const} */ ('view'),
    tying: {
      measured: 0,
      inside: 0.5,
      shared: 0,
      views: { bySource: 0, untied: 1 },
      hasLoad: true,
    },
    endpoints: [],
    unattributed: null,
  };
  const row = { label: '', color: '', samples: 9, cpuMsPerRequest: null };
  const native = { ...row, id: 'native', share: { value: 0.45, low: 0.4, high: 0.5 } };
  const endpoints = /** @type {any[]} */ ([{ samples: 9, serverMsPerRequest: null }]);
  assert.match(
    explainTying({ ...costs, endpoints }, { categories: [native] }),
    /native threads that they start\. These took 45\.0 % of the CPU/,
  );
  assert.doesNotMatch(explainTying({ ...costs, endpoints }, { categories: [] }), /native/);
});

/** @param {import('node:test').TestContext} t @param {ReturnType<typeof makeRun>} run */
const analyse = async (t, run) => (await analyseRun(writeRun(makeTempFolder(t), run))).report;

test('what ties samples to endpoints is explained, and what could have', async t => {
  const endpoints = [{ name: 'GET /a/', ratePerSec: 40, cpuMs: { server: 2, business: 2 } }];
  const run = makeRun({ seed: 7, durationSec: 10, companion: true, endpoints });
  const { costs } = await analyse(t, { ...run, metrics: [] });
  assert.ok(costs);
  const percent = (costs.tying.inside * 100).toFixed(1);
  assert.match(explainTying(costs, null), new RegExp(`; ${percent} % of the samples are inside a`));
  const timed = costs.endpoints.map(row => ({ ...row, serverMsPerRequest: 1 }));
  const tying = { ...costs.tying, hasLoad: true };
  const text = explainTying({ ...costs, tying, endpoints: timed }, null);
  assert.match(text, /Not all responses reported their CPU time/, 'the companion responded');
  assert.match(explainTying({ ...costs, tying }, null), /No response reported its cost/);
});

test("the server's CPU around requests is named, with a profile and without", async t => {
  const endpoints = [{ name: 'GET /a/', ratePerSec: 40, cpuMs: { server: 2, business: 2 } }];
  for (const profile of [true, false]) {
    const run = makeRun({ seed: 7, durationSec: 10, companion: true, endpoints, profile });
    run.processes = run.processes.filter(({ role }) => profile || role !== 'worker');
    for (const record of run.metrics)
      for (const { server } of Object.values(record.endpoints ?? {}))
        server.aroundMs = server.count;
    const text = printRun(wordReport(await analyse(t, run))).replace(/\s+/g, ' ');
    assert.match(text, /what the server (?:spends around the application|does around the app)/);
    assert.equal(/of this CPU/.test(text), !profile);
  }
});

test('the cost of a request is a lower limit where it is not known whose threads of C code were', async t => {
  const { report, profile } = await analyseEnded(t, false);
  const { active, native = 0 } = profile.samples;
  const text = printRun(wordReport(report));
  assert.match(text, new RegExp(`^ +${formatCount(active - native)} active samples`, 'm'));
  assert.match(text, /GET \/dear\/ .* at least \d+(?:\.\d)? ms/);
  assert.match(text, /threads of C code used [\d.]+ %, and which requests/);
  assert.doesNotMatch(text, /background threads, imports/);
});
