import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameRelations } from '../../../lib/analysis/analyse-run.js';
import { analyseProfile } from '../../../lib/analysis/profile/analyse-profile.js';
import { markLines } from '../../../lib/analysis/profile/mark-lines.js';
import { build, rules } from '../built-profiles.js';

const SITE = '/opt/python3.12/lib/python3.12/site-packages';
const SERVED = [
  `SyncWorker.handle_request (${SITE}/gunicorn/workers/sync.py:190)`,
  `Flask.wsgi_app (${SITE}/flask/app.py:1511)`,
];
const VIEW = [...SERVED, 'show (/srv/shop/views.py:3)'];
const STRETCHES = [0, 1, 2, 3, 4, 5];

/** In each stretch, or in those given, a fifth of the samples are in the stack. @param {string[]} stack @param {number[]} [at] */
function analyse(stack, at = STRETCHES) {
  const rows = STRETCHES.map(segment => [segment, 2, VIEW, 80]);
  const own = at.map(segment => [segment, 2, stack, 20]);
  const profile = build(/** @type {any} */ ([...rows, ...own]));
  return analyseProfile({ profile, rules, workersMs: 9600, requests: 480 });
}

/** @param {string[]} below the view, with paths below site-packages @returns {string[]} */
const inView = below => [...VIEW, ...below.map(frame => frame.replace('(', `(${SITE}/`))];

/** @param {Parameters<typeof analyse>} rows */
const findBuilt = (...rows) => {
  const { causes } = analyse(...rows);
  return causes.filter(({ id }) => id.startsWith('built-per-request'));
};

for (const [name, ...below] of [
  ['`TypeAdapter` of pydantic', 'TypeAdapter.__init__ (pydantic/type_adapter.py:226)'],
  ['`PyJWKClient` of jwt', 'PyJWKClient.__init__ (jwt/jwks_client.py:40)'],
  [
    '`Environment` of jinja2',
    'Environment.__init__ (jinja2/environment.py:300)',
    'get_lexer (jinja2/lexer.py:480)',
  ],
  [
    'the result of `create_model` of pydantic',
    'create_model (pydantic/main.py:1700)',
    'ModelMetaclass.__new__ (pydantic/_internal/_model_construction.py:210)',
  ],
  ['the result of `safe_load` of yaml', 'safe_load (yaml/__init__.py:125)'],
  [
    'the result of `build_from_document` of google/protobuf',
    'build_from_document (google/protobuf/descriptor_pool.py:9)',
  ],
  ['`Schema` of marshmallow', 'Schema.__init__ (marshmallow/schema.py:370)'],
]) {
  test(`${name} built in all requests is a cause with its line and its cost`, () => {
    const [cause, ...others] = findBuilt(inView(below));
    assert.equal(cause?.title, `${name} built for each request`);
    assert.deepEqual(others, [], 'what it builds itself is a part of it');
    const figures = [cause?.share, cause?.cpuMsPerRequest].map(own => own?.value.toFixed(3));
    assert.deepEqual(figures, ['0.200', '4.000']);
    assert.deepEqual(
      cause?.places?.map(({ function: at, line }) => [at, line]),
      [['show', 3]],
    );
  });
}

test('a function that the standard library decorates again in all requests is a cause', () => {
  const below = 'update_wrapper (/opt/python3.12/lib/python3.12/functools.py:35)';
  const [cause] = findBuilt([...VIEW, below]);
  assert.equal(cause?.title, 'the result of `update_wrapper` of functools built for each request');
});

for (const below of [
  ['Response.__init__ (starlette/responses.py:40)', 'Response.render (starlette/responses.py:52)'],
  ['Request.__init__ (httpx/_models.py:320)'],
  ['Model.__init__ (django/db/models/base.py:500)'],
  ['_declarative_constructor (sqlalchemy/orm/decl_base.py:2000)'],
  ['SQLCompiler.compile (django/db/models/sql/compiler.py:700)'],
  ['BaseModel.__init__ (pydantic/main.py:214)'],
  ['Serializer.__init__ (rest_framework/serializers.py:120)'],
  ['OrderForm.__init__ (wtforms/form.py:280)'],
  ['Schema.load (marshmallow/schema.py:720)'],
  ['Session.__init__ (sqlalchemy/orm/session.py:1500)'],
  ['SecureCookieSession.__init__ (flask/sessions.py:60)'],
  ['DataFrame.__init__ (pandas/core/frame.py:700)'],
  ['Template.render (jinja2/environment.py:1200)', 'Context.__init__ (jinja2/runtime.py:160)'],
])
  test(`… ${below[0]} is meant for each request, and no cause`, () => {
    assert.deepEqual(findBuilt(inView(below)), []);
  });

