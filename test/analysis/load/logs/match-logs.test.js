import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { findErrorBursts } from '../../../../lib/analysis/judge/findings/errors.js';
import { findWorkerRestarts } from '../../../../lib/analysis/judge/findings/trends.js';
import { analyseLogs } from '../../../../lib/analysis/load/logs/index.js';
import { collectIds, matchLogs } from '../../../../lib/analysis/load/logs/match-logs.js';
import { readLogs } from '../../../../lib/analysis/load/logs/read-logs.js';
import { readTraceback } from '../../../../lib/analysis/load/logs/tracebacks.js';
import { LoadTotals } from '../../../../lib/analysis/read/load/load-totals.js';
import { CUT_MARK } from '../../../../lib/base/files/split-lines.js';
import { runFiles } from '../../../../lib/run/run-folder.js';
import { buildLoad } from '../../../fixtures/reports/build-load.js';
import { makeTempFolder } from '../../../helpers/temp-folder.js';
import { wordsOf } from '../../../helpers/words.js';

const START = 1_795_000_000_000;
const TRACE = 'a9c1f20e5b7744d1a3f0b1d2c3e4f506';

const BURST = {
  startMs: START + 10_000,
  endMs: START + 12_000,
  code: '500',
  endpoint: 'GET /a/:id/',
  endpoints: [{ name: 'GET /a/:id/', errors: 9 }],
  errors: 9,
  requests: 30,
  isSteady: false,
};

/** @param {Partial<import('../../../../lib/run/facts/load-report.d.ts').ErrorSample>} [changes] */
const sample = changes => ({
  atMs: START + 10_500,
  endpoint: 'GET /a/:id/',
  code: '500',
  url: 'http://host/a/7/?x=1',
  headers: {},
  body: '',
  requestId: null,
  traceparent: null,
  ...changes,
});

/** @param {number} atMs @param {string} text @param {object} [changes] */
const line = (atMs, text, changes) => ({
  t: START + atMs,
  kind: 'line',
  atMs: START + atMs,
  level: 'error',
  pid: 7,
  text,
  ...changes,
});

/**
 * @param {import('node:test').TestContext} t
 * @param {Record<string, any>[]} lines
 * @param {ReturnType<typeof sample>[]} samples
 */
async function match(t, lines, samples) {
  const files = runFiles(makeTempFolder(t));
  mkdirSync(path.dirname(files.log(1)));
  const source = { t: START, kind: 'source', type: 'file', name: '/var/log/api.log' };
  writeFileSync(files.log(1), [source, ...lines].map(item => JSON.stringify(item)).join('\n'));
  const logs = await readLogs(files, collectIds(samples));
  assert.ok(logs);
  return { burst: matchLogs(BURST, samples, logs.lines), logs };
}

test('a line is matched by request id first, then by trace, then by time', async t => {
  const lines = [
    line(2000, 'an error long before'),
    line(10_400, 'something else went wrong'),
    line(10_510, 'id=Req-77123 failed'),
    line(10_600, `"GET /a/7/ HTTP/1.1" 500 trace=00-${TRACE}-a9c1f20e5b774401-01`, { status: 500 }),
    line(10_700, '"GET /b/ HTTP/1.1" 500', { status: 500 }),
    line(10_800, 'an ordinary line with Req-77123', { level: null }),
    line(10_900, 'an ordinary line', { level: null }),
  ];
  const withId = sample({ requestId: 'req-77123' });
  const withTrace = sample({ traceparent: `00-${TRACE}-a9c1f20e5b774401-01` });
  const table = /** @type {[ReturnType<typeof sample>[], string, string[]][]} */ ([
    [[withId, withTrace], 'request-id', ['request-id', 'request-id', 'traceparent', 'time']],
    [[withTrace], 'traceparent', ['time', 'traceparent', 'time']],
    [[sample()], 'time', ['time', 'time']],
    [[], 'time', ['time', 'time']],
    [[{ ...withId, code: '404' }], 'time', ['time', 'time']],
    [[{ ...withId, atMs: START + 30_000 }], 'time', ['time', 'time']],
  ]);
  for (const [samples, basis, matchedBy] of table) {
    const { burst } = await match(t, lines, samples);
    assert.equal(burst.log.basis, basis);
    assert.deepEqual(
      burst.log.lines.map(item => item.matchedBy).toSorted(),
      matchedBy.toSorted(),
      basis,
    );
  }
});

