/** What fails is counted in one place: the share of a run is that of the rows of its endpoints. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { judgeLoad } from '../../lib/analysis/judge/quality/load.js';
import { findInvalid } from '../../lib/analysis/judge/quality/validity.js';
import { buildLoadReport } from '../../lib/analysis/load/load-report.js';
import { LoadTotals } from '../../lib/analysis/read/load/load-totals.js';
import { plainText } from '../../lib/base/files/plain-text.js';
import { sum } from '../../lib/base/math/summary.js';
import { readNdjson } from '../../lib/run/ndjson.js';
import { serveBytes } from './engine/http-run.js';
import { makeFolder, startTestLoad } from './helpers.js';

const USERS = 3;
const OK = 'HTTP/1.1 200 OK\r\nconnection: close\r\n';
/** By path. @type {Record<string, string>} */
const RESPONSES = {
  '/book': `${OK}content-length: 22\r\n\r\n{"title":"A novel 12"}`,
  '/': `${OK}content-length: 2\r\n\r\n{}`,
  '/foreign': `${OK}set-cookie: lang=de; Domain=shop.example\r\ncontent-length: 2\r\n\r\n{}`,
  '/nameless': `${OK}set-cookie: lang\r\ncontent-length: 2\r\n\r\n{}`,
  '/address': `${OK}set-cookie: a=1; Domain=10.0.0.1\r\ncontent-length: 2\r\n\r\n{}`,
  '/hostile': `${OK}set-cookie: a=1; Domain=\x9b31m.example\r\ncontent-length: 2\r\n\r\n{}`,
  '/short': `${OK}content-length: 100\r\n\r\n{}`,
  '/chunked': `${OK}transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n`,
  '/busy-short': 'HTTP/1.1 503 Busy\r\ncontent-length: 100\r\n\r\n{}',
  '/cut-by-half': 'HTTP/1.1 200',
};
const HOOKS = `
export const fails = () => { throw new Error('own mistake'); };
export const ping = (context, events, done) => {
  events.emit('counter', 'pings', 1);
  events.emit('histogram', 'ping_ms', 12);
  done();
};
export const onlyTimes = (context, events, done) => { events.emit('histogram', 'ping_ms', 12); done(); };
export const report = (context, events, done) => { events.emit('error', 'own error'); done(); };
`;

/** @param {import('node:test').TestContext} t @param {string} flow @param {string} [more] of the scenario */
async function measure(t, flow, more = '') {
  const { target } = await serveBytes(t, (socket, data) => {
    const [, path = ''] = /GET (\S+)/.exec(String(data)) ?? [];
    socket.end(Buffer.from(RESPONSES[path] ?? '', 'latin1'));
  });
  const { running, files, heard } = await startTestLoad(makeFolder(t), {
    script: `
config:
  target: "${target}"
  processor: ./hooks.mjs
  phases: [{ duration: 1, arrivalCount: ${USERS} }]
scenarios: [{ ${more} flow: [${flow}] }]
`,
    files: { 'hooks.mjs': HOOKS },
    settings: {},
  });
  await running.ended;
  const totals = LoadTotals.of(/** @type {any} */ ((await readNdjson(files.metrics)).records));
  const { records } = await readNdjson(files.errors);
  const errors = /** @type {any} */ (records);
  const load = buildLoadReport({ load: totals, errors, tokens: [], artillery: null });
  assert.ok(load);
  const { failures, endpoints, http } = load;
  assert.equal(failures.failed, sum(endpoints.map(({ errors }) => errors)), 'one count');
  assert.equal(failures.share, http.errorRate);
  assert.equal(heard.progress.at(-1)?.errors, failures.failed, 'live progress');
  assert.equal(sum(load.seconds.map(({ errors }) => errors)), failures.failed, 'series');
  assert.equal(http.unknown, 0);
  return { load, heard };
}

