import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { loadRules } from '../../../../lib/analysis/hotpath/load-rules.js';
import { analyseProfile } from '../../../../lib/analysis/profile/analyse-profile.js';
import { readProfile } from '../../../../lib/analysis/stacks/read-profile.js';
import { sayLeft } from '../../../../lib/text/endpoint-costs.js';
import { parseRaw } from '../../../helpers/parse-raw.js';

const REFERENCE = path.resolve(
  import.meta.dirname,
  '../../../../../shared/reference/queue-management-2020.svg',
);
const rules = await loadRules();
const SERVER = 'ThreadWorker.handle_request (gunicorn/workers/gthread.py:334)';
const FLASK = `${SERVER};Flask.__call__ (flask/app.py:1536);Flask.wsgi_app (flask/app.py:1511);Flask.full_dispatch_request (flask/app.py:880);Flask.dispatch_request (flask/app.py:865)`;
const QUERY = 'Session.execute (sqlalchemy/orm/session.py:2)';

/**
 * Which views a profile shows, and their samples; the rest has no view.
 * @param {string[]} lines stacks with counts
 * @param {import('../../../../lib/analysis/profile/costs/attribute.js').ViewRoute[]} [viewRoutes]
 */
function viewsOf(lines, viewRoutes = []) {
  const profile = parseRaw(`${lines.join('\n')}\n`);
  const { costs } = analyseProfile({ profile, rules, viewRoutes });
  return Object.fromEntries(costs?.endpoints.map(({ name, samples }) => [name, samples]) ?? []);
}

test('a function that Flask calls is the view, with all that it calls', () => {
  assert.deepEqual(
    viewsOf([
      `${FLASK};show (shop/views.py:3) 5`,
      `${FLASK};show (shop/views.py:4);helper (shop/more.py:1);${QUERY} 7`,
      `${FLASK};add (shop/views.py:9) 2`,
      `${SERVER};write (gunicorn/util.py:3) 4`,
    ]),
    { 'show (shop/views.py)': 12, 'add (shop/views.py)': 2 },
  );
});

test('decorators are not views: by name, or by the rules of auth', () => {
  const wrapped = 'cached.<locals>.wrapper (shop/cache.py:3)';
  const guard = 'requires_auth.<locals>.decorated (shop/auth.py:5)';
  assert.deepEqual(
    viewsOf([
      `${FLASK};${wrapped};show (shop/views.py:3) 5`,
      `${FLASK};${wrapped} 3`,
      `${FLASK};${guard};edit (shop/views.py:8) 2`,
      `${FLASK};${guard};Guard.validate (shop/auth.py:9);decode (jwt/api_jwt.py:3) 8`,
    ]),
    {
      'show (shop/views.py)': 5,
      'edit (shop/views.py)': 2,
    },
  );
});

test('a closure named `wraps` of an installed package is not a view', () => {
  const wraps =
    'protect.<locals>._protect.<locals>.wraps (flask_appbuilder/security/decorators.py:80)';
  assert.deepEqual(viewsOf([`${FLASK};${wraps};show (shop/views.py:3);${QUERY} 9`]), {
    'show (shop/views.py)': 9,
  });
});

for (const [what, stack, caller] of /** @type {[string, string, string | undefined][]} */ ([
  ['the view', `${FLASK};guard.<locals>.wraps (shop/guard.py:3);show (shop/views.py:3)`, 'show'],
  ['nothing in place of a decorator', `${FLASK};guard.<locals>.wraps (shop/guard.py:3)`, undefined],
  [
    'what a decorator wraps',
    `${FLASK};guard.<locals>.wraps (shop/guard.py:3);RestApi.get_list (flask_appbuilder/api.py:9)`,
    'RestApi.get_list',
  ],
  ['nothing for middleware', FLASK, undefined],
]))
  test(`names the caller of a hot path: ${what}`, () => {
    const middleware = stack.replace(
      'Flask.wsgi_app',
      '_WithoutCompression.__call__ (shop/sockets.py:30);Flask.wsgi_app',
    );
    const profile = parseRaw(`${middleware};${QUERY} 900\n`);
    const { hotPaths } = analyseProfile({ profile, rules });
    const database = hotPaths.find(({ category }) => category === 'database');
    assert.equal(database?.caller?.function, caller);
  });