/**
 * Two pods with a log each.
 * @param {import('node:test').TestContext} t
 * @param {Record<string, any>[][]} logs
 * @param {{answeredBy?: {pod: string, errors: number}[] | null}} [options]
 */
async function matchPods(t, logs, { answeredBy = null } = {}) {
  const files = runFiles(makeTempFolder(t));
  mkdirSync(path.dirname(files.log(1)));
  for (const [index, lines] of logs.entries()) {
    const source = { t: START, kind: 'source', type: 'pod', name: `api-${index + 1}/web` };
    const records = [source, ...lines].map(item => JSON.stringify(item));
    writeFileSync(files.log(index + 1), records.join('\n'));
  }
  const read = await readLogs(files, new Set());
  assert.ok(read);
  return { ...matchLogs(BURST, [sample()], read.lines, answeredBy), read };
}

const RAISED =
  'Traceback (most recent call last):\n  File "/srv/a.py", line 3, in get\nKeyError: 1';

test('matches only logs of pods that responded, and marks the match as a guess', async t => {
  const logs = [
    [line(10_400, `orders failed\n${RAISED}`, { isTraceback: true })],
    [line(10_400, `Exception on /a/7/ [GET]\n${RAISED}`, { isTraceback: true })],
  ];
  const first = await matchPods(t, logs, { answeredBy: [{ pod: 'api-1', errors: 9 }] });
  assert.deepEqual(
    first.log.lines.map(({ source, matchedBy }) => [source, matchedBy]),
    [['api-1/web', 'pod']],
  );
  assert.deepEqual([first.log.basis, first.log.tracebacks.length], ['pod', 1]);
  const load = { ...buildLoad(START), errorBursts: [first] };
  const [finding] = findErrorBursts(/** @type {any} */ ({ load }));
  const { title, detail } = wordsOf(finding);
  assert.match(
    title,
    /: at that time the log of the pod says KeyError: 1 in get \(srv\/a\.py:3\)\.$/,
  );
  assert.match(detail ?? '', /Their link to these requests is a guess/);

  const second = await matchPods(t, logs, { answeredBy: [{ pod: 'api-2', errors: 9 }] });
  assert.equal(second.log.basis, 'endpoint');
  assert.equal(second.log.lines.length, 1);
  // Where it is not known who answered, all are looked at as before.
  const unknown = await matchPods(t, logs);
  assert.deepEqual(unknown.log.lines.map(({ matchedBy }) => matchedBy).sort(), [
    'endpoint',
    'time',
  ]);
});

test('nothing in the log at that time is said, and how to have a log only where there is none', async t => {
  const { burst } = await match(t, [line(2000, 'long before')], [sample()]);
  assert.equal(burst.log.basis, 'none');
  const load = { ...buildLoad(START), errorBursts: [burst] };
  const [followed] = findErrorBursts(/** @type {any} */ ({ load }));
  assert.doesNotMatch(wordsOf(followed).advice ?? '', /LOG_FILES/);
  const errorBursts = [matchLogs(BURST, [sample()], null)];
  const [finding] = findErrorBursts(/** @type {any} */ ({ load: { ...load, errorBursts } }));
  assert.match(
    wordsOf(finding).title,
    /^9 × 500 on GET \/a\/:id\/ within 2 s, 10 s after the start\.$/,
  );
  assert.match(wordsOf(finding).advice ?? '', /LOG_FILES/);
});

