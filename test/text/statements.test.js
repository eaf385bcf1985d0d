/** Sentences of facts that no golden report has. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameFailure } from '../../lib/text/failures.js';
import { describeFinding } from '../../lib/text/findings.js';
import { describeWaste } from '../../lib/text/findings-code.js';
import { describePartial, describeQuality } from '../../lib/text/quality.js';
import { describeThreshold } from '../../lib/text/thresholds.js';
import { describeLeftOut, describeSession } from '../../lib/text/traffic.js';
import { describeVerdict } from '../../lib/text/verdict.js';

/** @type {[describe: (said: any) => string, id: string, facts: object, sentence: RegExp][]} */
const SENTENCES = [
  [
    describeQuality,
    'idle-samples',
    { samples: 20, rateHz: 5, isFew: true },
    /^The waits of requests are based on 20 samples of all threads of a worker, 5 a second\b.* too few/,
  ],
  [
    describeQuality,
    'waits-lost',
    { isAll: false, reason: 'py-spy was ended by SIGKILL' },
    / for a while: py-spy was ended by SIGKILL\.$/,
  ],
  [
    describeQuality,
    'waits-lost',
    { isAll: true, reason: 'not here' },
    / not recorded at all: not here\.$/,
  ],
  [
    describeQuality,
    'coordinated-omission',
    { actualMs: 48, intendedMs: 48, matters: false, percent: 95 },
    /^p95 of the total time is 48 ms .* 48 ms .*sent\.$/,
  ],
  [
    describeQuality,
    'coordinated-omission',
    { actualMs: 103.63, intendedMs: 206.4, matters: true, percent: 99 },
    /^p99 of the total time is 206 ms.*104 ms from when it was sent.*felt/,
  ],
  [
    describeQuality,
    'littles-law',
    { holds: true, inFlight: 9.8, users: 10, windowSec: 10, windows: 4 },
    /in 4 windows of 10 s: at most 9\.80 .* for 10\.0 active virtual users/,
  ],
  [
    describeQuality,
    'littles-law',
    { holds: false, inFlight: 25, users: 10, windowSec: 43, windows: 1 },
    /in 1 window of 43 s: at most 25\.00 .*More requests than users: rate, times or users are wrong/,
  ],
  [
    describeQuality,
    'lines-unread',
    { share: 0.25 },
    /^25\.0 % of the active samples end in lines .* source was not found/,
  ],
  [
    facts => describeVerdict(/** @type {any} */ ({ headline: facts, points: [] })).headline,
    'no-stacks',
    { cores: 1.736, processes: 2 },
    /^2 workers used 1\.74 cores; no load and no stacks were recorded\.$/,
  ],
  [describePartial, 'load-killed', {}, /load test was killed/],
  [describePartial, 'load-running', {}, /still running/],
  [describePartial, 'load-interrupted', {}, /load test was interrupted/],
  [describePartial, 'session-killed', {}, /loadflame itself was killed/],
  [describePartial, 'segments-lost', { segments: 1 }, /1 profile segment was lost/],
  [describePartial, 'event', { message: 'no space' }, /no space/],
  ...['SIGKILL', null].map(
    signal =>
      /** @type {any} */ ([
        describePartial,
        'load-failed',
        { engine: 'artillery', signal, exitCode: 7 },
        signal ? /Artillery was ended by SIGKILL/ : /Artillery ended with exit code 7/,
      ]),
  ),
];

for (const [describe, id, facts, sentence] of SENTENCES)
  test(`${id} of ${JSON.stringify(facts)}`, () =>
    assert.match(describe({ id, facts, level: 'warn' }), sentence));

test('an act of requests has the number of each request and the line, if known', () => {
  const act = { kind: 'file', file: 'flags.py', line: 12, function: 'flags', text: 'read *.yaml' };
  const flags = { name: 'GET /flags', ofRequests: 1, perRequest: 2, view: null };
  const wordsOf = (/** @type {object} */ own, endpoints = [flags]) =>
    describeFinding(
      /** @type {any} */ ({ id: 'act-per-request', facts: { act: { ...act, ...own }, endpoints } }),
    );
  const titleOf = (/** @type {object} */ own) => wordsOf(own).title;
  assert.equal(
    titleOf({}),
    'Each request to GET /flags opens files again: 2.0 per request, at flags.py:12.',
  );
  const { title } = wordsOf({}, [flags, { ...flags, name: 'GET /all', perRequest: 5 }]);
  assert.match(title, /GET \/flags and GET \/all opens files again: 2.0 to 5.0 per request/);
  assert.doesNotMatch(titleOf({ file: null, line: null, function: null }), /null|, at/);
  assert.match(wordsOf({}).advice ?? '', /^Read each once/);
  const written = wordsOf({ text: 'write *.txt' });
  assert.match(written.advice ?? '', /^Keep the file open/);
  assert.match(written.title, /^Each request to GET \/flags writes files: 2.0 per request/);
  const imported = (/** @type {string} */ text) => titleOf({ kind: 'import', text });
  assert.match(imported('import dask.distributed'), /flags imports `dask\.distributed`: 2.0/);
  assert.match(imported('import a`b<i>'), /flags imports a module: 2.0/);
});

