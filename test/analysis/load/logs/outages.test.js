import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findOutages } from '../../../../lib/analysis/load/logs/outages.js';

const START = Date.UTC(2026, 10, 28, 12, 31, 7);

/** @param {string} exception */
const raise = exception =>
  `[ERROR] Exception on /orders/ [GET]\nTraceback (most recent call last):\n  File "/srv/app.py", line 7, in orders\n    rows()\n${exception}`;
const PSYCOPG = raise(
  'psycopg.OperationalError: connection failed: connection to server at "127.0.0.1", port 5432 failed: Connection refused',
);
const REQUESTS = raise(
  "requests.exceptions.ConnectionError: HTTPConnectionPool(host='idp.local', port=8080): Max retries exceeded with url: /realms/a/protocol/openid-connect/token/introspect (Caused by NewConnectionError('[Errno 111] Connection refused'))",
);

/** Every 500 ms. @param {string} text @param {number} count @param {number} [fromMs] */
const lines = (text, count, fromMs = START) =>
  Array.from({ length: count }, (_, index) => ({ atMs: fromMs + 500 * index, text }));

test('names the database that refused connections, since when and for how long', () => {
  assert.deepEqual(findOutages(lines(PSYCOPG, 21)), [
    {
      service: 'database',
      address: '127.0.0.1:5432',
      startMs: START,
      endMs: START + 10_000,
      errors: 21,
      reason: 'connection refused',
    },
  ]);
});

test('keeps services apart, and outages with a minute between them', () => {
  const all = [
    ...lines(PSYCOPG, 4),
    ...lines(REQUESTS, 3, START + 3000),
    ...lines(PSYCOPG, 5, START + 63_000),
  ];
  assert.deepEqual(
    findOutages(all).map(({ service, address, errors }) => [service, address, errors]),
    [
      ['database', '127.0.0.1:5432', 5],
      ['database', '127.0.0.1:5432', 4],
      ['identity-provider', 'idp.local:8080', 3],
    ],
  );
});

test('takes a lost connection without an address for the database that is away, and its most frequent reason', () => {
  const lost = raise('psycopg2.OperationalError: server closed the connection unexpectedly');
  assert.deepEqual(findOutages([...lines(lost, 4), ...lines(PSYCOPG, 9, START + 2000)]), [
    {
      service: 'database',
      address: '127.0.0.1:5432',
      startMs: START,
      endMs: START + 6000,
      errors: 13,
      reason: 'connection refused',
    },
  ]);
});

test('finds no outage in other errors, or in a single failed connection', () => {
  assert.deepEqual(findOutages(lines(raise("KeyError: 'connection'"), 20)), []);
  assert.deepEqual(findOutages(lines(PSYCOPG, 2)), []);
});

test('reads a megabyte of suspicious text in time', () => {
  for (const part of [
    'to a:',
    'server at "',
    "host='",
    'connection ',
    'port ',
    '"',
    'Traceback ',
  ]) {
    const text = part.repeat(1e6 / part.length);
    const start = process.cpuUsage().user;
    findOutages([{ atMs: START, text }]);
    assert.ok(process.cpuUsage().user - start < 1e6, part);
  }
});
