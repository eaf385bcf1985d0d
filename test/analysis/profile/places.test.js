import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadRules } from '../../../lib/analysis/hotpath/load-rules.js';
import { analyseProfile } from '../../../lib/analysis/profile/analyse-profile.js';
import { parseRaw } from '../../helpers/parse-raw.js';

const rules = await loadRules();
const SYNC = 'SyncWorker.handle_request (gunicorn/workers/sync.py:184)';
const MIDDLEWARE = `${SYNC};Prefix.__call__ (shop/wsgi.py:4);SharedDataMiddleware.__call__ (werkzeug/middleware/shared_data.py:251);Shop.__call__ (shop/app.py:9)`;
const DISPATCH = `${MIDDLEWARE};Shop.dispatch (shop/app.py:20)`;
const GUARDED = `${DISPATCH};requires.<locals>.dec (shop/guard.py:5)`;

/** @param {string[]} lines stacks with counts */
const pathsOf = lines =>
  analyseProfile({ profile: parseRaw(`${lines.join('\n')}\n`), rules }).hotPaths;

/** Function, samples, and caller with its line, of each path of the application. @param {string[]} lines */
const placesOf = lines =>
  pathsOf(lines)
    .filter(({ category }) => category === 'business')
    .map(({ entry, share, caller }) => [
      entry.function,
      Math.round(share.value * 100),
      caller && `${caller.function}:${caller.line}`,
    ]);

test('a middleware that only calls the application is no place, and neither is its dispatcher', () => {
  assert.deepEqual(
    placesOf([
      `${GUARDED};fetch (shop/views.py:30);render (shop/html.py:7);tidy (bleach/clean.py:3) 40`,
      `${GUARDED};fetch (shop/views.py:31);render (shop/html.py:7);parse (bleach/parse.py:9) 5`,
      `${GUARDED};fetch (shop/views.py:35) 5`,
      `${GUARDED};feed (shop/views.py:60);total (shop/sums.py:2) 16`,
      `${GUARDED};feed (shop/views.py:64);most (shop/sums.py:8) 14`,
      `${DISPATCH};health (shop/views.py:80) 20`,
    ]),
    [
      ['render', 45, 'fetch:30'],
      ['feed', 30, null],
      ['health', 20, null],
      ['fetch', 5, null],
    ],
  );
});

test('what is outside of a dispatcher is no caller, and no view of a cause', () => {
  const { causes } = analyseProfile({
    profile: parseRaw(
      [
        `${DISPATCH};add (shop/views.py:9);deepcopy (copy.py:128) 30`,
        `${DISPATCH};show (shop/views.py:20);total (shop/sums.py:2) 70`,
        '',
      ].join('\n'),
    ),
    rules,
  });
  assert.deepEqual(
    causes.map(({ id, places = [] }) => [id, places.map(own => [own.function, own.view])]),
    [['deepcopy', [['add', null]]]],
  );
});

test('a decorator is the place of its own calls, not of calls by its view', () => {
  const guarded = `${SYNC};Flask.dispatch_request (flask/app.py:902);need_auth.<locals>.wrapper`;
  const hashed = 'check_password_hash (werkzeug/security.py:146);_hash_internal';
  const { causes } = analyseProfile({
    profile: parseRaw(
      [
        `${guarded} (shop/api.py:28);${hashed} (werkzeug/security.py:58) 60`,
        `${guarded} (shop/api.py:31);change (shop/api.py:70);${hashed} (werkzeug/security.py:58) 40`,
        '',
      ].join('\n'),
    ),
    rules,
  });
  assert.deepEqual(
    causes.map(({ id, places = [] }) => [
      id,
      places.map(own => [own.function, own.line, own.view]),
    ]),
    [
      [
        'password-hash-per-request',
        [
          ['need_auth.<locals>.wrapper', 28, null],
          ['change', 70, null],
        ],
      ],
    ],
  );
});

test('coroutines of an ASGI application have the same places', () => {
  const app =
    'RequestResponseCycle.run_asgi (uvicorn/protocols/http/h11_impl.py:410);Count.__call__ (middleware.py:6);Gate.__call__ (middleware.py:13);root (app.py:40)';
  assert.deepEqual(
    placesOf([
      `${app};pages (app.py:20);fold (text.py:4);<listcomp> (text.py:4);fill (textwrap.py:9) 60`,
      `${app};sums (app.py:28) 40`,
    ]),
    [
      ['fold', 60, 'pages:20'],
      ['sums', 40, null],
    ],
  );
});

