import assert from 'node:assert/strict';
import { createSecondRecorder } from '../../lib/load/metrics/second-recorder.js';
import { createRecordCheck } from '../../lib/run/folder-shapes.js';
import { ofKind, readNdjson } from '../../lib/run/ndjson.js';
import { binOf, NAMES, ordersHeader, TIMING, WORKER } from '../helpers/calls.js';
import { APP, python } from '../helpers/companion.js';
import { serve } from '../helpers/listen.js';
import { test } from '../helpers/quiet.js';
import { makeFolder, readLoad, startTestLoad } from './helpers.js';

const SCRIPT = `
config:
  target: "{{ $env.TARGET }}"
  phases:
    - { name: only, duration: 1, arrivalCount: 8 }
scenarios:
  - flow:
      - get: { url: /orders/17 }
      - get: { url: /health }
`;

test('calls of responses are summed up per endpoint and worker, and named once per generator worker', async t => {
  const target = await serve(t, (request, response) => {
    response.setHeader('server-timing', TIMING);
    if (request.url !== '/health')
      response.setHeader('loadflame-calls', JSON.stringify(ordersHeader(5)));
    response.end('{}');
  });
  const { running, files } = await startTestLoad(makeFolder(t), {
    script: SCRIPT,
    settings: { TARGET: target },
    workers: 2,
  });
  await running.ended;
  const check = createRecordCheck('loadCalls');
  const { records, torn } = await readNdjson(files.loadCalls, { check });
  assert.equal(torn, 0);
  const named = ofKind(records, 'call-named');
  assert.deepEqual(named.map(({ id }) => id).sort(), [
    ...['00000001', '00000001', '00000002', '00000002', '00000003', '00000003'],
  ]);
  assert.deepEqual(named.find(({ id }) => id === '00000002')?.call, NAMES['00000002']);
  const sums = ofKind(records, 'calls');
  const orders = sums.filter(({ endpoint }) => endpoint === 'GET /orders/:id');
  assert.ok(orders.every(({ worker }) => worker === WORKER));
  assert.ok(orders.every(({ perRequest }) => perRequest.every(([queries]) => queries === 6)));
  assert.equal(
    total(orders, record => record.responses),
    8,
  );
  assert.equal(
    total(orders, record => record.pool.us),
    8 * 700,
  );
  assert.equal(
    total(orders, record => record.databaseMs.sum),
    8 * 4.5,
  );
  const items = orders.map(({ calls }) => calls.find(([id]) => id === '00000002'));
  assert.equal(
    total(items, call => call?.[2] ?? 0),
    40,
  );
  assert.equal(
    total(items, call => call?.[4] ?? 0),
    120,
  );
  assert.ok(items.every(call => call?.[6] === 5 && call[7][0]?.[0] === binOf(500)));
  const others = sums.filter(({ endpoint }) => endpoint === 'GET /health');
  assert.ok(
    others.every(({ calls, perRequest }) => calls.length === 0 && perRequest[0]?.[0] === 0),
  );

  const { records: seconds } = await readLoad(files);
  const server = seconds.flatMap(({ endpoints }) => endpoints?.['GET /orders/:id']?.server ?? []);
  assert.equal(
    total(server, own => own.sums['db.queriesPerRequest']),
    48,
  );
  assert.equal(
    total(server, own => own.sums['db.msPerRequest']),
    36,
  );
  assert.equal(Math.round(total(server, own => own.sums['db.poolMsPerRequest']) * 10), 56);
});

test('statements after the headers count once for each request, after another load too', () => {
  const told = python([APP, ...Array(9).fill('/nothing?late')]);
  for (const before of [0, 1, 4]) {
    const headers = told.slice(before).map((/** @type {any} */ one) => one && JSON.stringify(one));
    const { sums, server } = record(headers);
    const [, requests, count] = sums[0].calls[0];
    assert.deepEqual([requests, count], [headers.length, headers.length], `after ${before}`);
    assert.equal(server.sums['db.queriesPerRequest'], headers.length);
    assert.equal(sums[0].calls[0][6], 1, 'each executes one');
  }
});

