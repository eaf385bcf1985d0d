/** `--engine artillery`: Artillery's own command line, and what is made of what it leaves. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { buildLoadReport } from '../../lib/analysis/load/load-report.js';
import { LoadTotals } from '../../lib/analysis/read/load/load-totals.js';
import { readNdjson } from '../../lib/run/ndjson.js';
import { waitUntil } from '../helpers/gunicorn.js';
import { serve } from '../helpers/listen.js';
import { recordsOf } from '../helpers/records.js';
import { makeFolder, makeTokens, startTestLoad } from './helpers.js';

/** @import { RunFiles } from '../../lib/run/run-folder.js' */

// Built from parts, so that no file of this repository holds something that looks like a token.
const JWT = ['eyJhbGciOiJSUzI1NiJ9', 'eyJzdWIiOiIxMjM0NTY3ODkwIn0', 'c2ln'].join('.');

/** The report's load, as it is read from a run folder. @param {RunFiles} files */
async function readReport(files) {
  const { records: metrics } = await readNdjson(files.metrics);
  const artillery = existsSync(files.artillery)
    ? JSON.parse(readFileSync(files.artillery, 'utf8'))
    : null;
  return {
    metrics,
    load: buildLoadReport({
      load: LoadTotals.of(recordsOf('metrics', metrics)),
      errors: [],
      tokens: [],
      artillery,
    }),
  };
}

test('a run of Artillery leaves its JSON, redacted, and a report says what is known', async t => {
  let elsewhere = 0;
  const other = await serve(t, (_, response) => {
    elsewhere += 1;
    response.end();
  });
  /** @type {(string | undefined)[]} */
  const tokens = [];
  const target = await serve(t, (request, response) => {
    tokens.push(request.headers.authorization);
    if (request.url === '/elsewhere') response.writeHead(302, { location: other }).end();
    else if (request.url === '/redirect') response.writeHead(302, { location: '/ok' }).end();
    else response.end('{}');
  });
  const folder = makeFolder(t);
  const output = path.join(folder, 'out.json');
  const { running, files, heard } = await startTestLoad(folder, {
    script: `
config:
  target: "{{ $env.TARGET }}"
  processor: ./hooks.cjs
  phases: [{ name: only, duration: 2, arrivalCount: 4 }]
scenarios:
  - name: all
    flow: [{ get: { url: /ok } }, { get: { url: /redirect } }, { function: fail }]
  - name: away
    flow: [{ get: { url: /elsewhere } }]
  - name: public
    loadflame: { auth: false }
    flow: [{ get: { url: /public } }]
`,
    files: {
      'hooks.cjs': `exports.fail = (context, events, done) => {
        events.emit('counter', 'custom.my-secret', 1);
        done(new Error('refused ${JWT} of my-secret'));
      };`,
    },
    settings: { TARGET: target },
    secrets: { OIDC_CLIENT_SECRET: 'my-secret' },
    tokens: makeTokens([JWT]),
    workers: 1,
    options: { engine: 'artillery', output },
  });
  const commandLine = readFileSync(`/proc/${running.pid}/cmdline`, 'utf8');
  const environment = readFileSync(`/proc/${running.pid}/environ`, 'utf8');
  const { progress } = heard;
  const end = await running.ended;
  const { metrics, load } = await readReport(files);

  assert.deepEqual([end.reason, end.exitCode], ['complete', 0], end.logTail);
  assert.equal(load?.engine, 'artillery');
  assert.deepEqual(
    load?.phases.map(({ name, model }) => [name, model]),
    [['only', 'open']],
  );
  assert.equal(load?.users.created, 4);
  assert.equal(load?.http.requests, end.counters['http.requests']);
  assert.ok(Number(load?.http.totalTime?.count) > 0);
  assert.deepEqual(
    metrics.map(({ kind }) => kind),
    ['load-start', 'phase-start', 'phase-end', 'load-end'],
  );
  assert.equal(elsewhere, 0);
  const usersOf = (/** @type {string} */ wanted) =>
    load?.users.byScenario.find(({ name }) => name === wanted)?.count ?? 0;
  const refused = load?.errors.find(({ name }) => name === 'ERR_REDIRECT_TO_ANOTHER_HOST');
  assert.equal(refused?.count ?? 0, usersOf('away'));
  assert.equal(tokens.filter(token => token === undefined).length, usersOf('public'));
  assert.ok(tokens.every(token => token === undefined || token === `Bearer ${JWT}`));
  assert.ok(progress.length > 0);
  const written = [files.artillery, files.metrics, files.script, files.generatorLog, output]
    .map(file => readFileSync(file, 'utf8'))
    .join('\n');
  for (const secret of ['my-secret', 'eyJ']) {
    assert.ok(!written.includes(secret), `${secret} was written`);
    assert.ok(!commandLine.includes(secret), `${secret} is in the command line`);
    assert.ok(!environment.includes(secret), `${secret} is in the environment`);
  }
});

