import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadRules } from '../../../lib/analysis/hotpath/load-rules.js';
import { analyseProfile } from '../../../lib/analysis/profile/analyse-profile.js';
import { parseRaw } from '../../helpers/parse-raw.js';

const rules = await loadRules();
const LIB = '/opt/python3.12/lib/python3.12';
const SITE = `${LIB}/site-packages`;
const OWN = '/srv/shop/middleware.py';
const burn = `burn (${OWN}:3)`;

/** @param {...string} stacks each with its samples @returns {Record<string, number>} samples by wrapper */
function count(...stacks) {
  const profile = parseRaw(stacks.map(stack => `${stack}\n`).join(''));
  const { wrappers = [] } = analyseProfile({ profile, rules, workersMs: 1000, requests: 100 });
  return Object.fromEntries(wrappers.map(({ name, samples }) => [name, samples]));
}

test('a sample belongs to the innermost ASGI middleware, also when the response passes back through it', () => {
  const served = `RequestResponseCycle.run_asgi (${SITE}/uvicorn/protocols/http/h11_impl.py:4);Starlette.__call__ (${SITE}/starlette/applications.py:9)`;
  const timing = `${served};Timing.__call__ (${OWN}:9)`;
  const gzip = `${timing};GZipMiddleware.__call__ (${SITE}/starlette/middleware/gzip.py:9)`;
  const app = `${gzip};request_response.<locals>.app (${SITE}/starlette/routing.py:9)`;
  const sent = `${app};Response.__call__ (${SITE}/starlette/responses.py:9);GZipResponder.send (${SITE}/starlette/middleware/gzip.py:30)`;
  const back = `${sent};Timing.__call__.<locals>.send_timed (${OWN}:12)`;
  assert.deepEqual(
    count(
      `${served} 1`,
      `${timing};Timing.find (${OWN}:20);dumps (${SITE}/yaml/__init__.py:3) 10`,
      `${gzip};loads (${LIB}/json/__init__.py:3) 20`,
      `${app};show (/srv/shop/views.py:7) 100`,
      `${sent};write (${LIB}/gzip.py:3) 30`,
      `${back};${burn} 40`,
      `${back};RequestResponseCycle.send (${SITE}/uvicorn/protocols/http/h11_impl.py:5) 50`,
    ),
    { Timing: 50, 'starlette/middleware/gzip.py': 50 },
  );
});

test('a middleware whose view runs as a task of its own is known by what calls that', () => {
  const base = `${SITE}/starlette/middleware/base.py`;
  const outer = `RequestResponseCycle.run_asgi (${SITE}/uvicorn/protocols/http/h11_impl.py:4);BaseHTTPMiddleware.__call__ (${base}:7)`;
  const own = `${outer};create_app.<locals>.label (${OWN}:5)`;
  assert.deepEqual(
    count(
      `${own};${burn} 10`,
      `${own};BaseHTTPMiddleware.__call__.<locals>.call_next (${base}:9) 20`,
      `${outer} 5`,
    ),
    { 'create_app.label': 10, 'starlette/middleware/base.py': 25 },
  );
});

const WSGI = `ThreadWorker.handle_request (${SITE}/gunicorn/workers/gthread.py:7)`;

test('a class or view whose samples are nearly all in views is no wrapper, whatever calls it now and then', () => {
  const served = `${WSGI};Flask.wsgi_app (${SITE}/flask/app.py:7)`;
  const view = `${served};Flask.dispatch_request (${SITE}/flask/app.py:9);books (/srv/shop/views.py:9)`;
  const around = `${served};Flask.full_dispatch_request (${SITE}/flask/app.py:8)`;
  assert.deepEqual(
    count(
      `${view};Database.load (/srv/shop/db.py:9) 300`,
      `${around};Flask.make_response (${SITE}/flask/app.py:5);books (/srv/shop/views.py:9) 1`,
      `${around};Flask.do_teardown_appcontext (${SITE}/flask/app.py:3);Database.close (/srv/shop/db.py:3) 5`,
      `${around};Flask.preprocess_request (${SITE}/flask/app.py:4);load_user (/srv/shop/auth.py:3) 20`,
    ),
    { load_user: 20 },
  );
});

