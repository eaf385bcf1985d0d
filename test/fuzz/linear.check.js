/**
 * Every parser of text from outside takes time in proportion to its length: 20 kB of a suspicious form at each place of a
 * good text, and 1 MB of it at its end. Machines differ in speed, so a text that takes long is compared with a quarter of
 * itself.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { groupAlike } from '../../lib/analysis/load/logs/match-logs.js';
import { readTraceback } from '../../lib/analysis/load/logs/tracebacks.js';
import {
  parseFrame,
  parseProcess,
  parseThread,
  unescapeFolded,
} from '../../lib/analysis/stacks/frame-text.js';
import { parseSvg } from '../../lib/analysis/stacks/parse-svg.js';
import { ProfileBuilder } from '../../lib/analysis/stacks/profile-builder.js';
import { createRawParser } from '../../lib/analysis/stacks/read-raw.js';
import { nameEndpoint } from '../../lib/base/config/endpoint-names.js';
import { nameOther } from '../../lib/base/files/detect-format.js';
import { plainLine, slugOf } from '../../lib/base/files/plain-text.js';
import { readChallenge, readReason } from '../../lib/base/files/read-reason.js';
import { createRedactor, secretsOfCookies } from '../../lib/base/files/redaction.js';
import { isSecretField } from '../../lib/base/files/secret-fields.js';
import { findOnlyTemplate, listTemplates } from '../../lib/base/files/templates.js';
import { unescapeXml } from '../../lib/base/files/xml-text.js';
import { readPage } from '../../lib/load/auth/login/read-page.js';
import { readClaims } from '../../lib/load/auth/read-token.js';
import { EventParser } from '../../lib/load/engine/sse/event-parser.js';
import { createCalls } from '../../lib/load/metrics/calls.js';
import { nameError } from '../../lib/load/metrics/error-samples.js';
import { createServerSide, createStickyCookies } from '../../lib/load/metrics/server-side.js';
import { isPrivate, maskLine, readAddress } from '../../lib/load/traffic/addresses.js';
import { buildFlow } from '../../lib/load/traffic/capture-values.js';
import { parseLine } from '../../lib/load/traffic/read-access-log.js';
import { readHar } from '../../lib/load/traffic/read-har.js';
import { parseOpenApi } from '../../lib/load/traffic/read-openapi.js';
import { listCookies, listValues } from '../../lib/load/traffic/response-values.js';
import { createLineJoiner } from '../../lib/record/logs/join-lines.js';
import { readLogLine } from '../../lib/record/logs/read-log-line.js';
import { readPythonRoutes } from '../../lib/record/profiler/python-routes.js';
import { readPythonFunctions } from '../../lib/record/profiler/python-source.js';
import { readPySpyError } from '../../lib/record/profiler/read-py-spy-error.js';
import { codeSpan, escapeMarkdown } from '../../lib/report/print/markdown-text.js';
import { wrapText } from '../../lib/report/print/terminal-text.js';
import { nameCalled, shortenCall } from '../../lib/text/calls.js';

const SHORT = 20_000;
/** Longer times are compared. Quadratic time of a cheap step is 0.1 to 0.4 s. */
const SHORT_MS = 75;
const LONG = 1_000_000;
const LONG_MS = 1000;
/** A text four times as long takes four times as long, 16 times in quadratic time. */
const MOST_GROWTH = 8;
/** However slow the machine is. */
const MOST_MS = 5000;
/** Repeated to the whole length. */
const FORMS = [
  ...['a', '1', 'A1', ' ', '"', "'", '\\', '\\"', '\\x41', '%', '%25', '%40', '[', '(', '{', '{{'],
  ...[
    '<',
    '<a ',
    '<p>',
    '<div>',
    '</p',
    '<!--',
    '&',
    '&amp;',
    ';',
    '=',
    'a=',
    'a;',
    'at ',
    '- ',
    '-',
    ',',
  ],
  ...['.', '.1:1', '/', ':', '::', '@', 'a@a.', '\t', '\r\n', '\n', '\n ', '`', '|', '_', 'é', '$'],
  ...['eyJ', 'Bearer ', 'password', '--a ', '{"a":', 'File "', '\u0000', '\u{1f600}'],
];

