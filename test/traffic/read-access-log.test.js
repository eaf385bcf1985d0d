import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseLine } from '../../lib/traffic/read-access-log.js';

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
  assert.equal(parseLine(line)?.target, '/"');
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
