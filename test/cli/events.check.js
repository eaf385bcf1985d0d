/** Server-sent events of a real FastAPI app: figures of a whole run against its schedule. */
import assert from 'node:assert/strict';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { test } from 'node:test';
import { startAsgi } from '../helpers/asgi.js';
import { listen } from '../helpers/listen.js';
import { needsModules } from '../helpers/needs.js';
import { runLoadflame } from '../helpers/run-loadflame.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const STREAMS = 50;
/** As `events_app.py` has it: two streams of 20 events, with 200 ms between them. */
const SCRIPT = `
config:
  phases: [{ duration: 1, arrivalCount: ${STREAMS} }]
scenarios:
  - flow:
      - get: { url: /, capture: { regexp: '00-a9[0-9a-f]{30}-[0-9a-f]{16}-01', as: trace } }
      - get: { url: /export }
      - sse: { url: /events, until: 25, match: { event: tick }, capture: { json: $.n, as: n } }
      - get: { url: "/?{{ n }}" }
`;
const THRESHOLDS = `thresholds:
  - http.p95 < 10s
  - sse.gap.p95 < 10s
  - sse.firstEvent.p50 > 90ms
  - sse.reconnects <= ${STREAMS}
endpoints:
  GET /events:
    - ttfb.p95 < 10s
`;

test('50 streams at once, each with a reconnect', {
  skip: needsModules('uvicorn', 'fastapi'),
}, async t => {
  const { url } = await startAsgi(t, { app: 'events_app:app', env: {} });
  const folder = makeTempFolder(t);
  writeFileSync(path.join(folder, 's.yaml'), SCRIPT);
  writeFileSync(path.join(folder, 't.yaml'), THRESHOLDS);
  /** @type {any[]} */
  const exports = [];
  const collector = http.createServer(async (request, response) => {
    assert.equal(request.url, '/v1/metrics');
    exports.push(await json(request));
    response.end('{}');
  });
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `${await listen(t, collector)}/` };
  const limits = ['--thresholds', 't.yaml', '--trace-sampled', '100%'];
  const args = ['test', 's.yaml', '--target', url, ...limits];
  const { exit, stdout, stderr } = await runLoadflame(folder, args, env);
  assert.equal(exit, 0, stdout + stderr);
  assert.match(stdout, /Server-sent events\n/);
  const [report = ''] = globSync('profiles/*/report.json', { cwd: folder });
  const { load } = JSON.parse(readFileSync(path.join(folder, report), 'utf8'));
  const { firstEvent, gap, ...counts } = load.sse;
  assert.equal(counts.streams, STREAMS);
  assert.equal(counts.reconnects, STREAMS);
  assert.equal(counts.events, STREAMS * 25);
  t.diagnostic(
    `first ${firstEvent.p50Ms} p95 ${firstEvent.p95Ms}, gap ${gap.p50Ms} p95 ${gap.p95Ms}`,
  );
  // A busy machine sends late, and never early.
  assert.ok(firstEvent.minMs >= 98, firstEvent.minMs);
  assert.ok(Math.abs(gap.meanMs - 50) <= 5, gap.meanMs);
  assert.equal(load.http.requests, STREAMS * 5);
  assert.equal(load.http.totalTime.count, STREAMS * 3);
  const endpoints = Object.fromEntries(
    load.endpoints.map((/** @type {any} */ one) => [one.name, one]),
  );
  assert.equal(endpoints['GET /events'].totalTime, null);
  assert.equal(endpoints['GET /events'].requests, STREAMS * 2);
  const [{ histogram }] = exports.at(-1).resourceMetrics[0].scopeMetrics[0].metrics;
  const sent = histogram.dataPoints.map((/** @type {any} */ { count }) => Number(count));
  assert.deepEqual(sent.toSorted(), [STREAMS * 2, STREAMS]);
  const { responseBytes, bodyMs } = endpoints['GET /export'].means;
  assert.equal(responseBytes, 100_000);
  assert.ok(bodyMs > 150, bodyMs);
});