test('hooks that a framework calls are wrappers, and a base class stands for none of its own', () => {
  const mixin = `${WSGI};WSGIHandler.__call__ (${SITE}/django/core/handlers/wsgi.py:7);MiddlewareMixin.__call__ (${SITE}/django/utils/deprecation.py:9)`;
  const view = `${mixin};BaseHandler._get_response (${SITE}/django/core/handlers/base.py:9)`;
  const inside = `${view};rows (/srv/shop/views.py:9)`;
  assert.deepEqual(
    count(
      `${mixin};Tenant.process_request (${OWN}:9);${burn} 10`,
      `${mixin};Tenant.process_response (${OWN}:9) 20`,
      `${mixin};SessionMiddleware.process_request (${SITE}/django/contrib/sessions/middleware.py:9) 30`,
      `${inside};Tenant.help (${OWN}:30) 5`,
      `${inside} 100`,
    ),
    { Tenant: 35, 'django/contrib/sessions/middleware.py': 30 },
  );
  const flask = `${WSGI};Flask.full_dispatch_request (${SITE}/flask/app.py:9)`;
  const rows = `${flask};Flask.dispatch_request (${SITE}/flask/app.py:40);rows (/srv/shop/views.py:9)`;
  const render = `${rows};render_template (${SITE}/flask/templating.py:9);Flask.update_template_context (${SITE}/flask/app.py:50)`;
  assert.deepEqual(
    count(
      `${flask};Flask.preprocess_request (${SITE}/flask/app.py:30);check (/srv/shop/auth.py:3) 40`,
      `${rows} 60`,
      // A view asks for it.
      `${render};now (/srv/shop/views.py:20) 30`,
    ),
    { check: 40 },
  );
});

test('middlewares that start tasks are known by the base class that calls them', () => {
  const base = `${SITE}/starlette/middleware/base.py`;
  const call = `BaseHTTPMiddleware.__call__ (${base}:7)`;
  const next = `BaseHTTPMiddleware.__call__.<locals>.call_next (${base}:9)`;
  const outer = `RequestResponseCycle.run_asgi (${SITE}/uvicorn/protocols/http/h11_impl.py:4);${call}`;
  const task = `BaseHTTPMiddleware.__call__.<locals>.call_next.<locals>.coro (${base}:20)`;
  const plain = `${task};Plain.__call__ (${OWN}:30)`;
  const errors = `${plain};ServerErrorMiddleware.__call__ (${SITE}/starlette/middleware/errors.py:7)`;
  const view = `${errors};request_response.<locals>.app (${SITE}/starlette/routing.py:9);show (/srv/shop/views.py:7)`;
  const send = `${errors};Plain.__call__.<locals>.send_labelled (${OWN}:33)`;
  assert.deepEqual(
    count(
      // one sample of 501 leads on
      `${outer};Tenant.dispatch (${OWN}:9);${burn} 500`,
      `${outer};Tenant.dispatch (${OWN}:9);${next} 1`,
      `${outer};${next} 9`,
      `${plain};${burn} 40`,
      `${send};${burn} 60`,
      `${view} 100`,
    ),
    { Tenant: 500, Plain: 100, 'starlette/middleware/base.py': 10 },
  );
});

test('a torn stack does not make a wrapper of a helper', () => {
  const timing = `${WSGI};WSGIHandler.__call__ (${SITE}/django/core/handlers/wsgi.py:7);Timing.__call__ (${OWN}:9)`;
  const view = `BaseHandler._get_response (${SITE}/django/core/handlers/base.py:9);rows (/srv/shop/views.py:9)`;
  const torn = `${timing};${burn};${view} 1`;
  const hooked = `${WSGI};WSGIHandler.__call__ (${SITE}/django/core/handlers/wsgi.py:7);${burn} 1`;
  assert.deepEqual(count(`${timing};${burn} 670`, `${timing};${view} 100`, torn, hooked), {
    Timing: 670,
  });
});

test('a hook that is defined in a wrapper belongs to it', () => {
  const plain = `${WSGI};Plain.__call__ (${OWN}:9)`;
  const handler = `${plain};WSGIHandler.__call__ (${SITE}/django/core/handlers/wsgi.py:7)`;
  const view = `${handler};BaseHandler._get_response (${SITE}/django/core/handlers/base.py:9);rows (/srv/shop/views.py:9)`;
  const start = `${handler};Plain.__call__.<locals>.start (${OWN}:12);${burn}`;
  assert.deepEqual(count(`${plain};${burn} 10`, `${start} 20`, `${view} 100`), { Plain: 30 });
});

test('a view class that overrides dispatch is no middleware', () => {
  const base = `${SITE}/django/views/generic/base.py`;
  const view = `${WSGI};BaseHandler._get_response (${SITE}/django/core/handlers/base.py:9);View.as_view.<locals>.view (${base}:4)`;
  const own = `${view};Rows.dispatch (/srv/shop/views.py:4);View.dispatch (${base}:9);Rows.get (/srv/shop/views.py:9)`;
  assert.deepEqual(count(`${own} 50`, `${own};${burn} 50`), {});
});

test('a task that a view starts, which the companion steps, is no wrapper', () => {
  const step = 'Request.run_step (/srv/shop/loadflame_companion.py:90)';
  const app = `RequestResponseCycle.run_asgi (${SITE}/uvicorn/protocols/http/h11_impl.py:4);${step};Timing.__call__ (${OWN}:9)`;
  assert.deepEqual(
    count(
      `${app};${burn} 10`,
      `${app};request_response.<locals>.app (${SITE}/starlette/routing.py:9);rates (/srv/shop/views.py:7) 50`,
      `Runner.run (${LIB}/asyncio/runners.py:118);${step};rates.<locals>.fetch (/srv/shop/views.py:12) 100`,
    ),
    { Timing: 10 },
  );
});