test('names the view that leads to a cause, not the middleware around it', () => {
  const middleware = FLASK.replace(
    'Flask.wsgi_app',
    'Plain.__call__ (shop/sockets.py:30);Flask.wsgi_app',
  );
  const tls =
    'post (httpx/_api.py:3);Client.__init__ (httpx/_client.py:3);create_ssl_context (httpx/_config.py:3)';
  const stack = `${middleware};show (shop/views.py:3);ask (shop/provider.py:3);${tls} 900\n`;
  const { causes } = analyseProfile({ profile: parseRaw(stack), rules });
  const [place] = causes[0]?.places ?? [];
  assert.deepEqual([place?.function, place?.view?.function], ['ask', 'show']);
});

test('application code called by an installed decorator is not a view', () => {
  const jwt =
    'jwt_required.<locals>.wrapper.<locals>.decorator (flask_jwt_extended/view_decorators.py:160)';
  assert.deepEqual(
    viewsOf([
      `${FLASK};${jwt};verify_jwt_in_request (flask_jwt_extended/view_decorators.py:90);load_user (shop/users.py:3);${QUERY} 9`,
      `${FLASK};${jwt};me (shop/views.py:3) 5`,
      `${SERVER};Flask.__call__ (flask/app.py:1536);Flask.wsgi_app (flask/app.py:1511);Flask.full_dispatch_request (flask/app.py:878);Flask.preprocess_request (flask/app.py:1200);before (shop/hooks.py:3) 3`,
    ]),
    { 'me (shop/views.py)': 5 },
  );
});

test('a view inside of an application factory is a view', () => {
  assert.deepEqual(
    viewsOf([
      `${FLASK};create_app.<locals>.index (shop/__init__.py:30);render (shop/pages.py:3) 5`,
    ]),
    { 'create_app.<locals>.index (shop/__init__.py)': 5 },
  );
});

test('methods of class-based views and resources are views', () => {
  const view = 'View.as_view.<locals>.view (flask/views.py:110)';
  assert.deepEqual(
    viewsOf([
      `${FLASK};${view};MethodView.dispatch_request (flask/views.py:191);UserView.get (shop/users.py:3) 1`,
      `${FLASK};Api.owns_endpoint.<locals>.wrapper (flask_restx/api.py:402);${view};Resource.dispatch_request (flask_restx/resource.py:41);CitizenList.get (api/citizen_list.py:20) 2`,
      `${FLASK};wrapper (flask_restful/__init__.py:489);${view};Resource.dispatch_request (flask_restful/__init__.py:604);marshal_with.<locals>.wrapper (flask_restful/__init__.py:300);ItemDetail.put (api/items.py:9) 3`,
      // without qualified names, before Python 3.11
      `${SERVER};__call__ (flask/app.py:1);wsgi_app (flask/app.py:2);full_dispatch_request (flask/app.py:3);dispatch_request (flask/app.py:4);wrapper (flask_restx/api.py:402);view (flask/views.py:89);dispatch_request (flask_restx/resource.py:41);wrapper (shop/auth.py:4);post (api/orders.py:9) 4`,
    ]),
    {
      'post (api/orders.py)': 4,
      'ItemDetail.put (api/items.py)': 3,
      'CitizenList.get (api/citizen_list.py)': 2,
      'UserView.get (shop/users.py)': 1,
    },
  );
});

test('the views of a real Flask-RESTPlus API are found', {
  skip: !existsSync(REFERENCE) && 'the reference flamegraph is not here',
}, async () => {
  const { costs } = analyseProfile({ profile: await readProfile(REFERENCE), rules });
  const names = costs?.endpoints.map(({ name }) => name) ?? [];
  assert.deepEqual(names, [
    'get (api/app/resources/theq/citizen/citizen_list.py)',
    'get (api/app/resources/theq/services.py)',
    'get (api/app/resources/bookings/appointment/appointment_list.py)',
    'get (api/app/resources/theq/categories.py)',
    'get (api/app/resources/theq/channels.py)',
  ]);
});