for (const { of, threadOf } of [
  { of: 'alternate', threadOf: (/** @type {number} */ n) => n % 3 },
  { of: 'take over', threadOf: (/** @type {number} */ n) => Math.floor(n / 10) },
  { of: 'send unevenly', threadOf: (/** @type {number} */ n) => [0, 0, 0, 0, 1, 0, 2, 0][n % 8] },
])
  test(`statements after the headers count once for each request where generator threads ${of}`, () => {
    const told = python([APP, ...Array(30).fill('/nothing?late')]);
    const headers = told.map((/** @type {any} */ one) => one && JSON.stringify(one));
    const counts = [0, 1, 2].map(thread => {
      const own = headers.filter(
        (/** @type {any} */ _, /** @type {number} */ n) => threadOf(n) === thread,
      );
      return { sent: own.length, counted: record(own).server.sums['db.queriesPerRequest'] };
    });
    const total = counts.reduce((sum, { counted }) => sum + counted, 0);
    assert.equal(total, headers.length, JSON.stringify(counts));
    for (const { sent, counted } of counts)
      assert.ok(Math.abs(counted - sent) <= 2, JSON.stringify(counts));
  });

test('late calls count twice at most, whatever number of requests they claim and however many came before', () => {
  const late = (/** @type {number} */ requests) => JSON.stringify({ late: [requests, [CALL]] });
  const { sums } = record([...Array(2000).fill('{}'), late(1), late(1e6), late(0), late(1)]);
  assert.equal(sums[0].calls[0][2], 2 + 1 + 1 + 1);
});

test('a load without reported calls writes none', async t => {
  const target = await serve(t, (_request, response) => {
    response.setHeader('server-timing', TIMING);
    response.end('{}');
  });
  const { running, files } = await startTestLoad(makeFolder(t), {
    script: SCRIPT,
    settings: { TARGET: target },
    workers: 1,
  });
  await running.ended;
  assert.deepEqual(await readNdjson(files.loadCalls), { records: [], torn: 0 });
  const { records } = await readLoad(files);
  assert.ok(!JSON.stringify(records).includes('queriesPerRequest'));
});

/** @template T @param {T[]} list @param {(one: T) => number} of */
function total(list, of) {
  return list.reduce((sum, one) => sum + of(one), 0);
}

/** Records of the headers of one endpoint in one second. @param {(string | null)[]} headers @param {(text: string) => string} [redact] */
function record(headers, redact) {
  /** @type {any[]} */
  const written = [];
  /** @type {any[]} */
  const seconds = [];
  const recorder = createSecondRecorder(second => seconds.push(second), {
    now: () => 5000,
    writeCalls: (kind, fields) => written.push({ t: 5000, kind, ...fields }),
    ...(redact && { redact }),
  });
  const handle = recorder.endpoint('GET /');
  for (const text of headers) {
    recorder.noteServer(handle, {
      ...{ timing: TIMING, setCookies: null, readCookie: () => '', status: 200, readRoute: null },
      readCalls: () => text,
    });
  }
  recorder.flush({ all: true });
  const check = createRecordCheck('loadCalls');
  for (const one of written) assert.ok(check(one), JSON.stringify(one).slice(0, 200));
  return {
    named: written.filter(({ kind }) => kind === 'call-named'),
    sums: written.filter(({ kind }) => kind === 'calls'),
    server: seconds[0].endpoints['GET /'].server,
  };
}

const CALL = ['00000001', 1, 2000, null, 0, [[80, 1]]];

