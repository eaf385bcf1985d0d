import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classifyProfile } from '../../../lib/analysis/hotpath/classify-profile.js';
import { loadRules } from '../../../lib/analysis/hotpath/load-rules.js';
import { annotateSource } from '../../../lib/analysis/profile/annotate-source.js';
import { parseRaw } from '../../helpers/parse-raw.js';

/** @import { SourceFunction } from '../../../lib/analysis/profile/annotate-source.js' */

const rules = await loadRules();

/** @param {string} name @param {number} from @param {number} count of lines @param {object} [more] @returns {SourceFunction} */
function source(name, from, count, more) {
  const lines = Array.from({ length: count }, (_, at) => `line ${from + at}`);
  return { t: 1, kind: 'function', function: name, file: 'app.py', from, lines, ...more };
}

/** @param {string[]} stacks */
function sample(...stacks) {
  const profile = parseRaw(stacks.map(line => `${line}\n`).join(''));
  const weights = new Float64Array(profile.nodes.frame.length);
  for (const [row, node] of profile.rows.node.entries())
    weights[node] = (weights[node] ?? 0) + (profile.rows.weight[row] ?? 0);
  return { profile, weights, rateHz: 100 };
}

/** What its lines are worth, zeros left out. @param {ReturnType<typeof annotateSource>[number] | undefined} own */
const costsOf = own =>
  own?.lines.flatMap(({ line, share, cpuMs, waiting }) =>
    share + waiting > 0 ? [[line, share, cpuMs, waiting]] : [],
  );

test('a line includes the time of its calls, each sample once; a sample counts for the innermost function', () => {
  const functions = [source('view', 1, 5), source('helper', 10, 3)];
  const running = sample(
    'serve (gunicorn/base.py:9);view (app.py:2);helper (app.py:11);dumps (json/a.py:1) 40',
    'serve (gunicorn/base.py:9);view (app.py:2);helper (app.py:11);helper (app.py:11) 20',
    'serve (gunicorn/base.py:9);view (app.py:3);execute (sqlalchemy/a.py:1) 30',
    'serve (gunicorn/base.py:9) 10',
  );
  const waiting = sample('view (app.py:3);recv (socket.py:1) 8', 'other (elsewhere.py:3) 2');
  const [helper, view] = annotateSource(functions, running, waiting, 5);
  assert.equal(helper?.function, 'helper');
  assert.equal(helper?.share, 0.6);
  assert.deepEqual(costsOf(helper), [[11, 0.6, 3, 0]]);
  assert.equal(view?.share, 0.3);
  assert.equal(view?.waiting, 0.8);
  assert.deepEqual(costsOf(view), [
    [2, 0.6, 3, 0],
    [3, 0.3, 1.5, 0.8],
  ]);
});

test('a line of a function in another one is the inner one’s', () => {
  const functions = [source('create_app', 1, 9), source('create_app.view', 3, 4)];
  const running = sample('create_app.<locals>.view (app.py:4);dumps (json/a.py:1) 9');
  const [own, ...others] = annotateSource(functions, running, null, null);
  assert.equal(own?.function, 'create_app.view');
  assert.deepEqual(costsOf(own), [[4, 1, null, 0]]);
  assert.deepEqual(others, []);
});

test('at most ten functions, and of a long one the lines around the most expensive', () => {
  const many = Array.from({ length: 12 }, (_, at) => source(`f${at}`, 1 + at * 10, 5));
  const long = source('long', 1000, 200);
  const running = sample(
    ...many.map(({ from = 0 }, at) => `f${at} (app.py:${from + 1}) ${4 + at}`),
    'long (app.py:1150) 50',
  );
  const found = annotateSource([...many, long], running, null, 1);
  assert.equal(found.length, 10);
  const { lines = [], lineCount } = found[0] ?? {};
  assert.deepEqual([lines.length, lines[0]?.line, lineCount], [60, 1120, 200]);
});

test('of a file that has changed only the share of a function is known', () => {
  const changed = source('view', 0, 0, { from: undefined, lines: undefined, isChanged: true });
  const [own] = annotateSource([changed], sample('Api.view (app.py:7) 9'), null, 1);
  assert.deepEqual([own?.isChanged, own?.share, own?.lines], [true, 1, []]);
});

test('what a framework calls is no work of the middleware around it', () => {
  const outer = 'handle_request (gunicorn/workers/sync.py:9);Stats.__call__ (app.py:2)';
  const generic = `${outer};BaseHandler._get_response (django/core/handlers/base.py:9);View.dispatch (django/views/generic/base.py:9);ListView.get (django/views/generic/list.py:9)`;
  const query = `${generic};execute (django/db/models/sql/compiler.py:9)`;
  const running = sample(`${query} 90`, `${outer};dumps (json/a.py:1) 10`);
  const classification = classifyProfile(running.profile, rules);
  const [own] = annotateSource(
    [source('Stats.__call__', 1, 5)],
    { ...running, classification },
    null,
    5,
  );
  assert.equal(own?.share, 0.1);
});