test('views behind a decorator of their own file are known by the routes in the source', () => {
  const check = 'require_token.<locals>.check (shop/views.py:3)';
  const routes = ['export', 'search'].map(name => ({
    ...{ function: name, file: 'shop/views.py', path: `/${name}`, methods: ['GET'] },
  }));
  const profile = parseRaw(
    [
      `${FLASK};${check};export (shop/views.py:9);dumps (json/__init__.py:3) 30`,
      `${FLASK};${check};search (shop/views.py:20) 10`,
      `${FLASK};${check};count_calls (shop/quota.py:3) 8`,
      `${FLASK};ping (shop/views.py:30) 2`,
    ].join('\n'),
  );
  /** @param {string[]} names */
  const load = names => ({
    endpoints: names.map(name => ({
      ...{ name, requests: 5, perWindow: [5], answers: 0, serverMs: null, measured: null },
    })),
  });
  const { costs } = analyseProfile({
    ...{ profile, rules, viewRoutes: routes },
    load: load(['GET /export', 'GET /search', 'GET /ping']),
  });
  assert.deepEqual(
    costs?.endpoints.map(({ name, basis, samples }) => [name, basis, samples]),
    [
      ['GET /export', 'source', 30],
      ['GET /search', 'source', 10],
      ['count_calls (shop/quota.py)', 'view', 8],
      ['ping (shop/views.py)', 'view', 2],
    ],
  );
});

test('what a decorator calls from another line than the views is not a view', () => {
  const at = (/** @type {number} */ line) =>
    `${FLASK};require.<locals>.inner (shop/web.py:${line})`;
  const check = `${at(633)};DataSet.cached_tables (shop/data.py:136) 30`;
  const table = `${at(635)};table (shop/web.py:659) 20`;
  const content = `${at(635)};content (shop/web.py:892) 10`;
  assert.deepEqual(viewsOf([check, table, content]), {
    'table (shop/web.py)': 20,
    'content (shop/web.py)': 10,
  });
  const routes = [{ function: 'table', file: 'shop/web.py', path: '/<table>/', methods: ['GET'] }];
  assert.deepEqual(viewsOf([check, table], routes), { 'table (shop/web.py)': 20 });
});

test('an installed decorator with any name passes on to views whose route the source states', () => {
  const check = 'Limiter.limit.<locals>.check_rate (cachetools/decorators.py:80)';
  const routes = [{ function: 'show', file: 'shop/views.py', path: '/show', methods: ['GET'] }];
  assert.deepEqual(viewsOf([`${FLASK};${check};show (shop/views.py:3) 9`], routes), {
    'show (shop/views.py)': 9,
  });
});

test('names what the framework calls in place of a view, where most CPU in no row is below it', () => {
  const check = 'Limiter.limit.<locals>.check_rate (cachetools/decorators.py:80)';
  const asideOf = (/** @type {string[]} */ ...lines) => {
    const profile = parseRaw([`${FLASK};ping (shop/views.py:30) 3`, ...lines].join('\n'));
    const { costs } = analyseProfile({ profile, rules });
    return costs && { aside: costs.unattributed?.aside, text: sayLeft(costs) };
  };
  const { aside, text } = asideOf(`${FLASK};${check};show (shop/views.py:3) 97`) ?? {};
  assert.deepEqual(aside, {
    ...{ function: 'Limiter.limit.<locals>.check_rate', file: 'cachetools/decorators.py' },
  });
  assert.match(
    text ?? '',
    /^ 97\.0 % of the CPU is in no row: most of it is below `Limiter\.limit\.<locals>\.check_rate` \(cachetools\/decorators\.py\)/,
  );
  const server = `${SERVER};write (gunicorn/util.py:3) 97`;
  assert.equal(asideOf(server, `${FLASK};${check};show (shop/views.py:3) 20`)?.aside, undefined);
});

test('a base class whose dispatch calls that of the framework is not a view', () => {
  const django =
    'BaseHandler._get_response (django/core/handlers/base.py:197);View.as_view.<locals>.view (django/views/generic/base.py:105);Base.dispatch (shop/base.py:4);APIView.dispatch (rest_framework/views.py:512)';
  assert.deepEqual(
    viewsOf([
      `${SERVER};${django};Login.post (shop/views.py:3) 5`,
      `${SERVER};${django};Statistics.get (shop/views.py:9);count (shop/words.py:2) 7`,
      // A view that the library brings has no frame of its own.
      `${SERVER};${django};ListAPIView.get (rest_framework/generics.py:203);Books.get_queryset (shop/views.py:20) 9`,
    ]),
    { 'Statistics.get (shop/views.py)': 7, 'Login.post (shop/views.py)': 5 },
  );
  // A mixin wraps what its base class does.
  const mixin = django.replace(
    ';APIView',
    ';atomic_for.<locals>.run (shop/transactions.py:9);APIView',
  );
  assert.deepEqual(viewsOf([`${SERVER};${mixin};Login.post (shop/views.py:3) 5`]), {
    'Login.post (shop/views.py)': 5,
  });
});