const TIME = '20/Nov/2026:14:03:05 +0000';
const CLF = `10.0.0.1 - ann [${TIME}] "GET /items/4?x=1 HTTP/1.1" 200 12 "-" "Firefox" "10.0.0.1, 10.8.8.8"`;
const LOG_LINES = {
  haproxy: `haproxy[1]: 10.0.0.1:5 [20/Nov/2026:14:03:05.655] a b/c 1/0/3/6/9 200 27 - - ---- 1/1/1/1/0 0/0 {d} "GET /a HTTP/1.1"`,
  alb: `h2 2026-11-20T14:03:05.1Z app/a 10.0.0.1:5 10.0.0.2:80 0.1 0.1 0.1 200 200 3 3 "GET https://h:443/a HTTP/1.1" "curl" - -`,
  envoy: `[2026-11-20T14:03:05.310Z] "GET /a HTTP/1.1" 200 - 0 22 12 11 "10.0.0.1" "curl" "1" "h"`,
  uvicorn: `2026-11-20 14:03:05,123 - uvicorn.access - INFO - 10.0.0.1:5 - "GET /a HTTP/1.1" 200`,
};
const TRACEBACK =
  'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    x\nValueError: no';
const TIMING =
  'x;dur=1, total;dur=1.5, cpu;dur=1.2, worker;desc="0123abcd.12", around;dur=1, ended;dur=1, now;dur=1732111385000, companion;desc="0.1.0", pools;desc="4 anyio:4:9:9:1", gc;desc="3.11.7 r2:1:2:3 o4", paused;dur=1.5, blocker;dur=9.5;desc="1.5 GET /report"';
const SVG =
  '<svg><g><title>f (a.py:1) (3 samples, 10.0%)</title><rect x="1" y="2" width="10%" height="1"/></g></svg>';
const CALLS =
  '{"calls":[["0123abcd",1,20,1,0,[[3,1]]]],"late":[1,[["0123abcd",1,20,1,0,[[3,1]]]]],"named":{"0123abcd":{"text":"SELECT a"}}}';
const PYTHON = 'TOKEN = f("""a""" \'b\')\n@app.get("/x")\ndef f(a):\n    return """b"""  # c\n';
const PAGE =
  '<html><form action="/a" method=post><input name="csrf" value="1"></form><p class="b">no</p>';
const folder = mkdtempSync(path.join(tmpdir(), 'loadflame-linear-'));
after(() => rmSync(folder, { recursive: true }));
const url = new URL('http://127.0.0.1/items');
const { redactText } = createRedactor(['s3cret-of-the-run']);

/** @param {string} mimeType @param {string} text */
const list = (mimeType, text) =>
  listValues(/** @type {any} */ ({ url, answer: { headers: [], text, mimeType } }));

