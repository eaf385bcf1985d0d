import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createHostMixes } from '../../../lib/load/traffic/mix.js';
import { parseLine, readAccessLogs } from '../../../lib/load/traffic/read-access-log.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

const TIME = '20/Nov/2026:14:03:05 +0000';
const AT_MS = Date.UTC(2026, 10, 20, 14, 3, 5);
const COMBINED = `10.0.0.1 - - [${TIME}] "GET /items/42?x=1 HTTP/1.1" 200 12 "-" "Firefox"`;
const FIELDS = { remote_addr: '10.0.0.1', status: '200', http_user_agent: 'Firefox' };
const REQUEST = { request: 'GET /items/42?x=1 HTTP/1.1' };

test('reads the formats that servers of Python APIs write', () => {
  const lines = {
    combined: COMBINED,
    'gunicorn with %(D)s': `${COMBINED} 5123`,
    'gunicorn with %(L)s and %(p)s': `${COMBINED} 0.005123 <4312>`,
    hypercorn: COMBINED.replace('10.0.0.1', '10.0.0.1:51234'),
    'after the name of a container': `web_1  | ${COMBINED}`,
    'nginx main': `10.9.9.9${COMBINED.slice('10.0.0.1'.length)} "10.0.0.1, 10.8.8.8"`,
    'with a user': COMBINED.replace('- - [', '- ann smith ['),
    'in Docker': JSON.stringify({ log: `${COMBINED}\n`, stream: 'stdout' }),
    'nginx JSON': JSON.stringify({
      ...FIELDS,
      ...REQUEST,
      time_iso8601: '2026-11-20T15:03:05+01:00',
    }),
    'nginx JSON with msec': JSON.stringify({ ...FIELDS, ...REQUEST, msec: String(AT_MS / 1000) }),
    'JSON with parts': JSON.stringify({
      ...FIELDS,
      time: TIME,
      request_method: 'GET',
      uri: '/items/42',
      args: 'x=1',
      status: 200,
    }),
  };
  const client = '10.0.0.1 Firefox';
  const rest = { method: 'GET', target: '/items/42?x=1', status: 200, agent: 'Firefox', host: '' };
  for (const [name, line] of Object.entries(lines))
    assert.deepEqual(parseLine(line), { atMs: AT_MS, client, ...rest }, name);
  assert.equal(parseLine(COMBINED.replace(/ "-".*/, ''))?.client, '10.0.0.1 ', 'common');
  assert.equal(
    parseLine(COMBINED.replace('10.0.0.1', '2001:db8::1'))?.client,
    '2001:db8::1 Firefox',
  );
});

