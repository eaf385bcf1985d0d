import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadRules } from '../../../lib/analysis/hotpath/load-rules.js';
import { findCauses } from '../../../lib/analysis/judge/findings/code.js';
import { analyseProfile } from '../../../lib/analysis/profile/analyse-profile.js';
import { parseRaw } from '../../helpers/parse-raw.js';
import { wordsOf } from '../../helpers/words.js';
import { makeLoad, makeRecorded, makeRunInfo } from '../facts.js';

const rules = await loadRules();
const REQUEST =
  'ThreadWorker.handle_request (gunicorn/workers/gthread.py:771);Flask.wsgi_app (flask/app.py:1500)';
const POST = `${REQUEST};validate (api/auth.py:9);introspect (api/tokens/introspect.py:31);post (httpx/_api.py:319)`;
const TLS = `${POST};Client.__init__ (httpx/_client.py:688);create_ssl_context (httpx/_config.py:30);load_verify_locations (ssl.py:500)`;
const VIEW = `${REQUEST};list_rows (api/views.py:12)`;

/** @param {string} stacks */
function causesOf(stacks) {
  const { causes } = analyseProfile({ profile: parseRaw(stacks), rules });
  return new Map(causes.map(cause => [cause.id, cause]));
}

const NESTED = causesOf(`${TLS} 60\n${POST};send (httpx/_client.py:914) 20\n${VIEW} 20\n`);

test('a TLS context inside an introspection call is a part of it, and the call is independent', () => {
  assert.equal(NESTED.get('remote-introspection')?.partOf, null);
  assert.equal(NESTED.get('tls-context-per-request')?.partOf, 'remote-introspection');
});

test('reports a part after the whole, with the name of the whole', () => {
  const { profile } = makeRecorded({ causes: [...NESTED.values()] });
  const findings = findCauses({ run: makeRunInfo(), load: makeLoad(), profile });
  const [whole] = findings;
  assert.match(wordsOf(whole).title, /^Remote introspection/);
  assert.equal(whole?.severity, 'bad');
  const part = findings.find(({ of }) => of === 'tls-context-per-request');
  assert.equal(part?.severity, 'warn');
  assert.match(
    wordsOf(part).title,
    /^TLS context per request: .*, a part of "remote introspection.*"\.$/,
  );
});

test('a TLS context that is also elsewhere is not a part of the introspection', () => {
  const elsewhere = TLS.replace(
    'validate (api/auth.py:9);introspect (api/tokens/introspect.py:31)',
    'list_rows (api/views.py:12);fetch (api/remote.py:3)',
  );
  const causes = causesOf(`${TLS} 30\n${elsewhere} 20\n${POST};send (httpx/_client.py:914) 20\n`);
  assert.notEqual(causes.get('tls-context-per-request')?.partOf, 'remote-introspection');
});

test('an import in each request names who imports, and the place in the app, beside the companion too', () => {
  const asked = `${REQUEST};fetch (api/weather.py:35);AsyncClient.get (httpx/_client.py:1774);followed_request (/srv/loadflame_companion.py:1671)`;
  const imports = `${asked};current_async_library (httpcore/_synchronization.py:26);_find_and_load (<frozen importlib._bootstrap>:1176)`;
  const cause = causesOf(`${imports} 60\n${VIEW} 40\n`).get('import-in-request');
  assert.deepEqual(cause?.evidence, [
    'current_async_library (httpcore/_synchronization.py)',
    '_find_and_load (<frozen importlib._bootstrap>)',
  ]);
  assert.deepEqual(
    cause?.places?.map(place => `${place.function} ${place.file}:${place.line}`),
    ['fetch api/weather.py:35'],
  );
});

test('an engine per request, however cheap, is the reason of statements that are compiled again', () => {
  const compile = `${VIEW};Connection._execute_clauseelement (sqlalchemy/engine/base.py:1705);CompilerElement._compiler (sqlalchemy/sql/elements.py:296)`;
  const stacks = (/** @type {number} */ engines) =>
    `${VIEW};create_engine (sqlalchemy/engine/create.py:740) ${engines}\n${compile} 100\n${VIEW} 1900\n`;
  const all = causesOf(stacks(5));
  assert.deepEqual([...all.keys()], ['engine-per-request', 'statement-compilation']);
  assert.equal(all.get('statement-compilation')?.partOf, 'engine-per-request');
  assert.match(all.get('statement-compilation')?.advice ?? '', /^Make it once per process/);
  const { profile } = makeRecorded({ causes: [...all.values()] });
  const [first, second] = findCauses({ run: makeRunInfo(), load: makeLoad(), profile });
  assert.deepEqual([first?.of, second?.of], ['engine-per-request', 'statement-compilation']);
  assert.equal(first?.severity, second?.severity, 'what it leads to makes it serious');
  const { hotPaths } = analyseProfile({ profile: parseRaw(stacks(5)), rules });
  const path = hotPaths.find(({ category }) => category === 'database');
  assert.deepEqual(
    path?.reasons.map(({ fix }) => fix),
    ['make the engine once'],
  );
  const few = causesOf(stacks(3));
  assert.deepEqual([...few.keys()], ['statement-compilation'], 'each worker makes one');
  assert.equal(few.get('statement-compilation')?.partOf, null);
});

test('the warning with each statement that a custom type has no `cache_ok` is a part of compiling it again', () => {
  const execute = `${VIEW};Connection._execute_clauseelement (sqlalchemy/engine/base.py:1705);ClauseElement._compile_w_cache (sqlalchemy/sql/elements.py:713)`;
  const key = `${execute};HasCacheKey._generate_cache_key (sqlalchemy/sql/cache_key.py:244);ExternalType._static_cache_key (sqlalchemy/sql/type_api.py:1376)`;
  const warned = `${key};warn (sqlalchemy/util/langhelpers.py:2024);_warnings_warn (sqlalchemy/util/langhelpers.py:2091)`;
  const compiled = `${execute};CompilerElement._compiler (sqlalchemy/sql/elements.py:331)`;
  const cause = causesOf(`${warned} 10\n${compiled} 20\n${key} 5\n${VIEW} 65\n`);
  assert.equal(cause.get('statement-compilation')?.share.value, 0.3);
});

test('the whole comes first, then its part, and then the part of that, which seems to be the largest', () => {
  const load = '_find_and_load (<frozen importlib._bootstrap>:1176)';
  const compile = `${VIEW};Connection._execute_clauseelement (sqlalchemy/engine/base.py:1705);CompilerElement._compiler (sqlalchemy/sql/elements.py:296)`;
  const engine = `${VIEW};create_engine (sqlalchemy/engine/create.py:740)`;
  const causes = causesOf(`${engine} 5\n${compile};${load} 100\n${VIEW};${load} 4\n${VIEW} 1900\n`);
  assert.deepEqual(
    Array.from(causes.values(), ({ id, partOf }) => [id, partOf]),
    [
      ['engine-per-request', null],
      ['statement-compilation', 'engine-per-request'],
      ['import-in-request', 'statement-compilation'],
    ],
  );
});