/** A good text, and its reader. @type {Record<string, [string, (text: string) => unknown]>} */
const PARSERS = {
  'line of an access log': [CLF, parseLine],
  ...Object.fromEntries(
    Object.entries(LOG_LINES).map(([name, line]) => [`line of ${name}`, [line, parseLine]]),
  ),
  'text of another format': [
    '{"a": 1}\nProcess 1: a\nProgram: b\nhaproxy[1]: c\nINFO:   d',
    text => nameOther(text, 'none'),
  ],
  'access log in JSON': [`{"time":"${TIME}","request":"GET /a HTTP/1.1","status":200}`, parseLine],
  'line for display': [CLF, maskLine],
  'target of a request': ['/items/4;a=b?x=1&y={z}', readAddress],
  'recorded value': ['ann@example.org', text => isPrivate('name', text)],
  'name of a field': ['user[password]', text => [isPrivate(text, 'a1'), isSecretField(text, 'a1')]],
  'answer of an API, redacted': [
    '"loc":["a","pin"],"input":"a" [(\'pin\', \'a\')] -----BEGIN PRIVATE KEY----- a xoxb-a',
    redactText,
  ],
  'any text, redacted': ['a https://u:p@h/?password="b"&c Cookie: d=e; f Bearer x', redactText],
  'Set-Cookie': [
    'sid=a; Path=/; HttpOnly',
    text => {
      secretsOfCookies(text);
      createStickyCookies().backendOf([text], () => text);
      return listCookies({
        headers: [['set-cookie', text]],
        text: '',
        mimeType: '',
        isLost: false,
      });
    },
  ],
  'recorded page': [PAGE, text => list('text/html', text)],
  'recorded session': [
    'user=ann&id=17',
    text => {
      const startedDateTime = '2026-11-20T14:00:00Z';
      const content = { mimeType: 'application/json', text: JSON.stringify({ [text]: [text] }) };
      const postData = { mimeType: 'application/x-www-form-urlencoded', text };
      const headers = [{ name: 'Cookie', value: text }];
      const response = { status: 200, headers: [], content };
      const first = { method: 'GET', url: 'http://h/', headers: [] };
      const next = { method: 'POST', url: `http://h/${text}`, headers, postData };
      const entries = [
        { startedDateTime, request: first, response },
        { startedDateTime, request: next, response: { status: 200, headers: [], content: {} } },
      ];
      const file = path.join(folder, 'session.har');
      writeFileSync(file, JSON.stringify({ log: { entries } }));
      buildFlow(readHar(file));
    },
  ],
  'recorded JSON': ['{"a":[{"id":"b"}]}', text => list('application/json', text)],
  'page of a login': [PAGE, readPage],
  'claims of a token': ['eyJh.eyJpc3MiOiJhIn0.c2ln', readClaims],
  'page of an error': [PAGE, readReason],
  'JSON of an error': ['{"error": "a", "detail": "b\\"c"', readReason],
  'text of an error': ['no: <b>a</b>', readReason],
  'WWW-Authenticate': ['Bearer error="a", error_description="b"', readChallenge],
  'message of an error': ['connect ECONNREFUSED 127.0.0.1:80', text => nameError(new Error(text))],
  'Server-Timing': [
    TIMING,
    text => {
      const second = { workers: {}, backends: {}, failed: {}, counters: {} };
      const signs = { timing: text, setCookies: null, readCookie: () => '', status: 200 };
      createServerSide().note(
        /** @type {any} */ (second),
        /** @type {any} */ ({}),
        /** @type {any} */ (signs),
      );
    },
  ],
  'Loadflame-Calls': [
    CALLS,
    text =>
      createCalls(() => {}, redactText).note(
        /** @type {any} */ ({}),
        'GET /',
        'a',
        text,
        /** @type {any} */ ({}),
      ),
  ],
  'event of a stream': [
    'event: a\ndata: b\nid: 1\n\n',
    text => new EventParser(() => {}).add(Buffer.from(text)),
  ],
  'line of a log': ['[2026-11-21 04:15:17 +0000] [4312] [ERROR] a', text => readLogLine(text, 0)],
  'JSON line of a log': [
    '{"time":"2026-11-21T04:15:17Z","level":"a"}',
    text => readLogLine(text, 0),
  ],
  'record of a log': [
    TRACEBACK,
    text => {
      const joiner = createLineJoiner(({ text: own }) => readTraceback(own));
      for (const line of text.split('\n', 5000)) joiner.add(line, 0);
      joiner.flush();
    },
  ],
  traceback: [TRACEBACK, readTraceback],
  'lines alike': ['a 0x12 b', text => groupAlike([/** @type {any} */ ({ text })], () => 0)],
  'error of py-spy': [
    'Error: Permission Denied: a',
    text => readPySpyError(text, 1, () => ({ why: '' })),
  ],
  // Larger files are not read.
  'source of the target': [PYTHON, text => readPythonFunctions(text.slice(0, 5e5), redactText)],
  'routes of the target': [PYTHON, text => readPythonRoutes(text.slice(0, 5e5))],
  'frame of a profile': ['f (a.py:1)', parseFrame],
  'process of a profile': [
    'process 12:"python a"',
    text => [parseProcess(text), parseThread(text)],
  ],
  'escaped frame': ['a\\x3bb', unescapeFolded],
  'line of a profile': [
    'process 12:"python a";thread (0x1f): "b";f (a.py:1);g 3',
    text => createRawParser(new ProfileBuilder()).addLine(text),
  ],
  flamegraph: [SVG, text => parseSvg(text, { file: 'a.svg' })],
  'text of XML': ['a&amp;b&#x41;', unescapeXml],
  templates: ['{{ a }} {{ $env.B }}', text => [listTemplates(text), findOnlyTemplate(text)]],
  statement: ['SELECT a FROM b WHERE c = 1', text => shortenCall(/** @type {any} */ ({ text }))],
  'called service': [
    'GET https://host/a',
    text => nameCalled(/** @type {any} */ ({ kind: 'http', text })),
  ],
  'JSON description of an API': [
    '{"paths":{"/a/{b}":{"get":{"parameters":[{"name":"b","in":"path","$ref":"#/a/b"}]}}}}',
    text => parseOpenApi(text, 'http://h/openapi.json'),
  ],
  'name of an endpoint': [
    'items/4?a',
    text => nameEndpoint({ url: `http://h/${text}` }, 'http://h', ['/:a']),
  ],
  Markdown: ['- a `b` | <c> @d #1', text => [escapeMarkdown(text, true), codeSpan(text, true)]],
  terminal: ['a long text of 4 ms', text => [wrapText(text, 80), plainLine(text), slugOf(text)]],
};

