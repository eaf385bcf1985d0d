import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { mergeSketches } from '../../lib/base/math/sketch.js';
import { serve } from '../helpers/listen.js';
import { makeFolder, readLoad, startTestLoad } from './helpers.js';

const UUID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const HOSTILE = '<img src=x onerror=alert(1)></script>';
// Built from parts, so that no file of this repository holds something that looks like a token.
const JWT = ['eyJhbGciOiJSUzI1NiJ9', 'eyJzdWIiOiIxMjM0NTY3ODkwIn0', 'c2ln'].join('.');

const SCRIPT = `
config:
  target: "{{ $env.TARGET }}"
  http: { distributedTracing: true, timeout: 5 }
  phases:
    - { name: only, duration: 2, arrivalRate: {{ $env.RATE }}, maxVusers: {{ $env.MAX_VIRTUAL_USERS }} }
scenarios:
  - name: everything
    flow:
      - get: { url: "/items/17/parts/${UUID}/?secret=1" }
      - get: { url: /named, name: a name }
      - get: { url: "/broken/${encodeURIComponent(HOSTILE)}" }
      - get: { url: /redirect }
      - get: { url: /unchanged }
      - get: { url: /elsewhere }
      - get: { url: "/path/${JWT}/end" }
      - think: 0.2
      - get: { url: "http://127.0.0.1:1/closed" }
`;

test('the records of each second add up to the final counts', async t => {
  let elsewhere = 0;
  const other = await serve(t, (_, response) => {
    elsewhere += 1;
    response.end();
  });
  const target = await serve(t, (request, response) => {
    const { url = '' } = request;
    if (url.startsWith('/broken')) {
      response.writeHead(500, { 'x-request-id': 'id-1', 'set-cookie': 'session=s3cret' });
      const body = `${HOSTILE} password=hunter2 {"access_token": "${JWT}"} client: my-secret`;
      response.end(body + 'ü'.repeat(5000));
    } else if (url === '/redirect') response.writeHead(302, { location: '/named' }).end();
    else if (url === '/elsewhere') response.writeHead(302, { location: other }).end();
    else if (url === '/unchanged') response.writeHead(304).end();
    else response.end('{}');
  });
  const { running, files, heard } = await startTestLoad(makeFolder(t), {
    script: SCRIPT,
    settings: { TARGET: target, RATE: '6', MAX_VIRTUAL_USERS: '12' },
    secrets: { OIDC_CLIENT_SECRET: 'my-secret' },
    workers: 2,
  });
  const commandLine = readFileSync(`/proc/${running.pid}/cmdline`, 'utf8');
  const { progress } = heard;
  const end = await running.ended;
  const { records, errors, counters, endpoints } = await readLoad(files);

  await t.test('the end is told, and every counter agrees', () => {
    assert.equal(end.reason, 'complete', end.logTail);
    /** @param {Record<string, number>} all */
    const keep = all =>
      Object.fromEntries(
        Object.entries(all).filter(
          ([name, n]) =>
            n > 0 &&
            !/^(?:plugins|vusers\.(?:completed_by_name|failed_by_name|first_failure))\./.test(name),
        ),
      );
    assert.deepEqual(keep(counters), keep(end.counters));
    assert.equal(counters['vusers.created'], 12);
    // Each user: eight requests, and one more for the redirect that is followed.
    assert.equal(counters['http.requests'], 12 * 9);
    assert.equal(counters['errors.ECONNREFUSED'], 12);
    assert.deepEqual(records.at(-1)?.counters, end.counters);
  });

  await t.test('two workers, and no arrival is skipped', () => {
    assert.deepEqual([records[0]?.kind, records[0]?.engine], ['load-start', 'loadflame']);
    assert.equal(records[0]?.workers, 2);
    assert.equal(counters['vusers.skipped'], undefined);
  });

  await t.test('every response is in the sketches of its second', () => {
    for (const name of ['http.response_time', 'http.total']) {
      const merged = mergeSketches(records.flatMap(r => r.sketches?.[name] ?? []));
      assert.equal(merged.count, counters['http.responses'], name);
    }
  });

  await t.test('endpoints fold ids and add up to all requests', () => {
    assert.deepEqual(Object.keys(endpoints).sort(), [
      'GET /broken/%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E%3C%2Fscript%3E',
      'GET /elsewhere',
      'GET /items/:id/parts/:id/',
      'GET /named',
      'GET /path/:id/end',
      'GET /redirect',
      'GET /unchanged',
      'GET http://127.0.0.1:1/closed',
      'a name',
    ]);
    const total = Object.values(endpoints).reduce((sum, { requests }) => sum + requests, 0);
    assert.equal(total, counters['http.requests']);
    assert.deepEqual(endpoints['GET /redirect'], { requests: 12, errors: 0, codes: { 302: 12 } });
    assert.equal(endpoints['GET http://127.0.0.1:1/closed']?.errors, 12);
  });

  await t.test('a redirect to another host is not followed, one without an address ends', () => {
    assert.equal(elsewhere, 0);
    assert.deepEqual(endpoints['GET /elsewhere']?.codes, { 302: 12 });
    assert.deepEqual(endpoints['GET /unchanged']?.codes, { 304: 12 });
  });

  await t.test(
    'errors have samples, at most 5 of a kind and worker, redacted, text as it is',
    () => {
      const broken = errors.filter(({ code }) => code === '500');
      assert.ok(broken.length >= 5 && broken.length <= 10, String(broken.length));
      const [sample] = broken;
      assert.ok(sample?.body.startsWith(HOSTILE));
      assert.ok(Buffer.byteLength(sample?.body) <= 2048);
      assert.match(sample?.body, /ü$/);
      assert.equal(sample?.requestId, 'id-1');
      assert.match(sample?.traceparent, /^00-a9[0-9a-f]{30}-[0-9a-f]{16}-01$/);
      assert.equal(sample?.headers['set-cookie'], '[redacted]');
      assert.ok(
        errors.some(({ code, endpoint }) => code === 'ECONNREFUSED' && /closed/.test(endpoint)),
      );
      const written = [files.errors, files.metrics, files.script, files.generatorLog]
        .map(file => readFileSync(file, 'utf8'))
        .join('\n');
      for (const secret of ['hunter2', 's3cret', 'my-secret', 'eyJ']) {
        assert.ok(!written.includes(secret), `${secret} was written`);
        assert.ok(!commandLine.includes(secret), `${secret} is in the command line`);
      }
    },
  );

  await t.test('progress is told', () => {
    const last = progress.at(-1);
    assert.ok(progress.length >= 2);
    assert.equal(last?.phaseName, 'only');
    assert.ok(Number(last?.requests) > 0 && Number(last?.p95Ms) > 0 && Number(last?.errors) > 0);
  });
});