test('a header of another shape is counted and ignored', () => {
  const name = NAMES['00000001'];
  const wrong = [
    'no JSON',
    'null',
    `{"calls":${'['.repeat(4000)}`,
    JSON.stringify({ calls: [CALL], pad: 'x'.repeat(9000) }),
    JSON.stringify({ calls: Array(65).fill(CALL) }),
    JSON.stringify({ calls: { length: 1, 0: CALL } }),
    JSON.stringify({ calls: [['<script>', ...CALL.slice(1)]] }),
    JSON.stringify({ calls: [['__proto__', ...CALL.slice(1)]] }),
    JSON.stringify({ late: [-1, [CALL]] }),
    JSON.stringify({ late: [1, [['x', ...CALL.slice(1)]]] }),
    JSON.stringify({ late: [1] }),
    JSON.stringify({ late: 'x' }),
    JSON.stringify({ calls: [['00000001', -1, 5, null, 0, []]] }),
    JSON.stringify({ calls: [['00000001', 1.5, 5, null, 0, []]] }),
    '{"calls":[["00000001",1,1e999,null,0,[]]]}',
    '{"calls":[["00000001",1,NaN,null,0,[]]]}',
    JSON.stringify({ calls: [['00000001', '1', 5, null, 0, []]] }),
    JSON.stringify({ calls: [['00000001', 1, 5, 'many', 0, []]] }),
    JSON.stringify({ calls: [['00000001', 1, 5, null, 0, [[-1, 1]]]] }),
    JSON.stringify({ calls: [['00000001', 1, 5, null, 0, [[1, 1, 1]]]] }),
    JSON.stringify({ calls: [[...CALL, 'shell']] }),
    JSON.stringify({ calls: [[...CALL, 'sql', 1]] }),
    JSON.stringify({ calls: [CALL], pool: [1, 'x'] }),
    JSON.stringify({ calls: [CALL], more: { 0: 1, 1: 1 } }),
    JSON.stringify({ calls: [CALL], held: [1, -5] }),
    JSON.stringify({ calls: [CALL], commits: ['1', 5] }),
    ...[5, 'ab', {}, [], [5], [5, null], [-1, 5], [5, 1e12]].map(cpu => JSON.stringify({ cpu })),
    JSON.stringify({ calls: [CALL], named: { '00000001': { ...name, text: 5 } } }),
    JSON.stringify({ calls: [CALL], named: { '00000001': { ...name, kind: 'constructor' } } }),
    JSON.stringify({ calls: [CALL], named: { '00000001': { ...name, line: '12' } } }),
    JSON.stringify({ calls: [CALL], named: { '00000001': null } }),
    JSON.stringify({ calls: [CALL], named: { constructor: name } }),
    `{"calls":[],"named":{"__proto__":${JSON.stringify(name)}}}`,
  ];
  const whole = JSON.stringify({ calls: [CALL], commits: [1, 700], held: [1, 9000] });
  const { named, sums, server } = record([...wrong, whole]);
  assert.equal(named.length, 0);
  assert.equal(sums.length, 1);
  assert.equal(sums[0].unreadable, wrong.length);
  assert.equal(sums[0].responses, 1);
  assert.deepEqual(sums[0].calls, [['00000001', 1, 1, 2000, null, 0, 1, [[80, 1]]]]);
  assert.equal(server.sums['db.queriesPerRequest'], 1);
  assert.equal(server.sums['db.commitMsPerRequest'], 0.7);
  assert.equal(server.sums['db.heldMsPerRequest'], 9);
});

test('the CPU time in calls, and of the companion around them, is summed up as far as it is known', () => {
  const told = (/** @type {(number | null)[]} */ ...cpu) => JSON.stringify({ calls: [CALL], cpu });
  const without = JSON.stringify({ calls: [CALL] });
  const callsOf = (/** @type {(string | null)[]} */ ...headers) => record(headers).server.calls;
  assert.deepEqual(callsOf(told(1500, 200), without, told(0, 300)), { cpuMs: 1.5, ownMs: 0.5 });
  assert.deepEqual(callsOf(told(1500, 200), told(null, 300)), { cpuMs: null, ownMs: 0.5 });
  assert.equal(callsOf(without), undefined);
});

