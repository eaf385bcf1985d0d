/** What the companion counts in each request, from a worker to the finding that goes when the app is mended. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { FIXTURES, startGunicorn } from '../helpers/gunicorn.js';
import { test } from '../helpers/quiet.js';
import { runLoadflame } from '../helpers/run-loadflame.js';
import { makeTempFolder } from '../helpers/temp-folder.js';
import { wordsOf } from '../helpers/words.js';

const COMPANION = path.resolve(import.meta.dirname, '../../companion');

/**
 * The report of a short load.
 * @param {import('node:test').TestContext} t
 * @param {string} app
 * @param {string[]} paths
 * @param {Record<string, string>} more
 */
async function measure(t, app, paths, more) {
  const folder = makeTempFolder(t);
  const args = ['-c', path.join(COMPANION, 'loadflame_companion.py')];
  const env = { LOADFLAME: '1', PYTHONDONTWRITEBYTECODE: '1', ...more };
  const { url } = await startGunicorn(t, { workers: 1, args, env, app });
  const script = path.join(folder, 'script.yaml');
  const flow = paths.map(one => `{ get: { url: ${one} } }`).join(', ');
  writeFileSync(
    script,
    `
config:
  target: "{{ $env.TARGET }}"
  phases: [{ name: only, duration: 3, arrivalRate: 8 }]
scenarios:
  - flow: [${flow}]
`,
  );
  const { stdout } = await runLoadflame(folder, ['test', script, '--full'], { TARGET: url });
  const [run = ''] = readdirSync(path.join(folder, 'profiles'));
  const text = readFileSync(path.join(folder, 'profiles', run, 'report.json'), 'utf8');
  /** @type {import('../../lib/run/facts/report.d.ts').Report} */
  const report = JSON.parse(text);
  return { report, stdout };
}

test('collections over a large heap are a finding, which is gone once the objects are frozen', async t => {
  const [app, paths] = ['garbage_app:app', ['/collect', '/light']];
  const { report, stdout } = await measure(t, app, paths, {});
  const found = report.findings.find(({ id }) => id === 'garbage-collection');
  const { collections } = report.load ?? {};
  assert.equal(found?.severity, 'warn');
  assert.match(JSON.stringify(wordsOf(found)), /live objects.*GET \/collect.*gc\.freeze\(\)/);
  assert.ok((collections?.share?.value ?? 0) > 0.5, `${collections?.share?.value}`);
  assert.equal(collections?.endpoints[0]?.name, 'GET /collect');
  assert.ok((collections?.generations[2]?.count ?? 0) >= 24, JSON.stringify(collections));
  assert.match(stdout, /Garbage collection/);
  const fixed = await measure(t, app, paths, { FIXED: '1' });
  assert.ok(fixed.report.findings.every(({ id }) => id !== 'garbage-collection'));
  assert.equal(fixed.report.load?.collections?.generations[2]?.count, 24);
});

test('what each request makes the process do is a finding with its line, which is gone once it is done at start', async t => {
  const [app, paths] = [
    'acts_app:app',
    ['/file', '/code', '/process', '/folders', '/module', '/light'],
  ];
  const { report, stdout } = await measure(t, app, paths, {});
  const found = report.findings.filter(({ id }) => id === 'act-per-request');
  const texts = found.map(one => wordsOf(one).title).toSorted();
  const lines = readFileSync(path.join(FIXTURES, 'acts_app.py'), 'utf8').split('\n');
  const at = (/** @type {string} */ text) => lines.findIndex(line => line.includes(text)) + 1;
  assert.deepEqual(texts, [
    `Each request to GET /code compiles code: 1.0 per request, at acts_app.py:${at('namedtuple("Row"')}.`,
    `Each request to GET /file opens files again: 1.0 per request, at acts_app.py:${at('with open')}.`,
    `Each request to GET /folders walks through the same folders: 30 per request, at acts_app.py:${at('os.listdir')}.`,
    `Each request to GET /module imports \`not_installed\`: 1.0 per request, at acts_app.py:${at('import not_installed')}.`,
    `Each request to GET /process starts a process: 1.0 per request, at acts_app.py:${at('subprocess.run')}.`,
  ]);
  assert.match(stdout, /Files, imports, compiled code and processes of requests/);
  assert.equal(report.calls?.statements.length, 0);
  const fixed = await measure(t, app, paths, { FIXED: '1' });
  assert.ok(fixed.report.findings.every(({ id }) => id !== 'act-per-request'));
});