test('what a mixin or the framework calls beside a class-based view is no view', () => {
  const view = `${SERVER};WSGIHandler.__call__ (django/core/handlers/wsgi.py:124);BaseHandler._get_response (django/core/handlers/base.py:197);View.as_view.<locals>.view (django/views/generic/base.py:`;
  const mixin = `${view}105);TeamMixin.dispatch (shop/mixins.py:`;
  const reach = `${mixin}9);View.dispatch (django/views/generic/base.py:144)`;
  assert.deepEqual(
    viewsOf([
      `${reach};Statistics.get (shop/views.py:9) 5`,
      `${mixin}7);find_team (shop/teams.py:3);${QUERY} 7`,
      `${view}100);Statistics.setup (shop/views.py:4) 3`,
    ]),
    { 'Statistics.get (shop/views.py)': 5 },
  );
  const hook = `${SERVER};BaseHandler._get_response (django/core/handlers/base.py:`;
  assert.deepEqual(
    viewsOf([
      `${hook}190);Login.process_view (shop/middleware.py:9);load (shop/users.py:3) 7`,
      `${hook}197);show (shop/views.py:9) 5`,
    ]),
    { 'show (shop/views.py)': 5 },
  );
});

test('a profile without a framework that is known has no costs', () => {
  const { costs } = analyseProfile({
    profile: parseRaw('run (shop/batch.py:3);work (shop/batch.py:9) 50\n'),
    rules,
  });
  assert.equal(costs, null);
});

const DJANGO = `${SERVER};WSGIHandler.__call__ (django/core/handlers/wsgi.py:124);BaseHandler._get_response (django/core/handlers/base.py:197)`;
const RENDER = `${DJANGO};SimpleTemplateResponse.render (django/template/response.py:114);Template.render (django/template/base.py:171)`;

/** The costs of two Django views under load. @param {...string} lines */
function costsOf(...lines) {
  const endpoints = ['GET /page', 'GET /api'].map(name => ({
    ...{ name, requests: 100, answers: 100, perWindow: [100], serverMs: null, measured: null },
  }));
  const viewRoutes = ['page', 'api'].map(name => {
    return { function: name, file: 'shop/views.py', path: `/${name}`, methods: ['GET'] };
  });
  const load = /** @type {any} */ ({ endpoints });
  const profile = parseRaw(`${lines.join('\n')}\n`);
  const { costs } = analyseProfile({ profile, rules, load, viewRoutes, workersMs: 3000 });
  assert.ok(costs);
  return costs;
}

test('the cost of a view is not known where responses are rendered after their view', () => {
  const page = `${DJANGO};page (shop/views.py:3) 10`;
  const api = `${DJANGO};api (shop/views.py:9) 100`;
  const lazy = costsOf(page, api, `${RENDER};burn (shop/views.py:1) 190`);
  assert.deepEqual(
    lazy.endpoints.map(({ cpuMsPerRequest }) => cpuMsPerRequest),
    [null, null],
  );
  assert.ok((lazy.tying.later ?? 0) > 0, JSON.stringify(lazy.tying));
  assert.ok(Math.abs((lazy.unattributed?.share ?? 0) - 0.633) < 0.001);
  // What is rendered inside of the view belongs to it.
  const inside = `${RENDER.replace(DJANGO, `${DJANGO};page (shop/views.py:4)`)} 190`;
  for (const rest of [inside, `${RENDER} 5`]) {
    const eager = costsOf(page, api, rest);
    assert.ok(eager.endpoints.every(({ cpuMsPerRequest }) => cpuMsPerRequest !== null));
    assert.equal(eager.tying.later ?? 0, 0);
  }
});

test('a plain `def` of an ASGI framework is known to run in a thread, and a coroutine not', () => {
  const asgi = 'RequestResponseCycle.run_asgi (uvicorn/protocols/http/h11_impl.py:412)';
  const thread = 'WorkerThread.run (anyio/_backends/_asyncio.py:1002)';
  const route = 'run_endpoint_function (fastapi/routing.py:214)';
  const profile = parseRaw(
    `${asgi};${route};waits (shop/views.py:3) 5\n${thread};plain (shop/views.py:9) 5\n`,
  );
  const { costs } = analyseProfile({ profile, rules });
  const views = costs?.endpoints.flatMap(({ views: own }) => own) ?? [];
  assert.deepEqual(
    new Set(views.map(view => `${view.function} ${view.inThread ?? false}`)),
    new Set(['waits false', 'plain true']),
  );
});
