import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classifyProfile } from '../../../lib/analysis/hotpath/classify-profile.js';
import { loadRules } from '../../../lib/analysis/hotpath/load-rules.js';
import { nameCalls } from '../../../lib/analysis/hotpath/name-calls.js';
import { formatFrame } from '../../../lib/analysis/stacks/frame-text.js';
import { stackOf } from '../../../lib/analysis/stacks/stack-of.js';
import { parseRaw } from '../../helpers/parse-raw.js';
import { recordsOf } from '../../helpers/records.js';

const rules = await loadRules();
const SERVER = 'handle_request (gunicorn/workers/sync.py:1);';

/**
 * @param {string} stacks below the server, one a line, with counts
 * @param {Record<number, string[]>} calls per line of `view (app.py)`
 * @param {boolean} [inLoop]
 * @returns {string[]} innermost frame and category of each row
 */
function tell(stacks, calls, inLoop = false) {
  const text = stacks
    .trim()
    .split('\n')
    .map(stack => SERVER + stack.trim())
    .join('\n');
  const lines = Object.entries(calls).map(([line, own]) => ({
    kind: 'line',
    function: 'view',
    file: 'app.py',
    line: Number(line),
    calls: own,
    inLoop,
  }));
  const profile = nameCalls(parseRaw(text), recordsOf('calls', lines), rules);
  const classes = classifyProfile(profile, rules);
  return Array.from(profile.rows.node, node => {
    const frame = profile.frames[stackOf(profile, node).at(-1) ?? -1];
    const { id } = classes.categories[classes.category[node] ?? 0] ?? {};
    return `${frame && formatFrame(frame)} ${id}${frame?.calls?.length ? ` ${frame.calls}` : ''}`;
  });
}

test('a query in a view is of the database, beside small calls', () => {
  assert.deepEqual(tell('view (app.py:7) 5', { 7: ['execute', 'fetchall', 'len'] }), [
    'execute (<C code>) database',
  ]);
});

test('leaves an unread line unchanged', () => {
  assert.deepEqual(tell('view (app.py:7) 5\nview (app.py:8) 2', { 8: ['execute'] }), [
    'view (app.py:7) business',
    'execute (<C code>) database',
  ]);
});

test('a call seen as a Python function is not a C call', () => {
  const orm = 'view (app.py:7);Session.execute (sqlalchemy/orm/session.py:1) 9';
  assert.deepEqual(tell(`${orm}\nview (app.py:7) 2`, { 7: ['execute'] }), [
    'Session.execute (sqlalchemy/orm/session.py:1) database',
    'view (app.py:7) business',
  ]);
  const built = 'view (app.py:7);BaseModel.__init__ (pydantic/main.py:253) 9';
  assert.deepEqual(
    tell(`${built}\nview (app.py:7) 2`, { 7: ['Row', 'execute'] })[1],
    ['execute (<C code>) database'][0],
  );
});

test('a line that may have done something else is not named, and says what it calls', () => {
  const one = (/** @type {string[]} */ calls) => tell('view (app.py:7) 5', { 7: calls })[0];
  assert.equal(one(['execute', 'transform']), 'view (app.py:7) business execute,transform');
  assert.equal(one(['execute', 'sorted']), 'view (app.py:7) business execute,sorted');
  assert.equal(one(['execute', '<work>*']), 'view (app.py:7) business execute');
  assert.equal(one(['execute', 'dict*']), 'view (app.py:7) business execute,dict');
  assert.equal(one(['transform']), 'view (app.py:7) business transform');
  assert.equal(one(['len', 'append']), 'view (app.py:7) business');
  assert.equal(one([]), 'view (app.py:7) business');
});

test('small calls are so beside a known call that each turn makes, too', () => {
  const calls = ['flask.jsonify', 'bool*', 'match*'];
  const match = 'match (<C code in a loop>) business';
  assert.deepEqual(tell('view (app.py:7) 5', { 7: calls }), [match]);
  assert.deepEqual(tell('view (app.py:7) 5', { 7: ['transform*', 'match*'] }), [
    'view (app.py:7) business transform,match',
  ]);
});

test('a function of the application that was never seen is small, and told where it is all there is', () => {
  assert.deepEqual(tell('view (app.py:7) 5', { 7: ['shop.database.connect', 'execute'] }), [
    'execute (<C code>) database',
  ]);
  assert.deepEqual(tell('view (app.py:7) 5', { 7: ['shop.fast.transform'] }), [
    'view (app.py:7) business shop.fast.transform',
  ]);
});

test('C code without a category of its own is named, and its caller’s', () => {
  assert.deepEqual(tell('view (app.py:7) 5', { 7: ['orjson.dumps'] }), [
    'orjson.dumps (<C code>) serialization',
  ]);
  assert.deepEqual(tell('view (app.py:7) 5', { 7: ['hashlib.sha256', 'hexdigest', 'encode'] }), [
    'hashlib.sha256 (<C code>) business',
  ]);
});

test('a password hash is auth whether or not another call of its line was seen as Python', () => {
  const calls = { 7: ['bcrypt.checkpw', 'flask.request.get_json', 'encode', 'lookup'] };
  const hash = 'bcrypt.checkpw (<C code>) auth';
  assert.deepEqual(tell('view (app.py:7) 5', calls), [hash]);
  const seen =
    'view (app.py:7) 5\nview (app.py:7);Request.get_json (werkzeug/wrappers/request.py:1) 1';
  assert.equal(tell(seen, calls)[0], hash);
});

test('a function of a framework that was never seen is small', () => {
  assert.deepEqual(tell('view (app.py:7) 5', { 7: ['execute', 'flask.request.get_json'] }), [
    'execute (<C code>) database',
  ]);
});

test('a query in a loop is a known cause', () => {
  const text = `${SERVER}view (app.py:7) 5`;
  const line = { kind: 'line', function: 'view', file: 'app.py', line: 7, calls: ['execute'] };
  const lines = recordsOf('calls', [{ ...line, inLoop: true }]);
  const profile = nameCalls(parseRaw(text), lines, rules);
  const { causeSets, causeSet } = classifyProfile(profile, rules);
  const [node = -1] = profile.rows.node;
  assert.deepEqual(
    causeSets[causeSet[node] ?? -1]?.map(({ cause }) => cause.id),
    ['query-in-loop'],
  );
});

test('lines of installed packages keep their rules', () => {
  const text = `${SERVER}do_execute (sqlalchemy/engine/default.py:941) 5`;
  const record = {
    function: 'do_execute',
    file: 'sqlalchemy/engine/default.py',
    line: 941,
    calls: ['execute'],
    inLoop: false,
  };
  const profile = parseRaw(text);
  assert.deepEqual(
    nameCalls(profile, recordsOf('calls', [{ kind: 'line', ...record }]), rules).rows.node,
    profile.rows.node,
  );
});

test('an explicit garbage collection is named, and is a known cause', () => {
  const lines = [
    {
      kind: 'line',
      function: 'view',
      file: 'app.py',
      line: 7,
      calls: ['gc.collect'],
      inLoop: false,
    },
  ];
  const profile = parseRaw(`${SERVER}view (app.py:7) 5`);
  const named = nameCalls(profile, recordsOf('calls', lines), rules);
  const { causeSet, causeSets } = classifyProfile(named, rules);
  const found = causeSets[causeSet[named.rows.node[0] ?? -1] ?? 0] ?? [];
  assert.deepEqual(
    found.map(({ cause }) => cause.id),
    ['explicit-garbage-collection'],
  );
});
