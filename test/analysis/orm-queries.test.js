import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadRules } from '../../lib/analysis/hotpath/load-rules.js';
import { nameCalls } from '../../lib/analysis/hotpath/name-calls.js';
import { buildProfileReport } from '../../lib/analysis/profile/profile-report.js';
import { parseRaw } from '../helpers/parse-raw.js';
import { recordsOf } from '../helpers/records.js';

const rules = await loadRules();
const VIEW = 'handle_request (gunicorn/workers/sync.py:176);wsgi_app (flask/app.py:1511)';
const FETCH =
  'QuerySet.__iter__ (django/db/models/query.py:386);QuerySet._fetch_all (django/db/models/query.py:1945);SQLCompiler.execute_sql (django/db/models/sql/compiler.py:1623)';
const GET =
  'BaseManager._get_queryset_methods.<locals>.create_method.<locals>.manager_method (django/db/models/manager.py:87);QuerySet.get (django/db/models/query.py:629);QuerySet._fetch_all (django/db/models/query.py:1945)';
const SESSION =
  'Session.get (sqlalchemy/orm/session.py:3680);load_on_pk_identity (sqlalchemy/orm/loading.py:694);Session.execute (sqlalchemy/orm/session.py:2365)';
const LAZY =
  'InstrumentedAttribute.__get__ (sqlalchemy/orm/attributes.py:575);_LazyLoader._emit_lazyload (sqlalchemy/orm/strategies.py:1180);Session.execute (sqlalchemy/orm/session.py:2365)';
const FORWARD =
  'ForwardManyToOneDescriptor.__get__ (django/db/models/fields/related_descriptors.py:249);QuerySet.get (django/db/models/query.py:633)';

/**
 * The causes about queries of 20 in 100 samples.
 * @param {string} stack below the server's frames
 * @param {Record<number, {inLoop?: boolean, each?: string[]}>} [lines] of shop.py
 */
function causesOf(stack, lines = {}) {
  const records = Object.entries(lines).map(([line, own]) => ({
    ...{ kind: 'touch', function: 'view', file: 'shop.py', line: Number(line), touches: [] },
    ...own,
  }));
  const raw = parseRaw(`${VIEW};${stack} 20\n${VIEW};view (shop.py:90) 80\n`);
  const profile = nameCalls(raw, recordsOf('calls', records), rules);
  const { causes } = buildProfileReport({ profile, rules, source: 'raw' }).report;
  const own = causes.filter(({ id }) => id === 'query-in-loop' || id === 'lazy-loading');
  return own.map(({ id, share }) => `${id} ${share.value}`);
}

const FOUND = ['query-in-loop 0.2'];

test('a many-to-many relation that is read in a loop is a cause, and so is a get by key', () => {
  for (const query of [FETCH, GET, SESSION])
    assert.deepEqual(causesOf(`view (shop.py:7);${query}`, { 7: { inLoop: true } }), FOUND);
  assert.deepEqual(
    causesOf(`view (shop.py:7);tags_of (tags.py:3);${FETCH}`, { 7: { inLoop: true } }),
    FOUND,
    'in a function that the loop calls',
  );
  for (const query of [GET, SESSION]) {
    assert.deepEqual(causesOf(`view (shop.py:7);${query}`, { 7: { each: ['get'] } }), FOUND);
    assert.deepEqual(causesOf(`view (shop.py:7);<listcomp> (shop.py:7);${query}`), FOUND);
  }
});

test('a query that a comprehension goes through is sent once, also if it is a generator', () => {
  const rows =
    'Query.__iter__ (sqlalchemy/orm/query.py:2901);Query._iter (sqlalchemy/orm/query.py:2916)';
  for (const one of ['<genexpr>', 'CategoryEventFetcher.event.<locals>.<genexpr>'])
    assert.deepEqual(causesOf(`view (shop.py:7);${one} (shop.py:7);${rows}`), [], one);
  assert.deepEqual(
    causesOf(`view (shop.py:7);<genexpr> (shop.py:8);${rows}`, { 7: { inLoop: true } }),
    FOUND,
    'in a loop around it',
  );
  const through = `view (shop.py:9);<listcomp> (shop.py:9);<genexpr> (shop.py:7)`;
  assert.deepEqual(causesOf(`${through};${rows}`), [], 'the list that a generator goes through');
});

test('a query that source does not show in a loop is none', () => {
  for (const query of [FETCH, GET, SESSION]) {
    assert.deepEqual(causesOf(`view (shop.py:7);${query}`), [], 'its source is not known');
    assert.deepEqual(causesOf(`view (shop.py:7);${query}`, { 7: { inLoop: false } }), []);
  }
  assert.deepEqual(
    causesOf(`view (shop.py:7);${FETCH}`, { 7: { each: ['get'] } }),
    [],
    'rows that a comprehension goes through, and `get` of a dictionary for each',
  );
  const layers = 'a (one.py:1);b (two.py:2)';
  assert.deepEqual(
    causesOf(`view (shop.py:7);${layers};${FETCH}`, { 7: { inLoop: true } }),
    [],
    'a loop further out may be one of attempts',
  );
  assert.deepEqual(
    causesOf(`view (shop.py:7);dispatch_request (flask/app.py:1);a (one.py:1);${FETCH}`, {
      7: { inLoop: true },
    }),
    [],
    'a loop around the framework',
  );
});

test('a relation that is loaded lazily in a loop is that cause alone', () => {
  for (const query of [LAZY, FORWARD])
    assert.deepEqual(
      causesOf(`view (shop.py:7);${query}`, { 7: { inLoop: true } }).map(own => own.split(' ')[0]),
      ['lazy-loading'],
    );
});