test('a path says with the line of the application what is built there again', () => {
  const { hotPaths } = analyse(inView(['safe_load (yaml/__init__.py:125)']));
  assert.deepEqual(hotPaths[0]?.reasons, [
    {
      share: 0.2,
      phrase: 'builds the result of `safe_load` of yaml again',
      fix: 'build it once, and keep it',
      at: 'show (/srv/shop/views.py:3)',
    },
  ]);
});

test('what is built at the start, or once in a while, is not built for each request', () => {
  const stack = inView(['TypeAdapter.__init__ (pydantic/type_adapter.py:226)']);
  assert.deepEqual(findBuilt(stack, [0, 1]), []);
  assert.deepEqual(findBuilt(stack, [3]), []);
  assert.equal(findBuilt(stack, [0, 2, 4, 5]).length, 1);
  const outside = [`TypeAdapter.__init__ (${SITE}/pydantic/type_adapter.py:226)`];
  assert.deepEqual(findBuilt(outside), [], 'outside of requests');
});

test('what calls the application back builds nothing, and what another cause explains is named by that', () => {
  const called = inView(['create_context (pluggy/_manager.py:3)']);
  assert.deepEqual(findBuilt([...called, 'hook (/srv/shop/hooks.py:8)']), []);
  const compiled = inView(['Environment.from_string (jinja2/environment.py:1100)']);
  assert.deepEqual(
    analyse(compiled).causes.map(({ id }) => id),
    ['template-compilation'],
  );
});

test('hooks of a class are part of its constructor where the application calls it', () => {
  const hooked = [
    `BaseSettings.__init__ (${SITE}/pydantic_settings/main.py:292)`,
    `BaseModel.__init__ (${SITE}/pydantic/main.py:280)`,
    'Settings.model_post_init (/srv/shop/settings.py:42)',
  ];
  const [built] = findBuilt([...VIEW, ...hooked]);
  assert.equal(built?.title, '`BaseSettings` of pydantic_settings built for each request');
  assert.deepEqual(built?.share.value.toFixed(3), '0.200');
  const served = [
    ...SERVED,
    `Dispatcher.__init__ (${SITE}/pluggy/_hooks.py:30)`,
    'show (/srv/shop/views.py:9)',
  ];
  assert.deepEqual(findBuilt(served), [], 'a library may call views in a constructor');
});

const PYTHON = '/opt/python3.12/lib/python3.12';

test('threads that requests start, and JSON of columns that rows bring, are causes at the line of the application', () => {
  const causesOf = (/** @type {string[]} */ below, /** @type {number[]} */ at = STRETCHES) =>
    analyse([...VIEW, ...below], at).causes.map(({ id, places }) => [id, places?.[0]?.line]);
  const pool = [`ThreadPoolExecutor.submit (${PYTHON}/concurrent/futures/thread.py:170)`];
  const start = [...pool, `Thread.start (${PYTHON}/threading.py:990)`];
  assert.deepEqual(causesOf(start), [['threads-started', 3]]);
  assert.deepEqual(causesOf(start, [0, 1]), [], 'by the first requests, until the pool is full');
  assert.deepEqual(causesOf(pool), []);
  const decode = `JSONDecoder.raw_decode (${PYTHON}/json/decoder.py:353)`;
  const rows = `JSONField.from_db_value (${SITE}/django/db/models/fields/json.py:90)`;
  assert.deepEqual(causesOf([rows, decode]), [['columns-decoded', 3]]);
  assert.deepEqual(causesOf([decode]), []);
});