test('reads the formats of load balancers, proxies and development servers', () => {
  const lines = {
    HAProxy: `Nov 20 14:03:05 lb haproxy[22]: 10.0.0.1:5000 [${TIME.slice(0, -6)}.000] http-in app/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 {h.example} {} "GET /items/42?x=1 HTTP/1.1"`,
    'AWS, application': `https 2026-11-20T14:03:05.000000Z app/lb/50dc 10.0.0.1:2817 10.9.0.1:80 0.000 0.001 0.000 200 200 34 366 "GET https://h.example:443/items/42?x=1 HTTP/1.1" "Firefox" ECDHE TLSv1.2 arn:aws:a "Root=1-5"`,
    'AWS, classic': `2026-11-20T14:03:05.000000Z lb 10.0.0.1:2817 10.0.0.9:80 0.00 0.00 0.00 200 200 0 29 "GET http://h.example:80/items/42?x=1 HTTP/1.1" "Firefox" - -`,
    Envoy: `[2026-11-20T14:03:05.000Z] "GET /items/42?x=1 HTTP/1.1" 200 - 0 22 12 11 "10.0.0.1" "Firefox" "cc21" "h.example" "10.0.35.28:80"`,
    'uvicorn with a time': `2026-11-20 14:03:05Z - uvicorn.access - INFO - 10.0.0.1:5000 - "GET /items/42?x=1 HTTP/1.1" 200`,
    Werkzeug: `10.0.0.1 - - [20/Nov/2026 14:03:05] "GET /items/42?x=1 HTTP/1.1" 200 -`,
    'hypercorn, as it writes its version': COMBINED.replace('HTTP/1.1', '2'),
    Traefik: JSON.stringify({
      ...{ ClientHost: '10.0.0.1', DownstreamStatus: 200, RequestMethod: 'GET' },
      ...{ RequestPath: '/items/42?x=1', StartUTC: '2026-11-20T14:03:05.000000001Z' },
      ...{ level: 'info', time: '2026-11-20T14:03:09Z' },
    }),
    Caddy: JSON.stringify({
      ...{ level: 'info', ts: AT_MS / 1000, status: 200, msg: 'handled request' },
      request: { remote_ip: '10.0.0.1', method: 'GET', uri: '/items/42?x=1', headers: {} },
    }),
    'Google Cloud': JSON.stringify({
      timestamp: '2026-11-20T14:03:05Z',
      httpRequest: {
        ...{ requestMethod: 'GET', requestUrl: 'https://h.example/items/42?x=1', status: 200 },
        ...{ remoteIp: '10.0.0.1', userAgent: 'Firefox' },
      },
    }),
  };
  for (const [name, line] of Object.entries(lines)) {
    const { atMs = 0, client = '', method, target = '', status } = parseLine(line) ?? {};
    const place = target.replace(/^https?:\/\/h\.example(?::\d+)?/, '');
    const read = [client.split(' ')[0], method, place, status];
    assert.deepEqual(read, ['10.0.0.1', 'GET', '/items/42?x=1', 200], name);
    // Without a zone, times are those of this machine.
    if (!/HAProxy|Werkzeug/.test(name)) assert.equal(atMs, AT_MS, name);
  }
  assert.equal(parseLine('{"date":"2026-11-20","method":"GET","path":"/","status":200}'), null);
});

test('names the virtual host of a line wherever a format has it', () => {
  const json = { time: TIME, ...REQUEST, status: 200 };
  const lines = {
    'shop.example': `shop.example:80 ${COMBINED}`,
    'a.shop.example': `A.shop.example ${COMBINED}`,
    'field.example': `${COMBINED} rt=0.1 host="field.example"`,
    'json.example': JSON.stringify({ ...json, http_host: 'json.example:8000', host: 'web-1' }),
    'caddy.example': JSON.stringify({
      ...json,
      request: { host: 'caddy.example', method: 'GET', uri: '/' },
    }),
    'alb.example': `h2 2026-11-20T14:03:05.1Z app/a 10.0.0.1:5 10.0.0.2:80 0.1 0.1 0.1 200 200 3 3 "GET https://alb.example:443/a HTTP/1.1" "curl" - -`,
    'envoy.example': `[2026-11-20T14:03:05.310Z] "GET /a HTTP/1.1" 200 - 0 22 12 11 "10.0.0.1" "curl" "1" "envoy.example"`,
  };
  for (const [host, line] of Object.entries(lines)) assert.equal(parseLine(line)?.host, host, line);
  for (const forged of ['$(id).example', '<b>.example', 'a..example', `${'a.'.repeat(200)}example`])
    assert.equal(parseLine(JSON.stringify({ ...json, http_host: forged }))?.host, '', forged);
  assert.equal(parseLine(`web_1.example | ${COMBINED}`)?.host, '');
});

