import assert from 'node:assert/strict';
import { placesOf, placesOfAsgi } from '../../helpers/deployment.js';
import { test } from '../../helpers/quiet.js';

const SHOP = `
import sqlite3
from flask import Flask
app = Flask("shop")
database = sqlite3.connect(":memory:")
@app.get("/orders")
def orders():
    return str(database.execute("SELECT 1 AS orders").fetchall())
@app.get("/lines")
def lines():
    return (str(database.execute("SELECT ? AS line", (n,)).fetchall()) for n in range(2))
`;
const TIMING = `
class Timing:
    def __init__(self, app):
        self.app = app
    def __call__(self, environ, start_response):
        return list(self.app(environ, start_response))
`;
const WSGI = `
from shop.app import app, database
from shop.tools import load
from timing import Timing
from wrapped import Wrapped
def application(environ, start_response):
    if environ["PATH_INFO"] == "/own":
        load(database)  # the deployment's own work
    return Wrapped(Timing(app))(dict(environ), start_response)
`;

const ASK_WSGI = [
  'import json, loadflame_companion as companion',
  'from wsgi import application',
  'told, asked = [], []',
  'for path in ("/orders", "/lines", "/lines", "/own"):',
  '    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": path, "REMOTE_ADDR": "127.0.0.1", "SERVER_NAME": "a",',
  '        "SERVER_PORT": "80", "wsgi.url_scheme": "http", "wsgi.input": None, "SERVER_PROTOCOL": "HTTP/1.1"}',
  '    response = companion.Companion(application, "00000000.1")(environ, lambda _, headers: told.extend(headers))',
  '    list(response)',
  'print("[%s]" % ",".join(value for name, value in told if name == "Loadflame-Calls"))',
];

test('a deployment’s own WSGI file around an installed application is no place, unless it does the work itself', t => {
  const files = {
    'wsgi.py': WSGI,
    'wrapped.py': TIMING.replace('Timing', 'Wrapped').replace(
      'return list(self.app(environ, start_response))',
      'for part in self.app(environ, start_response): yield part',
    ),
    'site-packages/timing.py': TIMING,
    'site-packages/shop/__init__.py': '',
    'site-packages/shop/app.py': SHOP,
    'site-packages/shop/tools.py': 'def load(database): database.execute("SELECT 1 AS own")\n',
  };
  assert.deepEqual(placesOf(t, files, ASK_WSGI), [
    'line shop/app.py: return (str(database.execute("SELECT ? AS line", (n,)).fetchall()) for n in range(2))',
    'orders shop/app.py: return str(database.execute("SELECT 1 AS orders").fetchall())',
    "own wsgi.py: load(database)  # the deployment's own work",
  ]);
});

test('so is one of ASGI, whether it awaits the application or runs it in a task', t => {
  for (const kind of [
    'Plain(app)',
    'Limited(app)',
    'Grouped(app)',
    'Limited(Grouped(Plain(app)))',
  ]) {
    const expected = kind.includes('Limited')
      ? [
          'orders shop/app.py: await load("orders")  # the line of the view',
          'own asgi.py: await asyncio.gather(load("own"))  # the deployment’s own work',
        ]
      : ['orders shop/app.py: await load("orders")  # the line of the view'];
    assert.deepEqual(placesOfAsgi(t, kind), expected, kind);
  }
});

test('nor is Django’s middleware of another package, around the own one that does the work', t => {
  const around = [
    'def convert(get_response):',
    '    def inner(request):',
    '        return get_response(request)',
    '    return inner',
  ];
  const wsgi = [
    'class WSGIHandler:',
    '    def __init__(self, chain):',
    '        self.chain = chain',
    '    def __call__(self, environ, start_response):',
    '        start_response("200 OK", [])',
    '        return self.chain(object())',
  ];
  const cors = [
    'class Cors:',
    '    def __init__(self, get_response):',
    '        self.get_response = get_response',
    '    def __call__(self, request):',
    '        return self.get_response(request)',
  ];
  const shop = [
    'import sqlite3',
    'from django.core.handlers.exception import convert',
    'from django.core.handlers.wsgi import WSGIHandler',
    'from cors import Cors',
    'database = sqlite3.connect(":memory:")',
    'def identify(get_response):',
    '    def middleware(request):',
    '        database.execute("SELECT 1 AS user")',
    '        return get_response(request)',
    '    return middleware',
    'app = WSGIHandler(convert(Cors(convert(identify(convert(lambda request: []))))))',
  ];
  const files = {
    'wsgi.py': 'from shop.app import app as application\n',
    'site-packages/django/core/handlers/exception.py': around.join('\n'),
    'site-packages/django/core/handlers/wsgi.py': wsgi.join('\n'),
    'site-packages/cors.py': cors.join('\n'),
    'site-packages/shop/__init__.py': '',
    'site-packages/shop/app.py': shop.join('\n'),
  };
  assert.deepEqual(placesOf(t, files, ASK_WSGI).slice(0, 1), [
    'user shop/app.py: database.execute("SELECT 1 AS user")',
  ]);
});