/** The temporary folder in the command line of Artillery; a canary has the modules in the folder of a test. @param {number} pid */
function findTemporary(pid) {
  const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  return /\/[^\0]*\/loadflame-(?!test-)[^/]+/.exec(commandLine)?.[0] ?? '';
}

test('Artillery that is stopped leaves the periods that it has reported, and says so', async t => {
  const target = await serve(t, (_, response) => response.end('ok'));
  const { running, files, heard } = await startTestLoad(makeFolder(t), {
    script: `
config: { target: "${target}", phases: [{ duration: 120, arrivalRate: 5 }] }
scenarios: [{ flow: [{ get: { url: / } }] }]
`,
    settings: {},
    workers: 1,
    options: { engine: 'artillery' },
  });
  const temporary = findTemporary(running.pid);
  assert.ok(existsSync(temporary));
  const { notes } = heard;
  // The first period is over within ten seconds, and told a little later.
  const latest = () => heard.progress.at(-1)?.requests ?? 0;
  await waitUntil(() => latest() > 0 && existsSync(files.artillery), 'the first period');
  const requests = latest();
  const end = await running.stop();
  const { load } = await readReport(files);
  assert.equal(end.reason, 'interrupted');
  assert.ok(Number(load?.http.requests) >= requests);
  assert.equal(load?.http.timeToFirstByte?.count, load?.http.responses);
  assert.ok(Number(load?.seconds.length) >= 1);
  assert.match(notes.join('\n'), /Artillery writes its file only at the end of a whole run/);
  assert.ok(!existsSync(temporary));
});

for (const [what, output] of [
  ['a file of --output that can not be written is told', '/dev/full'],
  ['a file of Artillery that is not whole leaves the periods, and no secret behind', undefined],
]) {
  test(`${what}, and the load has its end`, async t => {
    const target = await serve(t, (_, response) => response.end('ok'));
    const { running, files, heard } = await startTestLoad(makeFolder(t), {
      script: `
config: { target: "${target}", phases: [{ duration: 1, arrivalCount: 3 }] }
scenarios: [{ flow: [{ get: { url: / } }] }]
`,
      settings: {},
      workers: 1,
      options: { engine: 'artillery', output },
    });
    const temporary = findTemporary(running.pid);
    if (!output) mkdirSync(path.join(temporary, 'output.json'));
    const { notes } = heard;
    const { counters } = await running.ended;
    const { metrics, load } = await readReport(files);
    assert.equal(counters['http.requests'], 3);
    assert.equal(load?.http.requests, 3);
    assert.equal(metrics.at(-1)?.kind, 'load-end');
    assert.match(notes.join(), output ? /cannot be written: ENOSPC/ : /periods of 10 s/);
    assert.ok(!existsSync(temporary));
  });
}

test('a folder of --output that does not exist is said before Artillery is started', async t => {
  const folder = makeFolder(t);
  writeFileSync(path.join(folder, 'file'), '');
  const start = startTestLoad(folder, {
    script: `
config: { target: "http://127.0.0.1:1" }
scenarios: [{ flow: [{ get: { url: / } }] }]
`,
    settings: {},
    options: { engine: 'artillery', output: path.join(folder, 'no', 'out.json') },
  });
  await assert.rejects(start, { code: 'LOAD_NOT_STARTED', message: /path does not exist/ });
});
