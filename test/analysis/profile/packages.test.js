import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadRules } from '../../../lib/analysis/hotpath/load-rules.js';
import { findObservability } from '../../../lib/analysis/judge/findings/code.js';
import { analyseProfile } from '../../../lib/analysis/profile/analyse-profile.js';
import { selectSamples } from '../../../lib/analysis/sample-table/select.js';
import { unpackSampleTable } from '../../../lib/analysis/sample-table/unpack.js';
import { parseRaw } from '../../helpers/parse-raw.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

const rules = await loadRules();
const LIB = '/opt/python3.12/lib/python3.12';
const SITE = `${LIB}/site-packages`;
const THREAD = `Thread._bootstrap (${LIB}/threading.py:9);Thread.run (${LIB}/threading.py:90)`;
const SERVED = `ThreadWorker.handle_request (${SITE}/gunicorn/workers/gthread.py:7);Flask.wsgi_app (${SITE}/flask/app.py:15)`;
const VIEW = `${SERVED};rows (/srv/shop/views.py:9)`;

/** @param {...string} stacks each with its samples */
const analyse = (...stacks) =>
  analyseProfile({
    profile: parseRaw(stacks.map(stack => `${stack}\n`).join('')),
    rules,
    workersMs: 1000,
    requests: 100,
  });
/** @param {ReturnType<typeof analyse>} analysis */
const samplesOf = ({ packages }) =>
  Object.fromEntries(packages.map(({ name, samples }) => [name, samples]));

test('a sample is of the package of its innermost frame; the standard library and C code of their caller', () => {
  const analysis = analyse(
    `${VIEW} 10`,
    `${VIEW};dumps (${LIB}/json/__init__.py:5);encode (${LIB}/json/encoder.py:8) 20`,
    `${VIEW};safe_load (${SITE}/yaml/__init__.py:5);search (${LIB}/re/__init__.py:8);sre (_sre.so) 30`,
    `${VIEW};MessageToDict (${SITE}/google/protobuf/json_format.py:8) 5`,
    `${VIEW};span (${SITE}/opentelemetry/context/__init__.py:8);json (${LIB}/json/__init__.py:5) 15`,
    `${VIEW};followed (${SITE}/loadflame_companion.py:8) 2`,
    `_bootstrap (${LIB}/threading.py:9);flush (${LIB}/logging/handlers.py:4) 3`,
  );
  assert.deepEqual(samplesOf(analysis), {
    'the application': 30,
    yaml: 30,
    opentelemetry: 15,
    'google/protobuf': 5,
    Python: 3,
    loadflame_companion: 2,
  });
  const total = analysis.packages.reduce((sum, own) => sum + (own.cpuMsPerRequest?.value ?? 0), 0);
  assert.ok(Math.abs(total / 10 - 1) < 1e-9, `${total} of 10 ms`);
});

test('what the companion does around the calls of a driver is its own, not that of the library that calls', () => {
  const query = `${VIEW};all (${SITE}/sqlalchemy/orm/query.py:9);followed_query (${SITE}/loadflame_companion.py:8)`;
  const analysis = analyse(
    `${query};find_call (${SITE}/loadflame_companion.py:90);compile (${LIB}/re/__init__.py:8) 20`,
    `${query};do_execute (${SITE}/sqlalchemy/engine/default.py:9) 30`,
  );
  assert.deepEqual(samplesOf(analysis), { sqlalchemy: 30, loadflame_companion: 20 });
});

const SENTRY = `run (${SITE}/sentry_sdk/integrations/threading.py:80)`;

test('a thread of a package for observability is its own with all that it calls, until it serves requests', () => {
  const analysis = analyse(
    `${THREAD};worker (${SITE}/sentry_sdk/worker.py:9);urlopen (${SITE}/urllib3/pool.py:5) 20`,
    `${THREAD};${SENTRY};${VIEW};post (${SITE}/urllib3/pool.py:5) 30`,
    `${THREAD};${SENTRY};work (/srv/shop/jobs.py:4);dump (${SITE}/yaml/__init__.py:5) 50`,
  );
  assert.deepEqual(samplesOf(analysis), { yaml: 50, urllib3: 30, sentry_sdk: 20 });
});

const STARTED = `${THREAD};run_whole_thread (${SITE}/loadflame_companion.py:70)`;

test('a thread that follows all threads gives none of them away, and a request that starts one takes none', () => {
  const post = `post (${SITE}/urllib3/pool.py:5)`;
  const analysis = analyse(
    `${STARTED};worker (${SITE}/sentry_sdk/worker.py:9);${post} 10`,
    `${THREAD};${SENTRY};${STARTED};worker (${SITE}/opentelemetry/sdk/worker.py:9);${post} 20`,
    `${THREAD};${SENTRY};poll (${SITE}/kafka/consumer.py:9) 40`,
    `${STARTED};${SENTRY};fetch (/srv/shop/jobs.py:4);${post} 80`,
  );
  const counts = { sentry_sdk: 10, opentelemetry: 20, kafka: 40, urllib3: 80 };
  assert.deepEqual(samplesOf(analysis), counts);
});

test('the packages of a selection are counted from the sample table', async () => {
  const { table, packages } = analyse(`${VIEW} 30`, `${VIEW};load (${SITE}/yaml/a.py:5) 70`);
  const counts = selectSamples(await unpackSampleTable(table));
  const { names = [] } = table.packages ?? {};
  for (const { name, samples } of packages)
    assert.equal(counts.packages[names.indexOf(name)], samples, name);
});

test('observing the API is a finding from a tenth of its CPU on', () => {
  const span = `${VIEW};span (${SITE}/opentelemetry/trace.py:8)`;
  /** @param {number} samples of 1,000 */
  const find = samples => {
    const profile = analyse(`${VIEW} ${1000 - samples}`, `${span} ${samples}`);
    return findObservability(/** @type {any} */ ({ profile }));
  };
  assert.deepEqual(find(90), []);
  const [found] = /** @type {any[]} */ (find(200));
  assert.deepEqual([found.id, found.severity, found.facts.share], ['observability', 'warn', 0.2]);
  assert.equal(found.facts.cpuMsPerRequest, 2);
});

test('what the category of observability claims is grouped as such, a package of the user too', async t => {
  const folder = makeTempFolder(t);
  const file = join(folder, 'rules.yaml');
  await writeFile(file, 'frames: [{category: observability, packages: [our_tracer]}]\n');
  const stacks = ['structlog/_base', 'sentry_sdk/hub', 'our_tracer/spans'].map(
    path => `${VIEW};note (${SITE}/${path}.py:8) 1\n`,
  );
  const profile = parseRaw(stacks.join(''));
  const { packages, categories } = analyseProfile({ profile, rules: await loadRules(file) });
  assert.deepEqual(
    [...new Set(packages.map(({ kind }) => kind))],
    ['observability'],
    'packages and categories are of one list',
  );
  assert.deepEqual(
    categories.map(({ id }) => id),
    ['observability'],
  );
});
