import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyseProfile } from '../../lib/analysis/profile/analyse-profile.js';
import { placeCause } from '../../lib/analysis/profile/cause-shares.js';
import { loadRules } from '../../lib/hotpath/load-rules.js';
import { describeWaste } from '../../lib/text/findings-code.js';
import { describePath } from '../../lib/text/hot-path.js';
import { parseRaw } from '../helpers/parse-raw.js';

const rules = await loadRules();
const FLASK =
  'ThreadWorker.handle_request (gunicorn/workers/gthread.py:771);Flask.wsgi_app (flask/app.py:1500);Flask.dispatch_request (flask/app.py:900)';

/** @param {...string} stacks below Flask's frames, each with its samples */
function analyse(...stacks) {
  const text = stacks.map(stack => `${FLASK};${stack}\n`).join('');
  return analyseProfile({ profile: parseRaw(text), rules });
}

test('the sentence on a path has the share of that path, not of its category', () => {
  const { hotPaths, categories } = analyse(
    'login (shop/views.py:9);checkpw (bcrypt/__init__.py:90) 35',
    'login (shop/views.py:12);encode (jwt/api_jwt.py:80) 16',
    'rows (shop/views.py:30) 49',
  );
  assert.equal(categories.find(({ id }) => id === 'auth')?.samples, 51);
  const path = hotPaths.find(({ entry }) => entry.function === 'checkpw');
  assert.match(
    path ? describePath(path) : '',
    /^Auth in `checkpw` \(bcrypt\/__init__\.py\) takes 35 % /,
  );
});

const HASH = 'checkpw (bcrypt/__init__.py:90)';

test('hashing a password in a view for log-ins is expected and gets no advice to avoid it', () => {
  const { causes, causesTogether, hotPaths } = analyse(
    `login (shop/views.py:9);${HASH} 62`,
    'rows (shop/views.py:30) 38',
  );
  const [cause] = causes;
  assert.equal(cause?.id, 'password-hash-per-request');
  assert.equal(cause?.severity, 'info');
  assert.deepEqual(cause?.endpoints, [{ name: 'login (shop/views.py)', share: 1 }]);
  assert.match(cause?.advice ?? '', /^Do not weaken the hash/);
  assert.equal(causesTogether, null);
  assert.deepEqual(hotPaths.find(({ category }) => category === 'auth')?.reasons, []);
});

test('hashing a password in other views is a waste', () => {
  const { causes } = analyse(
    `rows (shop/views.py:30);verify_password (shop/views.py:4);${HASH} 42`,
    `login (shop/views.py:9);${HASH} 20`,
    'rows (shop/views.py:30) 38',
  );
  assert.equal(causes[0]?.severity, 'bad');
  assert.deepEqual(
    causes[0]?.endpoints?.map(({ name }) => name),
    ['rows (shop/views.py)', 'login (shop/views.py)'],
  );
});

test('a cause at some of the endpoints says what it costs a request to these', () => {
  const [cause] = analyse(
    `create (shop/views.py:9);${HASH} 60`,
    'rows (shop/views.py:30) 40',
  ).causes;
  const endpoint = { name: 'POST /api/orders', views: [], requests: 100 };
  const load = { endpoints: [{ answers: 100 }, { answers: 500 }] };
  assert.ok(cause);
  const placed = placeCause(
    { ...cause, cpuMsPerRequest: { value: 10, low: null, high: null } },
    [{ endpoint, samples: 60 }],
    rules,
    load,
  );
  assert.match(describeWaste(placed), /, 60 ms of every request to POST \/api\/orders$/);
  const login = { endpoint: { ...endpoint, name: 'POST /api/Login/' }, samples: 60 };
  assert.equal(placeCause(cause, [login], rules, load).severity, 'info');
});

test('a password hashed by C code has the same cause as one hashed by a Python frame', () => {
  const { causes } = analyse(
    'rows (shop/views.py:9);bcrypt.checkpw (<C code>) 60',
    'rows (shop/views.py:3) 40',
  );
  assert.equal(causes[0]?.id, 'password-hash-per-request');
});

const DJANGO = 'BaseHandler._get_response (django/core/handlers/base.py:197)';

test('building the SQL of a Django query is not a missed cache of SQLAlchemy', () => {
  const profile = parseRaw(
    `${DJANGO};orders (shop/views.py:4);SQLCompiler.as_sql (django/db/models/sql/compiler.py:700) 60\n`,
  );
  assert.deepEqual(analyseProfile({ profile, rules }).causes, []);
});

test('looking up names is a cause only where the API is connected to other machines', () => {
  const stack = `${FLASK};quote (shop/prices.py:5);create_connection (urllib3/util/connection.py:60);getaddrinfo (socket.py:962) 40\n`;
  const idsOf = (/** @type {boolean} */ isLocal) =>
    analyseProfile({ profile: parseRaw(stack), rules, isLocal }).causes.map(({ id }) => id);
  assert.deepEqual(idsOf(false), ['name-lookup-per-request']);
  assert.deepEqual(idsOf(true), []);
});

test('shares of a loose file hold that what gave up the GIL may have waited', () => {
  const { categories } = analyse(
    'rows (shop/views.py:3);get (requests/api.py:73);readinto (socket.py:706) 20',
    'rows (shop/views.py:3);get (requests/api.py:73) 5',
    'rows (shop/views.py:4);decode (jwt/api_jwt.py:80) 30',
    'rows (shop/views.py:5) 45',
  );
  const [client, auth] = ['http-client', 'auth'].map(
    id => categories.find(one => one.id === id)?.share,
  );
  assert.equal(client?.value, 0.25);
  assert.ok(Number(client?.low) < 5 / 80 && Number(client?.high) > 0.25, JSON.stringify(client));
  assert.ok(Number(auth?.high) > 30 / 80, JSON.stringify(auth));
});
