import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { test } from 'node:test';
import { Sketch } from '../../lib/base/math/sketch.js';
import { exportMetrics } from '../../lib/load/otlp-metrics.js';
import { findFreePort } from '../helpers/gunicorn.js';
import { listen } from '../helpers/listen.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

/** @param {number[]} values ms */
function sketch(values) {
  const made = new Sketch();
  for (const value of values) made.accept(value);
  return made.toJson();
}

const SECOND = {
  t: 1,
  kind: 'second',
  endpoints: {
    'GET /rooms/:id': {
      requests: 7,
      errors: 3,
      statuses: {
        200: { count: 3, timeToFirstByte: sketch([1, 1, 1]), total: sketch([4, 30, 20_000]) },
        500: { count: 1, timeToFirstByte: sketch([1]), total: sketch([60]) },
      },
    },
    'GET /events': { requests: 1, errors: 0, statuses: { 200: { count: 1 } } },
    'POST https://other.example:8443/x': {
      requests: 1,
      errors: 0,
      statuses: { 201: { count: 1, total: sketch([0]) } },
    },
    'log in': { requests: 1, errors: 0, statuses: { 200: { count: 1, total: sketch([1]) } } },
  },
};

/**
 * @param {import('node:test').TestContext} t
 * @param {string} url
 * @param {Record<string, string>} [given]
 */
function start(t, url, given = {}) {
  const folder = makeTempFolder(t);
  const metrics = path.join(folder, 'metrics.ndjson');
  const settings = { get: (/** @type {string} */ name) => given[name] ?? null };
  const prepared = { target: 'http://127.0.0.1:5000' };
  /** @type {string[]} */
  const notes = [];
  const end = { reason: 'complete' };
  const load = {
    settings,
    prepared,
    files: { folder, metrics },
    say: { onNote: (/** @type {string} */ text) => notes.push(text) },
  };
  /** @type {PromiseWithResolvers<any>} */
  const inner = Promise.withResolvers();
  const running = { pid: 1, ended: inner.promise, stop: () => inner.promise };
  const exported = exportMetrics(running, /** @type {any} */ (load), url);
  return { folder, metrics, notes, exported, finish: () => inner.resolve(end) };
}

/** @param {import('node:test').TestContext} t @param {(request: http.IncomingMessage, response: http.ServerResponse) => void} [answer] */
async function collect(t, answer = (_request, response) => void response.end('{}')) {
  /** @type {{url: string, headers: http.IncomingHttpHeaders, body: any}[]} */
  const seen = [];
  const server = http.createServer((request, response) => {
    /** @type {Buffer[]} */
    const chunks = [];
    request.on('data', chunk => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      seen.push({
        url: String(request.url),
        headers: request.headers,
        body: text && JSON.parse(text),
      });
      answer(request, response);
    });
  });
  return { url: await listen(t, server), seen };
}

/** @param {any[]} attributes */
const read = attributes =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]),
  );

