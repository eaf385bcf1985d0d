import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadRules } from '../../../lib/analysis/hotpath/load-rules.js';
import { analyseProfile } from '../../../lib/analysis/profile/analyse-profile.js';
import { placeCause } from '../../../lib/analysis/profile/cause-shares.js';
import { parseRaw } from '../../helpers/parse-raw.js';

const rules = await loadRules();
const FLASK =
  'ThreadWorker.handle_request (gunicorn/workers/gthread.py:771);Flask.wsgi_app (flask/app.py:1500);Flask.dispatch_request (flask/app.py:900)';

/** @param {...string} stacks below Flask's frames, each with its samples */
function analyse(...stacks) {
  const text = stacks.map(stack => `${FLASK};${stack}\n`).join('');
  return analyseProfile({ profile: parseRaw(text), rules });
}

test('a path has its own share, not that of its category', () => {
  const { hotPaths, categories } = analyse(
    'login (shop/views.py:9);checkpw (bcrypt/__init__.py:90) 35',
    'login (shop/views.py:12);encode (jwt/api_jwt.py:80) 16',
    'rows (shop/views.py:30) 49',
  );
  assert.equal(categories.find(({ id }) => id === 'auth')?.samples, 51);
  const path = hotPaths.find(({ entry }) => entry.function === 'checkpw');
  assert.equal(path?.share.value, 0.35);
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

test('a serious cause that may be less than a twentieth of the CPU is a warning', () => {
  const severityOf = (/** @type {number} */ samples) => {
    const stack = `rows (shop/views.py:30);verify_password (shop/views.py:4);${HASH} ${samples}`;
    const { causes } = analyse(stack, `rows (shop/views.py:30) ${100 - samples}`);
    const [{ severity, share } = {}] = causes;
    return [severity, (share?.low ?? 0) < 0.05];
  };
  assert.deepEqual(severityOf(7), ['warn', true]);
  assert.deepEqual(severityOf(60), ['bad', false]);
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
  assert.deepEqual(
    placed.endpoints?.map(({ name }) => name),
    ['POST /api/orders'],
  );
  assert.equal(10 / (placed.ofRequests ?? 1), 60, 'ms of each of these requests');
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

test('a server that the app itself starts is no work of the app, and who starts it calls no request', () => {
  const main =
    '<module> (/srv/shop/__main__.py:3);main (/srv/shop/main.py:40);serve (/srv/shop/cli.py:9)';
  const loop = `${main};Server.run (uvicorn/server.py:75);run (asyncio/runners.py:195);BaseEventLoop._run_once (asyncio/base_events.py:2004)`;
  const http = `${loop};Handle._run (asyncio/events.py:80);RequestResponseCycle.run_asgi (uvicorn/protocols/http/h11_impl.py:403);FastAPI.__call__ (fastapi/applications.py:1133)`;
  const query = 'Session.execute (sqlalchemy/orm/session.py:2300)';
  const { categories, hotPaths } = analyseProfile({
    profile: parseRaw(
      [
        `${loop};EpollSelector.register (selectors.py:452) 40`,
        `${loop};Handle._run (asyncio/events.py:80);_SelectorSocketTransport.write (asyncio/selector_events.py:1065) 20`,
        `${http};${query} 30`,
        `${http};show (/srv/shop/views.py:7);${query} 10`,
        `${loop};Handle._run (asyncio/events.py:80);refresh (/srv/shop/tasks.py:8) 10`,
        '',
      ].join('\n'),
    ),
    rules,
  });
  const samples = Object.fromEntries(categories.map(own => [own.id, own.samples]));
  assert.deepEqual(samples, { server: 60, database: 40, business: 10 });
  const callers = hotPaths.map(({ entry, caller }) => [entry.function, caller?.function]);
  assert.deepEqual(
    new Set(callers.flatMap(([name, by]) => (by ? [`${name} from ${by}`] : []))),
    new Set(),
  );
  assert.ok(
    !hotPaths.some(({ entry }) => ['main', 'serve'].includes(entry.function)),
    `${callers}`,
  );
});

test('so is that of waitress, of Flask and of Python', () => {
  for (const server of [
    'serve (waitress/__init__.py:13);run (waitress/server.py:325)',
    'run (flask/app.py:662);run_simple (werkzeug/serving.py:1093);serve_forever (werkzeug/serving.py:819)',
    'serve_forever (socketserver.py:232)',
  ]) {
    const poll = `main (/srv/shop/main.py:40);${server};register (selectors.py:300) 9`;
    const { categories } = analyseProfile({ profile: parseRaw(`${poll}\n`), rules });
    assert.deepEqual(
      categories.map(({ id }) => id),
      ['server'],
      server,
    );
  }
});

test('Django that logs each statement is in debug mode: only the log is its cost', () => {
  const view =
    'SyncWorker.handle_request (gunicorn/workers/sync.py:184);BaseHandler.get_response (django/core/handlers/base.py:140);posts (blog/views.py:18);QuerySet._fetch_all (django/db/models/query.py:1886);CursorDebugWrapper.execute (django/db/backends/utils.py:102)';
  const text = [
    `${view};CursorWrapper.execute (django/db/backends/utils.py:67) 90`,
    `${view};CursorDebugWrapper.debug_sql (django/db/backends/utils.py:119);last_executed_query (django/db/backends/sqlite3/operations.py:176) 10`,
  ];
  const { causes } = analyseProfile({ profile: parseRaw(`${text.join('\n')}\n`), rules });
  const [cause] = causes;
  assert.deepEqual([causes.length, cause?.id, cause?.share.value], [1, 'debug-mode', 0.1]);
  assert.match(cause?.advice ?? '', /For Django that is `DEBUG = False`\.$/);
});

test('generated code and helpers of Python call nothing themselves: their caller in the app does', () => {
  const query = 'Session.execute (sqlalchemy/orm/session.py:2300)';
  const { hotPaths } = analyse(
    `show (/srv/shop/views.py:7);__init__ (<string>:4);${query} 10`,
    `show (/srv/shop/views.py:7);select (<sqlalchemy.generated>:2);${query} 10`,
    `show (/srv/shop/views.py:7);wrapper (functools.py:55);${query} 10`,
  );
  assert.deepEqual(
    hotPaths.map(({ entry, caller }) => [entry.function, caller?.function, caller?.file]),
    [['Session.execute', 'show', '/srv/shop/views.py']],
  );
});

test('what a package calls for the app is called by the app', () => {
  const query =
    'QuerySet.__len__ (/opt/lib/python3.12/site-packages/django/db/models/query.py:300)';
  const { hotPaths } = analyse(
    `list_orders (/srv/shop/views.py:7);Page.__len__ (/opt/lib/python3.12/site-packages/django/core/paginator.py:191);${query} 10`,
  );
  assert.deepEqual(
    hotPaths.map(({ entry, caller }) => [entry.function, caller?.function]),
    [['QuerySet.__len__', 'list_orders']],
  );
});

test('a middleware of a debugging tool that only passes requests on is no debug mode', () => {
  const silk = 'SilkyMiddleware.__call__ (silk/middleware.py:72)';
  const django = 'WSGIHandler.__call__ (django/core/handlers/wsgi.py:124)';
  const causesOf = (/** @type {string} */ stack) =>
    analyseProfile({
      profile: parseRaw(`handle_request (gunicorn/workers/sync.py:1);${django};${stack} 50\n`),
      rules,
    }).causes.map(({ id }) => id);
  assert.ok(!causesOf(`${silk};show (shop/views.py:3)`).includes('debug-mode'));
  const toolbar = 'DebugToolbarMiddleware.__call__ (debug_toolbar/middleware.py:70)';
  assert.ok(!causesOf(`${toolbar};show (shop/views.py:3)`).includes('debug-mode'));
  const render =
    'patch_jinja_render.<locals>.wrapped_render (debug_toolbar/panels/templates/jinja2.py:19);Template.render (jinja2/environment.py:1295)';
  assert.ok(!causesOf(`show (shop/views.py:3);${render}`).includes('debug-mode'));
  assert.ok(
    causesOf(`${silk};show (shop/views.py:3);execute_sql (silk/sql.py:70)`).includes('debug-mode'),
  );
});
