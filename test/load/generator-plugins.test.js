import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { waitUntil } from '../helpers/gunicorn.js';
import { serve } from '../helpers/listen.js';
import { makeFolder, readLoad, startTestLoad } from './helpers.js';

/** Two plugins of a user; one is for Artillery 1. */
const PLUGINS = {
  'artillery-plugin-first/index.js': `
module.exports = class { constructor(config, ee) { throw new Error('is not called'); } };`,
  'artillery-plugin-second/index.js': `
class Plugin {
  constructor(script, ee) {
    if (process.env.LOCAL_WORKER_ID) {
      script.scenarios.forEach(s => { s.afterScenario = ['byPlugin']; });
      script.config.processor ??= {};
      script.config.processor.byPlugin = (context, events, done) => {
        events.emit('counter', 'second.hook', 1);
        events.emit('rate', 'second.rate');
        done();
      };
      return;
    }
    ee.on('phaseStarted', phase => console.log('second phaseStarted', phase.name, phase.index));
    ee.on('phaseCompleted', phase => console.log('second phaseCompleted', phase.endTime >= phase.startTime));
    ee.on('done', stats => {
      const sketch = stats.histograms['http.response_time'];
      console.log('second done', sketch.count, sketch.getValueAtQuantile(0.5) > 0, stats.rates['second.rate'] > 0);
      throw new Error('a listener that fails');
    });
  }
  cleanup(done) { console.log('second cleanup', process.env.LOCAL_WORKER_ID ? 'worker' : 'main'); done(); }
}
module.exports = { Plugin };`,
};

/**
 * The counts that a pattern finds. There are two if the ten seconds of a period end within the load.
 * @param {string} text @param {RegExp} pattern
 */
function sumOf(text, pattern) {
  return [...text.matchAll(pattern)].reduce((sum, [, count]) => sum + Number(count), 0);
}

// They wait for their loads, three at a time.
describe('plugins of the generator', { concurrency: 3 }, () => {
  test("plugins work as under Artillery: its own, and a user's", async t => {
    const folder = makeFolder(t);
    for (const [name, text] of Object.entries(PLUGINS)) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      writeFileSync(path.join(folder, name), text);
    }
    const statsd = createSocket('udp4');
    let gauges = '';
    statsd.on('message', data => {
      gauges += data;
    });
    await new Promise(resolve => statsd.bind(0, '127.0.0.1', () => resolve(undefined)));
    t.after(() => statsd.close());
    const target = await serve(t, (_, response) => {
      response.setHeader('content-type', 'application/json');
      response.end('{"a": 1}');
    });
    const { running, files, heard } = await startTestLoad(folder, {
      script: `
config:
  target: "${target}"
  phases: [{ name: only, duration: 1, arrivalCount: 4 }]
  plugins:
    first: {}
    second: {}
    absent: {}
    apdex: { threshold: 500 }
    expect: { outputFormat: silent }
    metrics-by-endpoint: { useOnlyRequestNames: true }
    publish-metrics: [{ type: statsd, host: 127.0.0.1, port: ${statsd.address().port}, prefix: "test." }]
    ensure:
      thresholds: [{ http.response_time.p99: 5000 }]
      conditions: [{ expression: http.codes.200 < 3 }]
      maxErrorRate: 0
scenarios:
  - flow: [{ get: { url: /a, name: an a, expect: [{ statusCode: 200 }, { hasProperty: b }] } }]
`,
      settings: { ARTILLERY_PLUGIN_PATH: folder },
      workers: 1,
    });
    const { notes } = heard;
    const end = await running.ended;
    const log = readFileSync(files.generatorLog, 'utf8');
    assert.equal(end.reason, 'complete', log);

    assert.match(log, /Apdex score: 1 \(excellent\)/);
    assert.match(log, /ok: http.response_time.p99 < 5000/);
    assert.match(log, /fail: http.codes.200 < 3/);
    assert.match(log, /ok: failed users ≤ 0 %/);
    // `ensure` speaks last, as it does under Artillery: 21 of `expect` is replaced.
    assert.equal(end.exitCode, 1);
    assert.match(log, /second phaseStarted only 0/);
    assert.match(log, /second phaseCompleted true/);
    assert.match(log, /second done 4 true true/);
    assert.match(log, /second cleanup worker[\s\S]*second cleanup main/);
    assert.match(notes.join('\n'), /absent.*could not be found/);
    assert.match(notes.join('\n'), /first .*exports no class Plugin/);
    assert.match(notes.join('\n'), /a plugin failed on "done": a listener that fails/);
    const countSent = () => sumOf(gauges, /test\.http\.codes\.200:(\d+)\|/g);
    await waitUntil(() => countSent() >= 4, 'the datagrams of publish-metrics');
    assert.equal(countSent(), 4);

    const { counters } = await readLoad(files);
    assert.equal(counters['apdex.satisfied'], 4);
    assert.equal(counters['plugins.expect.ok.statusCode'], 4);
    assert.equal(counters['plugins.expect.failed.hasProperty'], 4);
    assert.equal(counters['plugins.metrics-by-endpoint.an a.codes.200'], 4);
    assert.equal(counters['second.hook'], 4);
  });

  test('`ensure` and `expect` run although `plugins` does not list them, and a note says so', async t => {
    const target = await serve(t, (_, response) => setTimeout(() => response.end(), 10));
    const load = async (/** @type {string} */ config, /** @type {string} */ request) => {
      const { running, prepared } = await startTestLoad(makeFolder(t), {
        script: `
config: { target: "${target}", phases: [{ duration: 1, arrivalCount: 1 }], ${config} }
scenarios: [{ flow: [{ get: { url: /, ${request} } }] }]
`,
        settings: {},
      });
      const { exitCode } = await running.ended;
      return { exitCode, notes: prepared.notes };
    };
    const says = (/** @type {string} */ name) => [
      `\`${name}\` runs, although \`plugins\` does not list it: Artillery would not run it`,
    ];
    assert.deepEqual(await load('ensure: { p99: 1 }', ''), { exitCode: 1, notes: says('ensure') });
    assert.deepEqual(await load('', 'expect: { statusCode: 404 }'), {
      ...{ exitCode: 21, notes: says('expect') },
    });
    const listed = 'plugins: { ensure: , expect: }, ensure: { p99: 5000 }';
    assert.deepEqual(await load(listed, 'expect: { statusCode: 200 }'), { exitCode: 0, notes: [] });
  });

  test('a failed expectation of a worker gives the exit code', async t => {
    const target = await serve(t, (_, response) => response.end());
    const { running } = await startTestLoad(makeFolder(t), {
      script: `
config: { target: "${target}", phases: [{ duration: 1, arrivalCount: 1 }], plugins: { expect: {} } }
scenarios: [{ flow: [{ get: { url: /, expect: { statusCode: 404 } } }] }]
`,
      settings: {},
    });
    const end = await running.ended;
    assert.deepEqual([end.reason, end.exitCode], ['complete', 21], end.logTail);
  });
});