test('tracebacks are counted by exception and place, and the finding names them', async t => {
  const traceback = (/** @type {number} */ n) =>
    `[ERROR] Error handling request /a/${n}/\nTraceback (most recent call last):\n  File "/venv/site-packages/flask/app.py", line 1, in run\n  File "/srv/api/resources/a.py", line 21, in get\n  File "/venv/site-packages/sqlalchemy/x.py", line 3, in execute\nKeyError: 'row ${n}'`;
  const lines = [1, 2, 3].map(n => line(10_000 + n, traceback(n), { isTraceback: true }));
  const { burst } = await match(t, lines, [sample()]);
  assert.equal(burst.log.lines.length, 1);
  assert.equal(burst.log.lines[0]?.alike, 3);
  const [raised] = burst.log.tracebacks;
  assert.deepEqual(
    [raised?.exception, raised?.place, raised?.count],
    ["KeyError: 'row 1'", 'get (resources/a.py:21)', 3],
  );
  const load = { ...buildLoad(START), errorBursts: [burst] };
  const [finding] = findErrorBursts(/** @type {any} */ ({ load }));
  assert.match(
    wordsOf(finding).title,
    /: the log says KeyError: 'row 1' in get \(resources\/a\.py:21\)\.$/,
  );
  assert.equal(wordsOf(finding).advice, 'Look at get (resources/a.py:21).');
});

test('a traceback that names its path and method is that endpoint’s and no other’s', async t => {
  const raise = (/** @type {string} */ request) =>
    line(10_400, `Exception on ${request}\nTraceback (most recent call last):\nKeyError: 1`, {
      isTraceback: true,
    });
  /** @type {[request: string, basis: string][]} */
  const table = [
    ['/a/9/ [GET]', 'endpoint'],
    ['/a/9/ [POST]', 'none'],
    ['/api/quotes [POST]', 'none'],
  ];
  for (const [request, basis] of table) {
    const { burst } = await match(t, [raise(request)], [sample()]);
    assert.equal(burst.log.basis, basis, request);
    assert.equal(burst.log.tracebacks.length, basis === 'endpoint' ? 1 : 0, request);
  }
  const { logs } = await match(t, [raise('/a/9/ [GET]')], []);
  const { log } = matchLogs({ ...BURST, code: '404' }, [], logs.lines);
  assert.equal(log.basis, 'none', 'it ended in a 500');
});

test('a traceback of any word belongs to the endpoint that a rule groups them into', async t => {
  const raised = line(
    10_400,
    'Exception on /rates/usd [GET]\nTraceback (most recent call last):\nKeyError: 1',
    { isTraceback: true },
  );
  const { logs } = await match(t, [raised], []);
  const endpoint = 'GET /rates/:currency';
  const burst = { ...BURST, endpoint, endpoints: [{ name: endpoint, errors: 9 }] };
  assert.equal(matchLogs(burst, [], logs.lines).log.basis, 'endpoint');
});

test('what happened at the same time is a guess, and comes after the words of the response', async t => {
  const text =
    'Traceback (most recent call last):\n  File "/srv/a.py", line 1, in tick\nKeyError: 1';
  const { burst } = await match(t, [line(10_400, text, { isTraceback: true })], [sample()]);
  const load = { ...buildLoad(START), errorBursts: [burst] };
  const kinds = [{ endpoint: BURST.endpoint, code: '500', reason: 'the slot is taken' }];
  const [finding] = findErrorBursts(
    /** @type {any} */ ({ load: { ...load, failures: { tried: 100, kinds } } }),
  );
  const { title, detail } = wordsOf(finding);
  assert.match(title, /: the slot is taken\.$/);
  assert.match(detail ?? '', /a guess/);
});

test('the companion is never blamed for what the API raised', () => {
  const text =
    'Traceback (most recent call last):\n  File "/srv/api/a.py", line 3, in get\n  File "/srv/api/loadflame_companion.py", line 90, in __call__\nKeyError: 1';
  assert.equal(readTraceback(text)?.place, 'get (api/a.py:3)');
});