/** Places between words and signs. @param {string} text */
const listPlaces = text => [
  0,
  ...[...text.matchAll(/\w+|\W/g)].map(({ index, 0: word }) => index + word.length),
];

/** A refused text is read as well. @param {(text: string) => unknown} read @param {string} text @returns {number} ms of CPU time: the machine may be busy */
function measure(read, text) {
  const started = process.cpuUsage();
  try {
    read(text);
  } catch (error) {
    // Anything but an error of ours would end the program.
    const isOurs = !(error instanceof TypeError || error instanceof RangeError);
    assert.ok(isOurs, /** @type {Error} */ (error).stack);
  }
  return process.cpuUsage(started).user / 1000;
}

for (const [name, [good, read]] of Object.entries(PARSERS)) {
  test(`reads long text in linear time: ${name}`, () => {
    measure(read, good);
    /** @param {string} form @param {number} length @param {number} at @param {number} mostMs */
    const check = (form, length, at, mostMs) => {
      /** @param {number} own */
      const grow = own => good.slice(0, at) + form.repeat(own / form.length) + good.slice(at);
      let ms = measure(read, grow(length));
      if (ms <= mostMs) return;
      // The collector of garbage may run.
      /** @param {number} own */
      const measureLeast = own =>
        Math.min(...Array.from({ length: 3 }, () => measure(read, grow(own))));
      ms = Math.min(ms, measureLeast(length));
      if (ms <= mostMs) return;
      const quarterMs = measureLeast(length / 4);
      const what = `${length} characters of ${JSON.stringify(form)} at ${at} took ${Math.round(ms)} ms, a quarter ${Math.round(quarterMs)} ms`;
      assert.ok(ms <= MOST_GROWTH * quarterMs && ms <= MOST_MS, what);
    };
    for (const form of FORMS) {
      for (const at of listPlaces(good)) check(form, SHORT, at, SHORT_MS);
      check(form, LONG, good.length, LONG_MS);
    }
  });
}
