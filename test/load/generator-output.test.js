import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { importArtillery } from '../../lib/analysis/load/import-artillery.js';
import { serve } from '../helpers/listen.js';
import { test } from '../helpers/quiet.js';
import { makeFolder, startTestLoad } from './helpers.js';

const SCRIPT = `
config:
  target: "{{ $env.TARGET }}"
  phases: [{ duration: 2, arrivalCount: 10 }]
scenarios:
  - name: a name
    flow:
      - get: { url: "/items/7?x=1" }
      - get: { url: /missing, name: named }
`;

/** @param {string} folder @param {string} target @param {'loadflame' | 'artillery'} engine */
async function writeOutput(folder, target, engine) {
  const output = path.join(folder, `${engine}.json`);
  const { running } = await startTestLoad(path.join(folder, engine), {
    script: SCRIPT,
    settings: { TARGET: target },
    options: { engine, output },
    workers: 1,
  });
  const end = await running.ended;
  assert.equal(end.exitCode, 0, end.logTail);
  return JSON.parse(readFileSync(output, 'utf8'));
}

test('the file of --output is the one that Artillery writes, whichever engine ran', async t => {
  const target = await serve(t, (request, response) => {
    if (request.url === '/missing') response.statusCode = 404;
    response.setHeader('content-length', 2);
    response.end('ok');
  });
  const folder = makeFolder(t);
  const ours = await writeOutput(folder, target, 'loadflame');
  const theirs = await writeOutput(folder, target, 'artillery');
  assert.deepEqual(ours.aggregate.counters, theirs.aggregate.counters);
  assert.deepEqual(
    Object.keys(ours.aggregate.summaries).sort(),
    // Artillery's are there because loadflame asks for them.
    Object.keys(theirs.aggregate.summaries)
      .filter(name => !['http.dns', 'http.tcp', 'http.tls', 'http.total'].includes(name))
      .sort(),
  );
  assert.deepEqual(Object.keys(ours.aggregate.rates), Object.keys(theirs.aggregate.rates));
  for (const key of Object.keys(theirs.aggregate)) {
    assert.equal(typeof ours.aggregate[key], typeof theirs.aggregate[key], key);
  }
  assert.deepEqual(
    [ours, theirs].map(file => importArtillery(file).engine),
    ['loadflame', 'artillery'],
  );
  const summary = ours.aggregate.summaries['http.response_time'];
  const expected = Object.keys(theirs.aggregate.summaries['http.response_time']);
  assert.deepEqual(Object.keys(summary), expected);
  assert.equal(summary.count, 20);
  assert.deepEqual(ours.aggregate.histograms, ours.aggregate.summaries);
  const { firstMetricAt, lastMetricAt, rates } = ours.aggregate;
  const activeMs = Math.max(1000, lastMetricAt - firstMetricAt);
  const rate = Number(rates['http.request_rate']);
  assert.ok(Math.abs(rate - 20_000 / activeMs) <= 3, `${rate} for 20 in ${activeMs} ms`);

  const [first] = ours.intermediate;
  assert.equal(typeof first.period, 'string');
  const requests = ours.intermediate.map((/** @type {any} */ { counters }) =>
    Number(counters['http.requests'] ?? 0),
  );
  assert.equal(
    requests.reduce((/** @type {number} */ a, /** @type {number} */ b) => a + b),
    20,
  );
});

test('a load that is stopped writes the file of --output, too', async t => {
  let answers = 0;
  const target = await serve(t, (_, response) => {
    answers += 1;
    response.end('ok');
  });
  const folder = makeFolder(t);
  const { running } = await startTestLoad(folder, {
    script: SCRIPT.replace('duration: 2, arrivalCount: 10', 'duration: 60, arrivalRate: 20'),
    settings: { TARGET: target },
    options: { output: path.join(folder, 'out.json') },
  });
  while (answers < 20) await sleep(20);
  const end = await running.stop();
  assert.equal(end.reason, 'interrupted');
  const { aggregate } = JSON.parse(readFileSync(path.join(folder, 'out.json'), 'utf8'));
  assert.ok(aggregate.counters['http.responses'] >= 20);
  assert.equal(end.counters['http.responses'], aggregate.counters['http.responses']);
});

test('reports a missing folder of --output before the load', async t => {
  const start = startTestLoad(makeFolder(t), {
    script: SCRIPT,
    settings: { TARGET: 'http://127.0.0.1:1' },
    options: { output: '/does/not/exist.json' },
  });
  await assert.rejects(start, /path does not exist: \/does\/not\/exist\.json/);
});