test('the package that the framework calls is named, and not those around it or below it', () => {
  const outer = `${SYNC};Noise.__call__ (whitespace/base.py:9);Router.call (unknown_framework/app.py:8)`;
  assert.deepEqual(
    placesOf([
      `${outer};show (shop/views.py:3);price (shop/prices.py:4);parse (odd_parser/core.py:9);walk (odd_parser/core.py:20) 50`,
      `${outer};list (shop/views.py:9);walk (odd_parser/core.py:20) 50`,
    ]),
    [
      ['price', 50, 'show:3'],
      ['list', 50, null],
    ],
  );
});

test('one line that calls several functions in one request is no dispatcher', () => {
  const of = (/** @type {string} */ route, /** @type {string} */ stack) =>
    `GET /${route} (<loadflame route>:1);${DISPATCH};${stack}`;
  const view = 'show (shop/views.py:3);page (shop/html.py:5)';
  assert.deepEqual(
    placesOf([
      of('show', `${view};render (shop/html.py:20) 30`),
      of('show', `${view};tidy (shop/html.py:40) 20`),
      of('sums', 'sums (shop/sums.py:9) 50'),
    ]),
    [
      ['page', 50, 'show:3'],
      ['sums', 50, null],
    ],
  );
});

test('a function that calls itself is one place with all of its samples', () => {
  const walk = (/** @type {number} */ depth) =>
    Array(depth).fill('walk (shop/tree.py:9)').join(';');
  assert.deepEqual(
    placesOf([
      `${SYNC};show (shop/views.py:3);${walk(9)} 60`,
      `${SYNC};show (shop/views.py:3);${walk(2)} 40`,
    ]),
    [['walk', 100, 'show:3']],
  );
});

test('without a known cause, the call that holds most of a path is named with its line', () => {
  const flags = `${DISPATCH};flags (shop/flags.py:12)`;
  const [path] = pathsOf([
    `${flags};dump (yaml/__init__.py:125);dump_all (yaml/__init__.py:81) 94`,
    `${flags.replace(':12', ':13')};sorted_names (shop/flags.py:30) 6`,
  ]);
  assert.deepEqual(path?.call, { name: 'yaml.dump', part: 0.94, file: 'shop/flags.py', line: 12 });
  assert.equal(path?.caller?.function, 'Shop.dispatch');
  const [own] = pathsOf([
    `${flags};total (shop/flags.py:40) 60`,
    `${flags.replace(':12', ':13')};dumps (json.py:9) 40`,
  ]);
  assert.deepEqual(own?.call, { name: null, part: 0.6, file: 'shop/flags.py', line: 40 });
  const lines = [40, 41, 42, 43].map(line => `${flags};total (shop/flags.py:${line}) 25`);
  assert.equal(pathsOf(lines)[0]?.call, null, 'no line is much of it');
});

test('the call is that of the innermost line of the application, whoever calls that', () => {
  const stack = 'caller (ask.py:22);stack (inspect.py:1755);getouterframes (inspect.py:1730)';
  const inner = ['exists (genericpath.py:19)', 'stat (genericpath.py:20)'].map(
    leaf => `${stack};${leaf}`,
  );
  const lines = `${DISPATCH};lines_for (ask.py:45)`;
  const paths = pathsOf([
    `${lines};defined (ask.py:26);${inner[0]} 60`,
    `${lines};defined (ask.py:26);${inner[1]} 25`,
    `${lines};value (ask.py:35);${inner[0]} 5`,
    `${lines};value (ask.py:35);${inner[1]} 2`,
    `${lines};join (text.py:3) 8`,
    `${DISPATCH};question (ask.py:57);defined (ask.py:26);${inner[0]} 40`,
  ]);
  assert.deepEqual(paths[0]?.call, { name: 'inspect.stack', part: 1, file: 'ask.py', line: 22 });
});

test('names of calls from a file come through as text', () => {
  const [path] = pathsOf([`${SYNC};show (shop/views.py:3);<img src=x> (evil/<b>.py:1) 50`]);
  assert.equal(path?.call?.name, 'evil.<img src=x>');
});

test('the companion is no place: its frames belong to their caller', () => {
  const own =
    'Body.run (loadflame_companion.py:2402);ThreadClock.leave (loadflame_companion.py:2072)';
  const view = `${SYNC};Companion.__call__ (loadflame_companion.py:2020);Flask.__call__ (flask/app.py:1536)`;
  const start = 'Companion.timed.<locals>.start (loadflame_companion.py:2102)';
  const paths = pathsOf([
    `${SYNC};Body.__next__ (loadflame_companion.py:2385);${own} 20`,
    `${view};Response.__call__ (werkzeug/wrappers/response.py:576);${start};${own} 30`,
    `${view};show (shop/views.py:9);${start};${own} 40`,
    `${own} 4`,
    'Request.run_step (loadflame_companion.py:2472);Router.app (starlette/routing.py:70) 6',
    'Handle._run (asyncio/events.py:80);Steps.__next__ (loadflame_companion.py:452);Request.run_step (loadflame_companion.py:2643) 10',
  ]);
  assert.deepEqual(
    paths.map(({ category, entry, call, share }) => [
      ...[category, entry.function, call?.name ?? null, Math.round(share.value * 100)],
    ]),
    [
      ['business', 'show', null, 36],
      ['framework', 'Response.__call__', null, 27],
      ['server', 'SyncWorker.handle_request', null, 18],
      ['server', 'Handle._run', null, 9],
      ['framework', 'Router.app', null, 5],
      ['server', 'Body.run', null, 4],
    ],
  );
});