test('a chained traceback is that of its last exception', () => {
  const text = [
    'Traceback (most recent call last):',
    '  File "/srv/api/a.py", line 1, in first',
    'sqlite3.OperationalError: database is locked',
    '',
    'The above exception was the direct cause of the following exception:',
    '',
    'Traceback (most recent call last):',
    '  File "/srv/api/b.py", line 2, in second',
    'sqlalchemy.exc.OperationalError: (sqlite3.OperationalError) database is locked',
    '[SQL: SELECT 1]',
  ].join('\n');
  assert.deepEqual(readTraceback(text), {
    exception: 'sqlalchemy.exc.OperationalError: (sqlite3.OperationalError) database is locked',
    place: 'second (api/b.py:2)',
  });
  assert.equal(readTraceback('no such thing'), null);
  const long = `Traceback (most recent call last):\n  File "/srv/api/resources/a.py", line 21, in get\n    row = load(\n${CUT_MARK}\n  File "/srv/api/rows.py", line 9, in load\nKeyError: 'row'`;
  assert.deepEqual(readTraceback(long), {
    exception: "KeyError: 'row'",
    place: 'load (api/rows.py:9)',
  });
  assert.equal(readTraceback('Traceback (most recent call last):\n  … cut')?.place, null);
});

test('corrects the clock of a log, and reports the difference', async t => {
  const ahead = 90_000;
  const lines = Array.from({ length: 8 }, (_, n) => ({
    ...line(10_000 + n * 100, `error ${n}`),
    atMs: START + 10_000 + n * 100 + ahead - (n % 3) * 10,
  }));
  const { burst, logs } = await match(t, lines, []);
  assert.equal(logs.sources[0]?.aheadMs, ahead);
  assert.equal(burst.log.basis, 'time');
});

test('errors all the time are a finding only where the log speaks of them', () => {
  const basis = /** @type {const} */ ('none');
  const log = { isFollowed: true, basis, lines: [], more: 0, tracebacks: [] };
  const load = { ...buildLoad(START), errorBursts: [{ ...BURST, isSteady: true, log }] };
  assert.deepEqual(findErrorBursts(/** @type {any} */ ({ load })), []);
  const refused = { ...BURST, code: '401', log };
  assert.deepEqual(
    findErrorBursts(/** @type {any} */ ({ load: { ...load, errorBursts: [refused] } })),
    [],
    'refused tokens have a finding of their own',
  );
});

test("what gunicorn says of its workers' ends is kept, whatever its level, and the finding gives the reason", async t => {
  const { logs, report } = await analyse(t, [
    line(3000, '[7] [INFO] Autorestarting worker after current request.', { level: 'info' }),
    line(4000, '[7] [CRITICAL] WORKER TIMEOUT (pid:31)'),
    line(5000, '"GET /was sent SIGKILL HTTP/1.1" 500', { status: 500 }),
    line(90_000, '[7] [ERROR] Worker (pid:32) was sent SIGKILL! Perhaps out of memory?'),
  ]);
  assert.equal(logs.lines.filter(({ isWorkerEnd }) => isWorkerEnd).length, 3);
  assert.deepEqual(
    report?.workers.map(({ atMs }) => atMs - START),
    [3000, 4000],
    'during the load',
  );
  const cpu = { workerRestarts: 1, workers: [] };
  const [finding] = findWorkerRestarts(
    /** @type {any} */ ({ load: buildLoad(START), cpu, profile: null, logs: report }),
  );
  assert.match(
    wordsOf(finding).title,
    /1 worker was restarted .*: it did not respond to its master/,
  );
});

/** @param {import('node:test').TestContext} t @param {Record<string, any>[]} lines */
async function analyse(t, lines) {
  const files = runFiles(makeTempFolder(t));
  mkdirSync(path.dirname(files.log(1)));
  writeFileSync(files.log(1), lines.map(item => JSON.stringify(item)).join('\n'));
  const logs = await readLogs(files, new Set());
  const load = { ...buildLoad(START), window: { startMs: START, endMs: START + 60_000 } };
  const { logs: report } = await analyseLogs(
    /** @type {any} */ ({ files, load: new LoadTotals() }),
    load,
  );
  assert.ok(logs);
  return { logs, report };
}