// They wait for their loads, three at a time.
describe('failures have one count', { concurrency: 3 }, () => {
  test('a cookie that the jar refuses is a warning with its reason, and fails nothing', async t => {
    const paths = ['/foreign', '/nameless', '/address', '/hostile'];
    const flow = paths.map(path => `{ get: { url: "${path}" } }`);
    const { load, heard } = await measure(t, flow.join(', '));
    assert.equal(load.failures.failed, 0);
    assert.equal(load.users.failed, 0);
    assert.deepEqual(
      load.failures.kinds.map(({ code, count, isOfStep }) => [code, count, isOfStep]),
      [['cookie_parse_error_invalid_cookie', USERS * paths.length, true]],
    );
    const notes = heard.notes.filter(note => /^a cookie was not stored: /.test(note));
    assert.equal(notes.length, paths.length, 'once for each reason');
    assert.equal(notes.join(), plainText(notes.join()));
  });

  /** @type {[what: string, flow: string, expected: {failed: number, users: number, kinds: [string, boolean | undefined][]}, more?: string][]} */
  const STEPS = [
    [
      'a function step that throws',
      '{ get: { url: / } }, { function: fails }',
      { failed: 0, users: USERS, kinds: [['own mistake', true]] },
    ],
    [
      'a scenario hook that throws before any request',
      '{ get: { url: / } }',
      { failed: 0, users: USERS, kinds: [['own mistake', true]] },
      'beforeScenario: fails,',
    ],
    [
      'a function that reports an error of its own',
      '{ function: report }, { get: { url: / } }',
      { failed: 0, users: 0, kinds: [['own error', true]] },
    ],
    [
      'a hook that refuses a response',
      '{ get: { url: /, afterResponse: fails } }',
      { failed: USERS, users: USERS, kinds: [['own mistake', undefined]] },
    ],
    [
      'a hook that fails before its request',
      '{ get: { url: /, beforeRequest: fails } }',
      { failed: 0, users: USERS, kinds: [['own mistake', true]] },
    ],
    [
      'a capture that finds nothing',
      '{ get: { url: /, capture: { json: $.id, as: id } } }',
      { failed: USERS, users: USERS, kinds: [['Failed capture or match', undefined]] },
    ],
    [
      'a body shorter than its Content-Length',
      '{ get: { url: /short } }',
      { failed: USERS, users: USERS, kinds: [['ECONNRESET', undefined]] },
    ],
    [
      'chunks without an end',
      '{ get: { url: /chunked } }',
      { failed: USERS, users: USERS, kinds: [['ECONNRESET', undefined]] },
    ],
    [
      'a refusal that is cut short counts once',
      '{ get: { url: /busy-short } }',
      { failed: USERS, users: USERS, kinds: [['503', undefined]] },
    ],
    [
      'a response that is cut short in its first line',
      '{ get: { url: /cut-by-half } }',
      { failed: USERS, users: USERS, kinds: [['ECONNRESET', undefined]] },
    ],
  ];

  for (const [what, flow, expected, more] of STEPS)
    test(`${what}: ${expected.failed} of the requests failed, in every place`, async t => {
      const { load } = await measure(t, flow, more);
      assert.deepEqual(
        {
          failed: load.failures.failed,
          users: load.users.failed,
          kinds: load.failures.kinds.map(({ code, isOfStep }) => [code, isOfStep]),
        },
        expected,
      );
    });

  test('a capture that finds nothing is named by its path, not by what a response says', async t => {
    const { load } = await measure(t, '{ get: { url: /book, capture: { json: $.isbn, as: x } } }');
    const [kind] = load.failures.kinds;
    assert.deepEqual(
      [kind?.endpoint, kind?.code, kind?.reason],
      ['GET /book', 'Failed capture or match', '($.isbn)'],
    );
  });

  for (const name of ['ping', 'onlyTimes'])
    test(`a load of functions with metrics of their own is valid: ${name}`, async t => {
      const { load } = await measure(t, `{ function: ${name} }`);
      assert.equal(findInvalid(load), null);
      assert.ok(
        judgeLoad(load, null).some(({ id, level }) => id === 'own-metrics' && level === 'warn'),
      );
      assert.equal(load.histograms?.ping_ms?.count, USERS);
    });

  test('a load of functions that measure nothing is not valid', async t => {
    const { load } = await measure(t, '{ function: report }');
    assert.equal(findInvalid(load)?.id, 'nothing-sent');
  });
});