test('the heaviest functions of a path are those of the app, not the notes that the companion makes in it', async () => {
  const view =
    'SyncWorker.handle_request (gunicorn/workers/sync.py:190);Flask.dispatch_request (flask/app.py:865);show (shop/views.py:3);load (shop/data.py:9)';
  const note = `${view};Collections.__call__ (loadflame_companion.py:30)`;
  const profile = parseRaw(`${view} 60\n${note} 40\n`);
  const { hotPaths } = analyseProfile({ profile, rules: await loadRules() });
  const path = hotPaths.find(({ category }) => category === 'business');
  assert.deepEqual(
    path?.heaviest.map(own => [own.function, own.self, own.total.value]),
    [['load', 1, 1]],
  );
});

const DJANGO = `${SYNC};WSGIHandler.__call__ (django/core/handlers/wsgi.py:124);BaseHandler._get_response (django/core/handlers/base.py:197)`;

test('a decorator of another package passes on to its views, and keeps only its own work', () => {
  const outer = `${DJANGO};phone_home.<locals>.inner (phonehome/utils.py:`;
  const list = `${outer}15);issue_list (issues/views.py:146)`;
  const checked = `${list};atomic.<locals>.wrapper (base/decorators.py:9);member.<locals>.wrapper (base/decorators.py:40)`;
  const one = [
    `${list};second_part (issues/views.py:230);render (issues/html.py:3) 60`,
    `${checked};first_part (issues/views.py:170) 36`,
    `${outer}12);note (phonehome/models.py:3) 4`,
  ];
  assert.deepEqual(placesOf(one), [
    ['issue_list', 96, null],
    ['phone_home.<locals>.inner', 4, null],
  ]);
  assert.deepEqual(placesOf([...one, `${outer}15);details (issues/views.py:300) 25`]), [
    ['issue_list', 77, null],
    ['details', 20, null],
    ['note', 3, null],
  ]);
  // The decorators of a function that a view calls do not change whose work it is.
  assert.deepEqual(placesOf([`${checked};first_part (issues/views.py:170) 50`]), [
    ['first_part', 100, 'issue_list:146'],
  ]);
});

test('an object that is called in place of a view passes on to it, and a view to no library', () => {
  const called = `${DJANGO};Throttle.__call__ (throttle/core.py:9);show (shop/views.py:3)`;
  assert.deepEqual(placesOf([`${called};parse (odd_parser/core.py:9) 50`]), [['show', 100, null]]);
});

/** Places of the cause `deepcopy`, with their views. @param {...string} stacks */
function placesOfCopies(...stacks) {
  const lines = stacks.map(stack => `${stack};deepcopy (copy.py:128) 50\n`);
  const { causes } = analyseProfile({ profile: parseRaw(lines.join('')), rules });
  const [cause, ...others] = causes;
  assert.ok(cause?.id === 'deepcopy' && others.length === 0);
  return cause.places?.map(own => [own.function, own.view?.function ?? null]);
}

test('a middleware is no view of a cause, whichever framework calls the view', () => {
  const aiohttp = `RequestHandler._handle_request (aiohttp/web_protocol.py:9);Application._handle (aiohttp/web_app.py:9);timing (shop/middleware.py:5)`;
  const falcon = `${SYNC};Stats.__call__ (shop/stats.py:9);App.__call__ (falcon/app.py:9)`;
  for (const outer of [aiohttp, falcon])
    assert.deepEqual(
      placesOfCopies(`${outer};Shop.on_get (shop/views.py:3);ask (shop/data.py:3)`),
      [['ask', 'Shop.on_get']],
    );
});