test('a log of several hosts gives the mix of the most frequent one, and counts the others', () => {
  const { add, finish } = createHostMixes();
  const send = (/** @type {string} */ host, /** @type {number} */ lines) => {
    for (let n = 0; n < lines; n++) {
      const request = parseLine(`${host} ${COMBINED.replace('/items/42?x=1', `/${host}`)}`);
      add(/** @type {any} */ (request));
    }
  };
  send('api.example', 2);
  send('shop.example', 5);
  for (let n = 0; n < 60; n++) send(`x${n}.example`, 1);
  const traffic = finish();
  assert.deepEqual([traffic.requests, traffic.kept, traffic.leftOut.size], [67, 5, 50]);
  assert.deepEqual(
    traffic.flows.map(({ names }) => names),
    [Array(5).fill('GET /shop.example')],
  );
  assert.deepEqual([...traffic.leftOut].slice(0, 2), [
    ['host api.example', 2],
    ['host x0.example', 1],
  ]);
});

test('counts requests that stand in one line as lost, and names what is no access log', async t => {
  const folder = makeTempFolder(t);
  const read = (/** @type {string} */ text) => {
    const file = path.join(folder, 'a.log');
    writeFileSync(file, text);
    return readAll([file]);
  };
  const half = await read(`${COMBINED}\n${COMBINED}${COMBINED}\n${COMBINED}\n`);
  assert.deepEqual([half.times.length, half.unread], [3, 1]);
  await assert.rejects(read(COMBINED.repeat(4)), /only 1 of them can be read.*; 3 more seem/);
  for (const [text, name] of /** @type {[string, RegExp][]} */ ([
    ['INFO:     10.0.0.1:5000 - "GET /a HTTP/1.1" 200 OK\n', /uvicorn's log without times \(put/],
    [
      'Nov 20 14:03:05 lb haproxy[2]: 10.0.0.1:50 [20/Nov/2026:14:03:05.655] tcp db/s 0/0/50 212 -- 0/0/0/0/3 0/0\n',
      /HAProxy's log of TCP/,
    ],
    ['#Software: Microsoft IIS\n#Fields: date time\n2026-11-20 14:03:05 GET /a 200\n', /IIS's or/],
    ['{"log":{"version":"1.2","entries":[]}}', /a HAR \(`loadflame init --har`/],
    [Buffer.from(`${COMBINED}\n`, 'utf16le').toString(), /UTF-16 without/],
  ]))
    await assert.rejects(read(text), { code: 'TRAFFIC_NO_LOG', message: name });
});

test('nginx without escape=json writes bytes that JSON does not know', () => {
  const line = `{"remote_addr":"1.1.1.1","msec":"1795700000.1","request":"GET /\\x22 HTTP/1.1","status":200}`;
  assert.equal(parseLine(line)?.target, '/%22');
});

test('does not read other lines as requests, however long they are', () => {
  const lines = [
    '',
    'hello',
    '\u0016\u0003\u0001',
    '{',
    '{}',
    'null',
    '{"__proto__": {"status": 200}}',
    `1.1.1.1 - - [${TIME}] "\\x16\\x03\\x01" 400 0 "-" "-"`,
    `1.1.1.1 - - [${TIME}] "-" 408 0 "-" "-"`,
    `1.1.1.1 - - [99/Foo/2026:14:03:05 +0000] "GET / HTTP/1.1" 200 0`,
    'a'.repeat(300_000),
    `${'- '.repeat(100_000)}[`,
    `1.1.1.1 - - [${TIME}] "GET /${'\\"'.repeat(50_000)}`,
  ];
  const addresses = `${COMBINED} "${'1'.repeat(100_000)}`;
  const startedMs = performance.now();
  for (const line of lines) assert.equal(parseLine(line), null, line.slice(0, 80));
  assert.equal(parseLine(addresses)?.client, '10.0.0.1 Firefox');
  assert.ok(performance.now() - startedMs < 5000);
});

test('the client is the first address of the last row of addresses', () => {
  const rest = COMBINED.slice('10.0.0.1 - - '.length);
  const cases = {
    '203.0.113.7, 10.2.2.2 - - ': '203.0.113.7',
    '203.0.113.7 10.0.0.1 - - ': '203.0.113.7',
    '203.0.113.7 frank - ': '203.0.113.7',
    '203.0.113.7 frank ann smith ': '203.0.113.7',
    'Nov 20 14:03:05 10.9.9.9 nginx: 203.0.113.7 - - ': '203.0.113.7',
    '[2001:db8::1]:51234 - - ': '2001:db8::1',
    'host.example frank - ': 'host.example',
    'host.example - ann smith ': 'host.example',
    '- - - ': '-',
  };
  for (const [before, client] of Object.entries(cases))
    assert.equal(parseLine(before + rest)?.client, `${client} Firefox`, before);
  const spaced = COMBINED.replace('] "', ']  "');
  assert.equal(parseLine(spaced)?.client, '10.0.0.1 Firefox');
});

test('bytes that nginx and Apache escape are sent as bytes', () => {
  const line = COMBINED.replace('/items/42?x=1', String.raw`/caf\xC3\xA9?d=a\x22b\"c\\d`);
  assert.equal(parseLine(line)?.target, '/caf%C3%A9?d=a%22b%22c%5Cd');
  const json = JSON.stringify({ time: TIME, request: 'GET /caf?', status: 200 });
  const bytes = parseLine(json.replace('?', String.raw`\xC3\xA9`));
  assert.equal(bytes?.target, '/caf%C3%A9');
});

/** @param {string[]} files */
async function readAll(files) {
  /** @type {number[]} */
  const times = [];
  const counts = await readAccessLogs(
    files,
    ({ atMs }) => times.push(atMs),
    () => {},
  );
  return { times, ...counts };
}

test('reads logs in any packing, encoding and with any line ends, in the order of their time', async t => {
  const folder = makeTempFolder(t);
  const lines = Array.from({ length: 500 }, (_, at) =>
    COMBINED.replace(
      '14:03:05',
      `14:${String(10 + Math.floor(at / 60))}:${String(at % 60).padStart(2, '0')}`,
    ),
  );
  const text = (/** @type {number} */ from, end = '\n') => lines.slice(from, from + 100).join(end);
  const files = {
    'a.log': Buffer.from(`\ufeff${text(400)}`, 'utf16le'),
    'b.log': gzipSync(text(300)),
    'c.log.gz': Buffer.from(text(200)),
    'd.log': Buffer.from(`\ufeff${text(100, '\r\n')}`),
    'e.log': Buffer.from(text(0, '\r')),
  };
  const places = Object.entries(files).map(([name, bytes]) => {
    writeFileSync(path.join(folder, name), bytes);
    return path.join(folder, name);
  });
  const { times, unknown } = await readAll(places);
  assert.deepEqual([times.length, unknown], [500, 0]);
  assert.deepEqual(times, times.toSorted());
});

test('counts what could not be read, names files without requests, and refuses a log of other lines', async t => {
  const folder = makeTempFolder(t);
  const place = (/** @type {string} */ name, /** @type {string | Buffer} */ text) => {
    writeFileSync(path.join(folder, name), text);
    return path.join(folder, name);
  };
  const odd = '10.0.0.1 "GET /items HTTP/1.1" took 12 ms';
  const good = place('good.log', `${COMBINED}\nINFO started\n${odd}\n${COMBINED}\n`);
  const empty = place('empty.log', '');
  const counts = await readAll([empty, good]);
  assert.deepEqual(
    [counts.lines, counts.unknown, counts.unread, counts.empty, counts.first],
    [4, 2, 1, [empty], 'INFO started'],
  );
  const most = place('odd.log', `${COMBINED}\n${odd}\n${odd}\n`);
  await assert.rejects(readAll([most]), /has 3 lines, and only 1 of them/);
  const cut = place('cut.log.gz', gzipSync(COMBINED.repeat(1000)).subarray(0, 100));
  await assert.rejects(readAll([cut]), /its gzip data is damaged \(unexpected end of file\)/);
  const zip = place('access.zip', Buffer.from('504b03041400', 'hex'));
  await assert.rejects(readAll([zip]), /access\.zip: it is packed with zip: unpack it/);
});
