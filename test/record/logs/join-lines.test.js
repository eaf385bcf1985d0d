import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createLineJoiner } from '../../../lib/record/logs/join-lines.js';
import { readLogLine } from '../../../lib/record/logs/read-log-line.js';

const NOW = Date.UTC(2026, 10, 21, 4, 15, 18);

/** @param {string} text */
function join(text) {
  /** @type {import('../../../lib/record/logs/join-lines.js').LogRecord[]} */
  const records = [];
  const joiner = createLineJoiner(record => records.push(record));
  for (const line of text.split('\n')) joiner.add(line, NOW);
  joiner.flush();
  return records;
}

test("a traceback belongs to the line that it follows, and the next request's line does not", () => {
  const text = readFileSync(new URL('./fixtures/gunicorn-errors.log', import.meta.url), 'utf8');
  const records = join(text);
  const told = records.map(({ level, pid, lines, isTraceback }) => [
    level,
    pid,
    lines,
    isTraceback,
  ]);
  assert.deepEqual(told, [
    ['info', 1823, 1, false],
    ['error', 1830, 12, true],
    ['error', null, 12, true],
    ['error', null, 22, true],
    [null, null, 1, false],
    ['error', null, 4, true],
    ['error', 1823, 1, false],
  ]);
  assert.match(records[1]?.text ?? '', /Error handling request[\s\S]*ValueError: no such row$/);
  assert.match(records[3]?.text ?? '', /direct cause[\s\S]*\(Background on this error at: \S+\)$/);
  assert.equal(records[4]?.text, 'a print of the application');
});

test('access lines amid a traceback end it not: a pod has both of its outputs in one log', () => {
  const access = (/** @type {number} */ status) =>
    `10.244.0.1 - - [21/Nov/2026:04:15:17 +0000] "GET /ready HTTP/1.1" ${status} 0 "-" "kube-probe/1.34"`;
  const records = join(
    [
      '[2026-11-21 04:15:17,454] ERROR in app: Exception on /work [GET]',
      'Traceback (most recent call last):',
      '  File "/srv/app.py", line 23, in work',
      access(200),
      '    return look_up(number)',
      access(500),
      '  File "/srv/app.py", line 16, in look_up',
      "KeyError: '2'",
      access(200),
    ].join('\n'),
  );
  assert.deepEqual(
    records.map(({ status, lines, isTraceback }) => [status, lines, isTraceback]),
    [
      [200, 1, false],
      [500, 1, false],
      [null, 6, true],
      [200, 1, false],
    ],
  );
  assert.match(records[2]?.text ?? '', /in work\n.*\n.*in look_up\nKeyError: '2'$/);
});

test('times with a zone, without one and of access logs become epoch milliseconds', () => {
  const local = new Date(NOW);
  const pad = (/** @type {number} */ n) => String(n).padStart(2, '0');
  const localText = `${local.getFullYear()}-${pad(local.getMonth() + 1)}-${pad(local.getDate())} ${pad(local.getHours())}:${pad(local.getMinutes())}:${pad(local.getSeconds())},250`;
  for (const [line, expected] of /** @type {[string, number | null][]} */ ([
    ['[2026-11-21 04:15:17 +0000] [7] [INFO] Booting', NOW - 1000],
    ['[2026-11-21 05:15:17 +0100] [7] [INFO] Booting', NOW - 1000],
    ['2026-11-21T04:15:17.123456789Z stdout F hello', NOW - 1000 + 123],
    ['127.0.0.1 [21/Nov/2026:04:15:17 +0000] "GET / HTTP/1.1" 200 2', NOW - 1000],
    [`${localText} ERROR in app: no`, NOW + 250],
    ['2026-11-21 04:15:17 of no zone in particular', NOW - 1000],
    ['2019-01-01 00:00:00 without a zone and long ago', null],
    ['no time at all', null],
    [`{"ts": ${NOW / 1000}, "level": "error", "message": "x"}`, NOW],
    ['{"timestamp": "2026-11-21T04:15:17Z", "level": "WARNING"}', NOW - 1000],
    ['{"half": ', null],
  ])) {
    assert.equal(readLogLine(line, NOW).atMs, expected, line);
  }
});