test('a middleware is the place of its own work, not of the work inside it', () => {
  const stats = `${SYNC};Stats.__call__ (shop/middleware.py:9)`;
  const inner = `${stats};convert_exception_to_response.<locals>.inner (django/core/handlers/exception.py:55)`;
  const session = `${inner};MiddlewareMixin.__call__ (django/utils/deprecation.py:9)`;
  assert.deepEqual(placesOfCopies(`${stats};Stats.note (shop/middleware.py:20)`), [
    ['Stats.note', null],
  ]);
  assert.deepEqual(placesOfCopies(`${session};Tenant.process_request (shop/tenants.py:9)`), [
    ['Tenant.process_request', null],
  ]);
  assert.deepEqual(placesOfCopies(`${session};Sessions.process_response (odd_sessions.py:9)`), [
    ['Sessions.process_response', null],
  ]);
  const query = `${session};SessionMiddleware.process_request (django/contrib/sessions/middleware.py:9);execute (django/db/models/sql/compiler.py:9) 50`;
  const [path] = pathsOf([query]);
  assert.deepEqual(
    [path?.entry.function, path?.caller],
    ['SessionMiddleware.process_request', null],
  );
});

test('the evidence of a cause passes the companion', () => {
  const view = `${DJANGO};show (shop/views.py:3);followed (loadflame_companion.py:9);deepcopy (copy.py:128) 50\n`;
  const { causes } = analyseProfile({ profile: parseRaw(view), rules });
  assert.deepEqual(causes[0]?.evidence, ['show (shop/views.py)', 'deepcopy (copy.py)']);
});

test('a deployment’s own WSGI file around an installed application is no place, and no caller', () => {
  const router =
    'Router.__call__ (pyramid/router.py:269);Router.handle_request (pyramid/router.py:142)';
  const outer = `${SYNC};Truth.__call__ (wsgi.py:15);${router};decorate_view.<locals>.wrapper (shop/service.py:580)`;
  assert.deepEqual(
    placesOf([
      `${outer};Record.timestamp (shop/records.py:42);fold (shop/text.py:5) 60`,
      `${outer};listed (shop/lists.py:9) 40`,
    ]),
    [
      ['fold', 60, 'Record.timestamp:42'],
      ['listed', 40, null],
    ],
  );
});

test('a method of the application’s own session or environment that calls its base passes through', () => {
  const execute = 'Session.execute (sqlalchemy/orm/session.py:2373)';
  const [path] = pathsOf([
    `${DJANGO};show (shop/views.py:3);LoggedSession.execute (shop/db.py:9);${execute} 30`,
    `${DJANGO};list_all (shop/views.py:12);LoggedSession.execute (shop/db.py:9);${execute} 10`,
  ]);
  assert.deepEqual(path?.caller, { function: 'show', file: 'shop/views.py', line: 3 });
  const touch = 'InstrumentedAttribute.__get__ (sqlalchemy/orm/attributes.py:575)';
  const load = `${touch};_LazyLoader._emit_lazyload (sqlalchemy/orm/strategies.py:1180)`;
  const template = `${DJANGO};show (shop/views.py:3);block_body (shop/templates/list.html:40)`;
  const getattr =
    'ShopEnvironment.getattr (shop/templating.py:307);Environment.getattr (jinja2/environment.py:485)';
  const stack = `${template};${getattr};${load} 50\n`;
  const { causes } = analyseProfile({ profile: parseRaw(stack), rules });
  const [place] = causes.find(({ id }) => id === 'lazy-loading')?.places ?? [];
  assert.deepEqual([place?.function, place?.file], ['block_body', 'shop/templates/list.html']);
});

test('a view that calls its base is itself the place, because a library calls it', () => {
  const [path] = pathsOf([
    `${DJANGO};list (rest_framework/mixins.py:46);Orders.list (shop/views.py:12);list (rest_framework/mixins.py:40);execute (django/db/models/sql/compiler.py:9) 50`,
  ]);
  assert.equal(path?.caller?.function, 'Orders.list');
});

test('what a library does in a thread for a request is the application’s, and the framework’s there its own', () => {
  for (const thread of [
    '_WorkItem.run (concurrent/futures/thread.py:58);Caller.in_thread.<locals>.run_in_thread (loadflame_companion.py:9)',
    'Thread._bootstrap (threading.py:9);run_whole_thread (loadflame_companion.py:9)',
  ]) {
    const handler = `${thread};SyncToAsync.thread_handler (asgiref/sync.py:506);resolve (django/urls/resolvers.py:4)`;
    const lines = [
      `${thread};read_parts (pandas/io/parquet.py:5);parse (pandas/io/core.py:8) 60`,
      `${handler} 30`,
      `${handler};show (shop/views.py:3) 10`,
    ];
    assert.deepEqual(
      pathsOf(lines).map(({ entry, category, caller }) => [entry.function, category, caller]),
      [
        ['read_parts', 'business', null],
        ['resolve', 'framework', null],
        ['show', 'business', null],
      ],
    );
  }
});
