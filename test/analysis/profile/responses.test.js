import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyseProfile } from '../../../lib/analysis/profile/analyse-profile.js';
import { build, rules } from '../built-profiles.js';

const LIBRARY = '/opt/python3.12/lib/python3.12';
const SITE = `${LIBRARY}/site-packages`;
const IDS = new Set(
  'compression middleware-tasks response-models response-validated jsonable-encoder serializer-fields serializer-fields-built reflective-conversion stack-inspection'.split(
    ' ',
  ),
);
const LOOP = [
  'Server.run (uvicorn/server.py:60)',
  'RequestResponseCycle.run_asgi (uvicorn/protocols/http/httptools_impl.py:400)',
];
const BASE =
  'BaseHTTPMiddleware.__call__.<locals>.call_next.<locals>.coro (starlette/middleware/base.py:150)';
const APP = 'get_request_handler.<locals>.app (fastapi/routing.py:440)';
const VIEW = [APP, 'run_endpoint_function (fastapi/routing.py:380)', 'show (/srv/shop/views.py:3)'];

/** Frames whose path is below site-packages unless it is absolute. @param {string[]} stack */
const stackOf = stack => stack.map(frame => frame.replace(/\((?![/<])/, `(${SITE}/`));

/** A third of the CPU is in this stack, all through the run. @param {string[]} stack */
function analyse(stack) {
  const rows = [0, 1, 2, 3, 4, 5].flatMap(segment => [
    [segment, 2, stackOf([...LOOP, ...VIEW]), 80],
    [segment, 2, stackOf([...LOOP, ...stack]), 40],
  ]);
  const profile = build(/** @type {any} */ (rows));
  return analyseProfile({ profile, rules, workersMs: 9600, requests: 480 });
}

/** @param {string[]} stack */
const idsOf = stack => analyse(stack).causes.flatMap(({ id }) => (IDS.has(id) ? id : []));

for (const [id, ...stack] of [
  ['compression', 'GZipResponder._compress_body (starlette/middleware/gzip.py:220)'],
  [
    'compression',
    'GZipMiddleware.process_response (django/middleware/gzip.py:57)',
    'compress_string (django/utils/text.py:369)',
  ],
  ['compression', '_compress_data (flask_compress/flask_compress.py:327)'],
  ['compression', 'show (/srv/shop/views.py:4)', 'zlib.compress (<C code>)'],
  [
    'middleware-tasks',
    BASE,
    'BaseHTTPMiddleware.__call__ (starlette/middleware/base.py:180)',
    'TaskGroup.__aexit__ (anyio/_backends/_asyncio.py:700)',
  ],
  [
    'middleware-tasks',
    'BaseHTTPMiddleware.__call__.<locals>.call_next.<locals>.body_stream (starlette/middleware/base.py:190)',
  ],
  ['response-models', ...VIEW, 'BaseModel.__init__ (pydantic/main.py:210)'],
  [
    'response-validated',
    APP,
    'serialize_response (fastapi/routing.py:345)',
    'ModelField.validate (fastapi/_compat/v2.py:180)',
  ],
  [
    'jsonable-encoder',
    ...VIEW,
    'jsonable_encoder (fastapi/encoders.py:230)',
    'jsonable_encoder (fastapi/encoders.py:300)',
  ],
  [
    'serializer-fields',
    'show (/srv/shop/views.py:4)',
    'ListSerializer.to_representation (rest_framework/serializers.py:690)',
  ],
  [
    'serializer-fields-built',
    'show (/srv/shop/views.py:4)',
    'Serializer.fields (rest_framework/serializers.py:386)',
    'ModelSerializer.get_fields (rest_framework/serializers.py:1100)',
  ],
  ['reflective-conversion', ...VIEW, 'MessageToDict (google/protobuf/json_format.py:167)'],
  ['reflective-conversion', ...VIEW, `asdict (${LIBRARY}/dataclasses.py:1300)`],
  ['stack-inspection', ...VIEW, `stack (${LIBRARY}/inspect.py:1700)`],
  ['stack-inspection', ...VIEW, `extract_stack (${LIBRARY}/traceback.py:230)`],
])
  test(`${stack.at(-1)?.replace(/ \(.*/, '')} in a third of the samples is a cause: ${id}`, () => {
    const { hotPaths } = analyse(stack);
    assert.deepEqual(idsOf(stack), [id]);
    const phrase = rules.causes.find(cause => cause.id === id)?.phrase ?? '';
    assert.ok(hotPaths.some(({ reasons }) => reasons.some(own => own.phrase === phrase)));
  });

test('what BaseHTTPMiddleware does for the code of a middleware is a cause, and that code is none', () => {
  const dispatch = [
    'BaseHTTPMiddleware.__call__ (starlette/middleware/base.py:203)',
    'Duration.dispatch (/srv/shop/app.py:26)',
  ];
  const next = 'BaseHTTPMiddleware.__call__.<locals>.call_next (starlette/middleware/base.py:113)';
  for (const own of [next, 'call_next (starlette/middleware/base.py:113)'])
    assert.deepEqual(idsOf([BASE, ...dispatch, own]), ['middleware-tasks']);
  assert.deepEqual(idsOf([BASE, ...dispatch, 'check_key (/srv/shop/app.py:30)']), []);
});

test('bodies of requests, decompression and what middleware calls further in are no cause', () => {
  for (const stack of [
    [
      APP,
      'request_body_to_args (fastapi/dependencies/utils.py:900)',
      'ModelField.validate (fastapi/_compat/v2.py:180)',
    ],
    [
      APP,
      'request_body_to_args (fastapi/dependencies/utils.py:900)',
      'BaseModel.__init__ (pydantic/main.py:210)',
    ],
    [...VIEW, 'GZipDecoder.decompress (httpx/_decoders.py:70)'],
    [...VIEW, '_uncompress_data (flask_compress/flask_compress.py:350)'],
    [BASE, ...VIEW, 'price (/srv/shop/prices.py:9)'],
    [
      BASE,
      APP,
      'run_in_threadpool (starlette/concurrency.py:30)',
      'Event.set (anyio/_backends/_asyncio.py:1800)',
    ],
    [
      APP,
      'serialize_response (fastapi/routing.py:357)',
      'ModelField.serialize_json (fastapi/_compat/v2.py:230)',
    ],
  ])
    assert.deepEqual(idsOf(stack), [], stack.at(-1));
});

test('a cause of responses has the line of the application', () => {
  const { causes } = analyse([...VIEW, 'BaseModel.__init__ (pydantic/main.py:210)']);
  const [place] = causes.find(({ id }) => id === 'response-models')?.places ?? [];
  assert.deepEqual([place?.file, place?.line], ['/srv/shop/views.py', 3]);
});

test('what a model loads lazily is no part of building and validating it', () => {
  const validate = [...VIEW, 'BaseModel.model_validate (pydantic/main.py:700)'];
  const load = [
    'InstrumentedAttribute.__get__ (sqlalchemy/orm/attributes.py:566)',
    'LazyLoader._emit_lazyload (sqlalchemy/orm/strategies.py:1054)',
  ];
  assert.deepEqual(idsOf(validate), ['response-models']);
  assert.deepEqual(idsOf([...validate, ...load]), []);
  const orm = ['QuerySet._fetch_all (django/db/models/query.py:1900)'];
  const fields = 'ListSerializer.to_representation (rest_framework/serializers.py:690)';
  assert.deepEqual(idsOf(['show (/srv/shop/views.py:4)', fields, ...orm]), []);
});

test('what pydantic 1 has not is advised with its substitute', () => {
  const advised = rules.causes.filter(({ advice, fix }) => /model_dump_json/.test(advice + fix));
  assert.deepEqual(
    advised.map(({ id }) => id),
    ['response-validated', 'jsonable-encoder'],
  );
  for (const { advice, fix } of advised) {
    assert.match(advice, /pydantic 1,? `\.json\(\)`/);
    assert.doesNotMatch(fix, /model_dump_json/);
  }
});
