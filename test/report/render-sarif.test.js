import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { renderSarif } from '../../lib/report/render-sarif.js';
import { wordReport } from '../../lib/text/index.js';
import { fullReport, minimalReport } from '../fixtures/reports/reports.js';
import { callLoadflame, readError } from '../helpers/run-loadflame.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const SCHEMA = path.resolve(import.meta.dirname, '../fixtures/sarif-2.1.0.schema.json');
const validate = new Ajv({ strict: false }).compile(JSON.parse(readFileSync(SCHEMA, 'utf8')));

/**
 * @typedef {{rule: string, level: string, text: string, uri: string, line: number, fingerprint: string}} Result
 */

/** @param {string} text @returns {Result[]} */
function readSarif(text) {
  const isValid = validate(JSON.parse(text));
  assert.ok(isValid, JSON.stringify(validate.errors));
  const { results, tool } = JSON.parse(text).runs[0];
  return results.map((/** @type {any} */ result) => {
    const [{ physicalLocation }] = result.locations;
    return {
      rule: tool.driver.rules[result.ruleIndex].id,
      level: result.level,
      text: result.message.text,
      uri: physicalLocation.artifactLocation.uri,
      line: physicalLocation.region.startLine,
      fingerprint: result.partialFingerprints.primaryLocationLineHash,
    };
  });
}

const WORKER =
  'process 62:"python3 gunicorn app:app";process 65:"python3 gunicorn app:app";thread (65): MainThread;run (gunicorn/workers/sync.py:137);handle_request (gunicorn/workers/sync.py:184);Flask.__call__ (flask/app.py:1536);Flask.wsgi_app (flask/app.py:1511);Flask.dispatch_request (flask/app.py:902)';

/** @param {number} line of the view that builds a TLS context @param {string} [file] */
const rawOf = (line, file = 'shop/views.py') =>
  [
    `${WORKER};check (${file}:${line});Client.__init__ (httpx/_client.py:690);create_ssl_context (httpx/_config.py:40);create_default_context (ssl.py:700) 50`,
    `${WORKER};prices (${file}:30);<genexpr> (${file}:31) 20`,
    `${WORKER};prices (${file}:30);loads (json/__init__.py:346) 20`,
    `${WORKER};rare (${file}:44) 1`,
    '',
  ].join('\n');

/** A repository with one tracked file and a profile beside it. @param {import('node:test').TestContext} t */
function makeRepository(t) {
  const folder = makeTempFolder(t);
  mkdirSync(path.join(folder, 'my src/shop'), { recursive: true });
  writeFileSync(path.join(folder, 'my src/shop/views.py'), '');
  execFileSync('git', ['init', '--quiet'], { cwd: folder });
  execFileSync('git', ['add', '.'], { cwd: folder });
  return folder;
}

/** @param {string} folder @param {string} raw */
async function report(folder, raw) {
  writeFileSync(path.join(folder, 'a.raw'), raw);
  const ended = await callLoadflame(folder, ['report', 'a.raw', '--sarif', 'out.sarif']);
  assert.equal(ended.exit, 0, ended.stderr);
  return readSarif(readFileSync(path.join(folder, 'out.sarif'), 'utf8'));
}

test('--sarif has a result per cause and hot line in tracked files, and no error level', async t => {
  const folder = makeRepository(t);
  const results = await report(folder, rawOf(12));
  assert.deepEqual(
    results.map(({ rule, level, uri, line }) => [rule, level, uri, line]),
    [
      ['http-client-per-request', 'warning', 'my%20src/shop/views.py', 12],
      ['tls-context-per-request', 'warning', 'my%20src/shop/views.py', 12],
      ['hot-line', 'note', 'my%20src/shop/views.py', 31],
      ['hot-line', 'note', 'my%20src/shop/views.py', 30],
    ],
  );
  assert.match(results[2]?.text ?? '', /^`<genexpr>` .* 2\d % ± \d+ of the CPU/);
});

test('an alert keeps its fingerprint when its line moves', async t => {
  const folder = makeRepository(t);
  const before = await report(folder, rawOf(12));
  const after = await report(folder, rawOf(19));
  assert.equal(after[0]?.line, 19);
  const fingerprints = before.map(({ fingerprint }) => fingerprint);
  assert.deepEqual(
    after.map(({ fingerprint }) => fingerprint),
    fingerprints,
  );
  assert.equal(new Set(fingerprints).size, before.length);
});

test('a file outside the repository, or matching two of its files, has no alert', async t => {
  const folder = makeRepository(t);
  assert.deepEqual(await report(folder, rawOf(12, 'other/views.py')), []);
  mkdirSync(path.join(folder, 'old/shop'), { recursive: true });
  writeFileSync(path.join(folder, 'old/shop/views.py'), '');
  execFileSync('git', ['add', '.'], { cwd: folder });
  assert.deepEqual(await report(folder, rawOf(12)), []);
});

test('--sarif outside of a repository is an error before anything is written', async t => {
  const folder = makeTempFolder(t);
  writeFileSync(path.join(folder, 'a.raw'), rawOf(12));
  const env = { GIT_CEILING_DIRECTORIES: path.dirname(folder) };
  const ended = await callLoadflame(folder, ['report', 'a.raw', '--sarif', 'out.sarif'], env);
  assert.equal(ended.exit, 2);
  assert.equal(readError(ended.stderr).code, 'SARIF_NO_REPOSITORY');
});

test('a report with everything, and one without a profile, are valid SARIF', async () => {
  const own = (/** @type {string} */ file) => (file.startsWith('api/') ? file : null);
  const results = readSarif(await renderSarif(wordReport(fullReport()), own));
  assert.deepEqual(
    results.map(({ rule, uri, line }) => [rule, uri, line]),
    [
      ['hot-line', 'api/auth.py', 31],
      ['hot-line', 'api/views.py', 88],
      ['hot-line', 'api/auth.py', 61],
      ['hot-line', 'api/views.py', 52],
    ],
  );
  assert.deepEqual(readSarif(await renderSarif(wordReport(minimalReport()), own)), []);
});