test('metrics have the names, attributes and buckets of the conventions', async t => {
  const { url, seen } = await collect(t);
  const { metrics, notes, exported, finish, folder } = start(t, `${url}/v1/metrics`, {
    OTEL_EXPORTER_OTLP_HEADERS: 'X-Key=a%20b, Tenant=7',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,deployment.environment=test,broken=%',
    OTEL_SERVICE_NAME: 'shop-load',
  });
  appendFileSync(metrics, `{"t":1,"kind":"load-start"}\n${JSON.stringify(SECOND)}\n`);
  appendFileSync(metrics, `{"torn\n${JSON.stringify(SECOND)}\n{"t":1,"kind":"sec`);
  finish();
  assert.deepEqual(await exported.ended, { reason: 'complete' });
  assert.deepEqual(notes, []);
  assert.equal(seen.length, 1);
  const [{ headers, body, url: called } = assert.fail()] = seen;
  assert.equal(called, '/v1/metrics');
  assert.equal(headers['content-type'], 'application/json');
  assert.equal(headers['x-key'], 'a b');
  assert.equal(headers.tenant, '7');
  const [{ resource, scopeMetrics }] = body.resourceMetrics;
  assert.deepEqual(read(resource.attributes), {
    'service.name': 'shop-load',
    'service.instance.id': path.basename(folder),
    'deployment.environment': 'test',
    broken: '%',
  });
  const [duration, unanswered] = scopeMetrics[0].metrics;
  assert.equal(duration.name, 'http.client.request.duration');
  assert.equal(duration.unit, 's');
  assert.equal(duration.histogram.aggregationTemporality, 2);
  const points = duration.histogram.dataPoints;
  assert.deepEqual(
    points.map((/** @type {any} */ { attributes }) => read(attributes)),
    [
      ['GET', '/rooms/:id', '127.0.0.1', 5000, 200],
      ['GET', '/rooms/:id', '127.0.0.1', 5000, 500],
      ['POST', '/x', 'other.example', 8443, 201],
      ['_OTHER', 'log in', null, null, 200],
    ].map(([method, template, address, port, status]) => ({
      'http.request.method': method,
      'url.template': template,
      ...(address && { 'server.address': address, 'server.port': port }),
      'http.response.status_code': status,
      ...(status === 500 && { 'error.type': '500' }),
    })),
  );
  const [good, , zero] = points;
  assert.equal(good.count, '6');
  assert.equal(good.sum.toFixed(3), '40.068');
  assert.equal(good.min, 0.004);
  assert.equal(good.max, 20);
  assert.equal(good.explicitBounds.length, 14);
  assert.deepEqual(good.bucketCounts.map(Number), [2, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2]);
  assert.equal(zero.bucketCounts[0], '2');
  assert.match(good.startTimeUnixNano, /^\d{19}$/);
  assert.ok(BigInt(good.timeUnixNano) >= BigInt(good.startTimeUnixNano));
  assert.equal(unanswered.sum.isMonotonic, true);
  const failed = unanswered.sum.dataPoints.map((/** @type {any} */ { asInt }) => asInt);
  assert.deepEqual(failed, ['4', '0', '0', '0']);
});

test('a collector that is down, refuses or redirects costs one note', async t => {
  const elsewhere = await collect(t);
  const secret = { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer planted-secret' };
  const cases = {
    ECONNREFUSED: `http://127.0.0.1:${await findFreePort()}/v1/metrics`,
    credentials: 'http://user:planted-secret@127.0.0.1/',
    'status 503': (await collect(t, (_request, response) => void response.writeHead(503).end()))
      .url,
    redirect: (
      await collect(
        t,
        (_request, response) => void response.writeHead(307, { location: elsewhere.url }).end(),
      )
    ).url,
    ERR_INVALID_URL: '127.0.0.1:4317',
  };
  for (const [reason, url] of Object.entries(cases)) {
    const { notes, exported, finish } = start(t, url, secret);
    finish();
    assert.deepEqual(await exported.ended, { reason: 'complete' });
    assert.equal(notes.length, 1);
    assert.match(notes[0] ?? '', new RegExp(`^metrics could not be sent by OTLP: .*${reason}`));
    assert.doesNotMatch(notes[0] ?? '', /planted/);
  }
  assert.deepEqual(elsewhere.seen, []);
});

test('every ten seconds a cumulative export; what one missed the next one has', async t => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let down = true;
  /** @type {PromiseWithResolvers<void>} */
  let came = Promise.withResolvers();
  const { url, seen } = await collect(t, (_request, response) => {
    response.writeHead(down ? 500 : 200).end();
    came.resolve();
  });
  const { metrics, notes, exported, finish } = start(t, url);
  for (const isDown of [true, true, false]) {
    down = isDown;
    came = Promise.withResolvers();
    appendFileSync(metrics, `${JSON.stringify(SECOND)}\n`);
    t.mock.timers.tick(10_000);
    await came.promise;
  }
  finish();
  await exported.ended;
  const counts = seen.map(({ body }) => {
    const [{ histogram }] = body.resourceMetrics[0].scopeMetrics[0].metrics;
    return histogram.dataPoints[0].count;
  });
  assert.deepEqual(counts, ['3', '6', '9', '9']);
  assert.match(notes[0] ?? '', /status 500/);
  assert.deepEqual(notes.slice(1), ['2 exports of metrics by OTLP failed']);
});