test('statements beyond two thousand are only summed up, whatever their ids', () => {
  const headers = Array.from({ length: 100 }, (_, at) =>
    JSON.stringify({
      calls: Array.from({ length: 40 }, (__, n) => [
        (at * 40 + n).toString(16).padStart(8, '0'),
        ...[1, 10, null, 0, [[24, 1]]],
      ]),
      more: [2, 100],
    }),
  );
  const { sums, server } = record(headers);
  assert.equal(sums[0].calls.length, 2000);
  assert.deepEqual(sums[0].more, { count: 2200, us: 30_000 });
  assert.equal(server.sums['db.queriesPerRequest'], 4200);
});

test('responses without calls count as none from the first response with some', () => {
  const header = JSON.stringify({ calls: [CALL] });
  const { sums } = record([null, header, null, header, null]);
  assert.equal(sums[0].responses, 4);
  assert.deepEqual(sums[0].perRequest, [
    [1, 2],
    [0, 2],
  ]);
  assert.equal(sums[0].databaseMs.count, 4);
});

test('names of statements are cut and redacted, and repeated ones are written once', () => {
  const long = {
    ...NAMES['00000001'],
    text: `${'x'.repeat(995)}secret and more`,
    relation: undefined,
  };
  const header = JSON.stringify({ calls: [CALL], named: { '00000001': long } });
  const { named } = record([header, header], text => text.replaceAll('secret', '[redacted]'));
  assert.equal(named.length, 1);
  assert.equal(named[0].call.text, `${'x'.repeat(995)}[reda`);
  assert.equal(named[0].call.relation, null);
});

test('tokens and addresses of people in a foreign path are not kept, whatever sends the header', () => {
  /** @type {[text: string, kept: string][]} */
  const cases = [
    ['GET api.example.com/reset/x7Kq9mPa', 'GET api.example.com/reset/:id'],
    ['GET api.example.com:8080/u/anna@mail.example/a', 'GET api.example.com:8080/u/:id/a'],
    ['GET api.example.com/v1/rates/usd', 'GET api.example.com/v1/rates/usd'],
  ];
  for (const [text, kept] of cases) {
    const call = { kind: 'http', text, file: '/app/a.py', function: 'get', line: 3 };
    const { named } = record([JSON.stringify({ calls: [CALL], named: { '00000001': call } })]);
    assert.equal(named[0].call.text, kept);
  }
});

test('acts of requests are counted apart from calls, and are no measures of the database', () => {
  /** @type {any[]} */
  const [written, seconds] = [[], []];
  const recorder = createSecondRecorder(second => seconds.push(second), {
    writeCalls: (kind, fields) => written.push({ kind, ...fields }),
  });
  const handle = recorder.endpoint('GET /flags');
  const name = { kind: 'file', text: 'read *.yaml', file: 'flags.py', line: 12, function: 'flags' };
  for (const kind of ['file', 'unheard-of', 'constructor']) {
    const header = {
      calls: [['0000000a', 2, 0, null, 0, [[0, 2]], kind]],
      named: { '0000000a': name },
    };
    recorder.countRequest(handle);
    recorder.noteServer(handle, {
      ...{ setCookies: null, readCookie: () => '', status: 200, readRoute: null, timing: TIMING },
      readCalls: () => JSON.stringify(header),
    });
  }
  recorder.flush({ all: true });
  const [named, sums] = written;
  assert.deepEqual(
    [named.id, named.call.kind, named.call.text],
    ['0000000a', 'file', 'read *.yaml'],
  );
  assert.deepEqual([sums.responses, sums.unreadable, sums.calls[0][2]], [1, 2, 2]);
  assert.deepEqual(sums.perRequest, [[0, 1]]);
  assert.equal(seconds[0].endpoints['GET /flags'].server.sums, undefined);
});