test('a limit has the value, the interval and, in doubt, what to do', () => {
  const limit = { expression: 'auth.cpuMsPerRequest < 0.01', unit: 'ms', missing: null };
  const say = (/** @type {object} */ own) =>
    describeThreshold(/** @type {any} */ ({ ...limit, ...own }));
  const value = { value: 1.2, low: 1, high: 1.4 };
  assert.match(say({ status: 'fail', value }), /^1\.2 ms, 95 %: 1\.0 ms to 1\.4 ms$/);
  assert.match(say({ status: 'uncertain', value }), /cannot be decided: measure longer$/);
  const unknown = (/** @type {boolean} */ isClosed) =>
    say({ status: 'unknown', value: null, missing: { id: 'no-schedule', facts: { isClosed } } });
  assert.match(unknown(false), /^unknown: Artillery's engine does not record when/);
  assert.match(unknown(true), /the virtual users of this run are a closed loop$/);
});

test('a cause at some of the endpoints says what it costs a request to these', () => {
  const share = { value: 0.6, low: 0.5, high: 0.7 };
  const cpuMsPerRequest = { value: 10, low: null, high: null };
  const describe = (/** @type {any[]} */ ...endpoints) =>
    describeWaste(
      /** @type {any} */ ({
        ...{ title: 'x', share, cpuMsPerRequest, endpoints },
        ofRequests: endpoints.reduce((sum, own) => sum + own.ofRequests, 0),
      }),
    );
  const orders = { name: 'POST /api/orders', share: 1, ofRequests: 1 / 6 };
  assert.match(describe(orders), /, 60 ms of every request to POST \/api\/orders$/);
  const most = { ...orders, share: 0.9 };
  const rare = { name: 'GET /a', share: 0.1, ofRequests: 1 / 6 };
  const rest = { ...rare, name: 'GET /b', ofRequests: 5 / 6 };
  assert.match(
    describe(most, rare),
    /, 54 ms of every request to POST \/api\/orders \(about 90 % of it\)$/,
  );
  assert.match(
    describe(most, rest),
    /, 54 ms of every request to POST \/api\/orders \(about 90 % of it\)$/,
  );
  const half = { ...orders, share: 0.5, ofRequests: 0.5 };
  assert.match(describe(half, { ...half, name: 'GET /c' }), /, 10 ms of every request$/);
});

test('a capture that finds nothing is named by its path', () => {
  const kind = { endpoint: 'GET /book', code: 'Failed capture or match', reason: '($.isbn)' };
  assert.equal(
    nameFailure(/** @type {any} */ ({ ...kind, challenge: null })),
    'GET /book Failed capture or match ($.isbn)',
  );
});

test('a log says which hosts it left out, and how to take one of them', () => {
  const others = Array.from({ length: 41 }, (_, n) => [`host x${n}.example`, 1]);
  const leftOut = new Map(
    /** @type {any} */ ([['host other hosts', 12], ['host api.example', 2], ...others]),
  );
  assert.match(
    describeLeftOut(/** @type {any} */ ({ requests: 67, leftOut })).join(),
    /^left out 82\.1 %: other hosts; for one of them: `grep -F HOST access\.log \| loadflame init --log -`: other hosts 17\.9 %, api\.example 3\.0 %, x0\.example 1\.5 %.* and \d+ more$/,
  );
});

test('a recording without bodies says how many', () => {
  const exchanges = [true, true, false, false].map(isLost => ({ answer: { isLost } }));
  const session = { origin: '', exchanges, leftOut: new Map() };
  const made = { variables: {}, login: null, cookies: [], dates: [], captured: [], literal: [] };
  const said = describeSession(/** @type {any} */ (session), /** @type {any} */ (made));
  assert.match(said.join('\n'), /^no body {2}2 of 4 responses/m);
});