test('an access line has the level of its status, whatever its path contains', () => {
  const line = (/** @type {number} */ status) =>
    `127.0.0.1 [21/Nov/2026:04:15:17 +0000] "GET /ERROR/critical?pid=9 HTTP/1.1" ${status} 2 pid=4312 us=12`;
  assert.equal(readLogLine(line(200), NOW).level, null);
  assert.equal(readLogLine(line(404), NOW).level, 'warn');
  const failed = readLogLine(line(503), NOW);
  assert.equal(failed.level, 'error');
  assert.equal(failed.status, 503);
});

test('of an endless record its start and its end are kept', () => {
  const frames = Array.from({ length: 5000 }, (_, n) => `  File "/app/deep.py", line ${n}, in f`);
  const [record] = join(
    ['[2026-11-21 04:15:17 +0000] [7] [ERROR] oh', 'Traceback (most recent call last):']
      .concat(frames, 'RecursionError: maximum recursion depth exceeded')
      .join('\n'),
  );
  assert.equal(record?.lines, 5003);
  assert.ok((record?.text.length ?? 0) < 35_000);
  assert.match(record?.text ?? '', /^\[2026[\s\S]*lines left out[\s\S]*RecursionError: maximum/);
});

const GLUED = `(1824) accepted ('127.0.0.1', 39290)`;

for (const [what, line, heads] of /** @type {[string, string, string[]][]} */ ([
  [
    'gunicorn',
    `${GLUED}[2026-11-21 04:15:17 +0000] [7] [ERROR] Worker (pid:9) was sent SIGKILL!`,
    ['(1824) a', '[2026-11'],
  ],
  ["Python's default", 'no cookieERROR:app.rooms:refused', ['no cooki', 'ERROR:ap']],
  ['uvicorn', `${GLUED}ERROR:    Exception in ASGI application`, ['(1824) a', 'ERROR:  ']],
  ['a traceback', 'waitingTraceback (most recent call last):', ['waiting', 'Tracebac']],
  ['twice', 'xERROR:root:refusedERROR:root:refused', ['x', 'ERROR:ro', 'ERROR:ro']],
  [
    'a value in quotes',
    `level=error msg="[2026-11-21 04:15:17 +0000] [7] [ERROR] x"`,
    ['level=er'],
  ],
  ['a string', `10 msg='ERROR:root:x' "Traceback (most recent call last):`, ["10 msg='"]],
  ['JSON', '{"message": "failed\\nTraceback (most recent call last):\\n"}', ['{"messag']],
  ['JSON', '{"message": "refusedERROR:root:refused"}', ['{"messag']],
  ['a colour', '\u001b[31mERROR:root:refused', ['\u001b[31mERR']],
  ['a name', 'raised PARSE_ERROR:root:refused, UnhandledERROR: none', ['raised P']],
  ['a group of exceptions', '    | Traceback (most recent call last):', ['    | Tr']],
]))
  test(`finds the records in a line, and leaves a value whole: ${what}: ${line.slice(0, 40)}`, () => {
    assert.deepEqual(
      join(line).map(({ text }) => text.slice(0, 8)),
      heads,
    );
  });

test('reads a hostile line of glued beginnings in linear time', () => {
  const line = `x${'aERROR:'.repeat(20_000)}${'[2026-11-21 04:15:17 +0000] ['.repeat(500)}${'[1;1'.repeat(4000)}`;
  const start = performance.now();
  const lengths = join(line).map(({ bytes }) => bytes - 1);
  assert.equal(
    lengths.reduce((total, length) => total + length, 0),
    line.length,
  );
  assert.ok(performance.now() - start < 3000);
});
