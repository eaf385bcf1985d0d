import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { parseLine, readAccessLogs } from '../../lib/traffic/read-access-log.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

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
  const rest = { method: 'GET', target: '/items/42?x=1', status: 200, agent: 'Firefox' };
  for (const [name, line] of Object.entries(lines))
    assert.deepEqual(parseLine(line), { atMs: AT_MS, client, ...rest }, name);
  assert.equal(parseLine(COMBINED.replace(/ "-".*/, ''))?.client, '10.0.0.1 ', 'common');
  assert.equal(
    parseLine(COMBINED.replace('10.0.0.1', '2001:db8::1'))?.client,
    '2001:db8::1 Firefox',
  );
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