test('what source shows of a line does not hide what is built there', () => {
  const stack = inView(['get_openapi (fastapi/openapi/utils.py:500)']);
  const profile = build(/** @type {any} */ (STRETCHES.map(segment => [segment, 2, stack, 100])));
  const file = { function: 'show', file: '/srv/shop/views.py', from: 2 };
  const lines = ['def show(day):', '    return get_openapi(routes=app.routes)'];
  const source = /** @type {any} */ ([{ ...file, lines }]);
  const { causes } = analyseProfile({ profile: markLines(profile, source, rules), rules });
  assert.deepEqual(causes.map(({ title }) => title).toSorted(), [
    'the result of `get_openapi` of fastapi built for each request',
    'work that takes nothing from the request',
  ]);
});

test('of nested lines that take nothing from the request, the innermost is the place', () => {
  const stack = [...VIEW, 'all_parts (/srv/shop/views.py:8)', 'part (/srv/shop/parts.py:3)'];
  const profile = build(/** @type {any} */ (STRETCHES.map(segment => [segment, 2, stack, 100])));
  const source = /** @type {any} */ ([
    {
      function: 'show',
      file: '/srv/shop/views.py',
      from: 2,
      lines: ['def show(day):', '    return all_parts()'],
    },
    {
      function: 'all_parts',
      file: '/srv/shop/views.py',
      from: 7,
      lines: ['def all_parts(size=2):', '    return part(PARTS)'],
    },
  ]);
  const { causes } = analyseProfile({ profile: markLines(profile, source, rules), rules });
  assert.deepEqual(
    causes.map(({ id, places }) => [id, places?.map(({ function: at, line }) => [at, line])]),
    [['same-in-each-request', [['all_parts', 8]]]],
  );
  assert.equal(causes[0]?.forAll, true, 'a prediction may take it for one result for all');
});

test('a class with a name that is none does not get into a sentence', () => {
  for (const name of ['<b>x</b>', '`](http://evil)', 'A$&', 'x'.repeat(300), 'a b'])
    assert.deepEqual(findBuilt(inView([`${name}.__init__ (evil/a.py:1)`])), [], name);
});

test('what the companion counted at the line of the cause stands beside it', () => {
  const [cause] = findBuilt(inView(['TypeAdapter.__init__ (pydantic/type_adapter.py:226)']));
  const [place] = cause?.places ?? [];
  const act = {
    kind: 'compile',
    text: 'compile',
    perRequest: 2,
    file: place?.file,
    line: place?.line,
  };
  const calls = /** @type {any} */ ({ statements: [], acts: [act, { ...act, line: 99 }] });
  const { profile } = nameRelations(/** @type {any} */ ({ profile: { causes: [cause] } }), calls);
  const [own] = profile?.causes ?? [];
  assert.deepEqual(own?.acts, [{ kind: 'compile', text: 'compile', perRequest: 2 }]);
});

const ASGI = [
  `RequestResponseCycle.run_asgi (${SITE}/uvicorn/protocols/http/h11_impl.py:412)`,
  'Compression.__call__ (/srv/shop/middleware.py:48)',
  `CORSMiddleware.__call__ (${SITE}/starlette/middleware/cors.py:83)`,
  `Router.app (${SITE}/starlette/routing.py:720)`,
  `request_response.<locals>.app (${SITE}/fastapi/routing.py:120)`,
  `solve_dependencies (${SITE}/fastapi/dependencies/utils.py:700)`,
];

test('a framework is named by what it builds for each request, and what is left by its deepest frame, not the outermost', () => {
  const rows = STRETCHES.flatMap(segment => [
    [segment, 2, [...ASGI, `get_dependant (${SITE}/fastapi/dependencies/utils.py:280)`], 30],
    [segment, 2, ASGI, 18],
    [segment, 2, ASGI.slice(0, 4), 2],
    [segment, 2, [...ASGI.slice(0, 5), 'view (/srv/shop/views.py:3)'], 50],
  ]);
  const { hotPaths, causes } = analyseProfile({
    profile: build(/** @type {any} */ (rows)),
    rules,
  });
  const [built, rest] = hotPaths.filter(({ category }) => category === 'framework');
  const [reason, ...more] = built?.reasons ?? [];
  assert.deepEqual(
    [built?.entry.function, built?.share.value, reason?.phrase, reason?.fix, more],
    [
      'get_dependant',
      0.3,
      'builds the result of `get_dependant` of fastapi again',
      'leave `app.dependency_overrides` empty',
      [],
    ],
  );
  assert.equal(rest?.entry.function, 'solve_dependencies');
  assert.deepEqual(causes[0]?.places, [], 'middleware is outside of all of it');
});
