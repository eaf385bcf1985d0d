import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { findPython } from '../../../research/shares/start-server.js';
import { ask, lineOf, python } from '../../helpers/companion.js';
import { FIXTURES } from '../../helpers/gunicorn.js';
import { COMPANION } from '../../helpers/joined-companion.js';
import { needsModules } from '../../helpers/needs.js';
import { test } from '../../helpers/quiet.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

test('a deferred column that is loaded for each row has its name', () => {
  const [calls] = ask('/deferred');
  assert.deepEqual(
    calls.map((/** @type {any} */ { n, line, relation }) => [n, line, relation]).sort(),
    [
      [1, lineOf('defer(Order.name)'), null],
      [5, lineOf('# the line of the column'), 'Order.name'],
    ],
  );
});

for (const CLIENT of ['httpx', 'httpx2'])
  test(`a coroutine of ${CLIENT} as a task is called from the line of the app that makes the task`, {
    skip: needsModules(CLIENT),
  }, () => {
    const app = path.join(FIXTURES, 'companion_calls_gather.py');
    const { calls, named } = python([app], { CLIENT }, findPython([CLIENT]));
    const told = calls.map((/** @type {any[]} */ [, n, , , , , kind]) => [n, kind]);
    assert.deepEqual(told, [
      [3, 'http'],
      [3, 'connect'],
    ]);
    const [[id]] = calls;
    const source = readFileSync(app, 'utf8').split('\n');
    assert.match(source[named[id].line - 1] ?? '', /# the line of the tasks/);
    assert.equal(named[id].function, 'app');
  });

test('an installed application’s statements belong to its innermost line, not to a profiler’s', t => {
  const folder = path.join(makeTempFolder(t), 'site-packages');
  const watcher = 'def call(function, *args):\n    return function(*args)\n';
  const shop = [
    'import sqlite3',
    'import loadflame_companion as companion',
    'from sentry_sdk import call',
    'from shop_tools import call as help',
    'database = sqlite3.connect(":memory:")',
    'def load(number):',
    '    return call(database.execute, "SELECT ?", (number,)).fetchone()  # the line',
    'def app(environ, start_response):',
    '    [load(number) for number in range(20)]',
    '    help(database.execute, "SELECT 1")',
    '    start_response("200 OK", [])',
    '    return []',
    'def ask():',
    '    told = []',
    '    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/", "REMOTE_ADDR": "127.0.0.1"}',
    '    call(companion.Companion(app, "00000000.1"), environ, lambda _, headers: told.extend(headers))',
    '    print(dict(told)["Loadflame-Calls"])',
  ].join('\n');
  for (const [name, text] of Object.entries({
    'shop/__init__.py': '',
    'shop/app.py': shop,
    'sentry_sdk/__init__.py': watcher,
    'shop_tools/__init__.py': watcher,
  })) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  const { calls, named } = python(['-c', 'from shop.app import ask\nask()'], {
    PYTHONPATH: `${COMPANION}:${folder}`,
  });
  assert.deepEqual(
    calls
      .map((/** @type {any[]} */ [id, n]) => [
        n,
        named[id].file,
        named[id].line,
        named[id].function,
      ])
      .sort(),
    [
      [1, 'shop/app.py', 10, 'app'],
      [20, 'shop/app.py', 7, 'load'],
    ],
  );
});

const WRAPPED = `
import asyncio, json, sqlite3
import loadflame_companion as companion
database = sqlite3.connect(":memory:")
async def execute(sql):
    await asyncio.sleep(0)
    return database.execute(sql)
def helper():
    return database.execute("SELECT 1 AS helped").fetchall()
def load():
    for name in ("a", "b", "c", "d"):
        database.execute("SELECT 1 AS " + name)
async def show():
    for _ in range(5):
        await execute("SELECT 1 AS item")
    await execute("SELECT 1 AS total")
async def app(scope, receive, send):
    await execute("SELECT 1 AS user")
    await show()
    helper()
    helper()
    helper()
    load()
    load()
    load()
    await send({"type": "http.response.start", "status": 200, "headers": []})
async def ask():
    told = []
    async def send(message):
        told.append(dict(message["headers"])[b"loadflame-calls"].decode())
    scope = {"type": "http", "method": "GET", "path": "/", "client": ("127.0.0.1", 1)}
    for _ in range(2):
        await asyncio.create_task(companion.wrap(app)(scope, None, send))
    print("[%s]" % ",".join(told))
`;

test('a line through which different statements come from different lines is no place, a helper is', t => {
  for (const name of ['src', 'site-packages']) {
    const folder = path.join(makeTempFolder(t), name);
    mkdirSync(path.join(folder, 'shop'), { recursive: true });
    writeFileSync(path.join(folder, 'shop/__init__.py'), '');
    writeFileSync(path.join(folder, 'shop/app.py'), WRAPPED);
    const [first, second] = python(
      ['-c', 'import asyncio\nfrom shop.app import ask\nasyncio.run(ask())'],
      { PYTHONPATH: `${COMPANION}:${folder}` },
    );
    const named = { ...first.named, ...second.named };
    const places = second.calls.map((/** @type {any[]} */ [id, n]) => {
      const { file, line, function: function_, text } = named[id];
      return `${n} ${text.split(' ').at(-1)} ${file}:${WRAPPED.split('\n')[line - 1]?.trim()} ${function_}`;
    });
    assert.deepEqual(
      places.sort(),
      [
        ...['a', 'b', 'c', 'd'].map(
          column => `3 ${column} shop/app.py:database.execute("SELECT 1 AS " + name) load`,
        ),
        '1 total shop/app.py:await execute("SELECT 1 AS total") show',
        '1 user shop/app.py:await execute("SELECT 1 AS user") app',
        '3 helped shop/app.py:return database.execute("SELECT 1 AS helped").fetchall() helper',
        '5 item shop/app.py:await execute("SELECT 1 AS item") show',
      ].sort(),
      name,
    );
  }
});

/**
 * Call a WSGI app of an installed package, with files of other packages beside it.
 *
 * @param {import('node:test').TestContext} t
 * @param {Record<string, string>} files by their path in site-packages
 * @returns the places of its statements: file, line and function
 */
function askInstalled(t, files) {
  const folder = path.join(makeTempFolder(t), 'site-packages');
  const ask = [
    'import loadflame_companion as companion',
    'from shop.app import app',
    'told = []',
    'environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/", "REMOTE_ADDR": "127.0.0.1"}',
    'companion.Companion(app, "00000000.1")(environ, lambda _, headers: told.extend(headers))',
    'print(dict(told)["Loadflame-Calls"])',
  ].join('\n');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  const { calls, named } = python(['-c', ask], { PYTHONPATH: `${COMPANION}:${folder}` });
  return calls.map((/** @type {any[]} */ [id]) => [
    named[id].file,
    named[id].line,
    named[id].function,
  ]);
}

test('what an installed application’s response loads when it is rendered is of its view, not of middleware', t => {
  const base = 'def _get_response(callback, database):\n    return callback(database)()\n';
  const render = 'def render(database):\n    return lambda: database.execute("SELECT 1")\n';
  const files = (/** @type {string[]} */ ...view) => ({
    'shop/__init__.py': '',
    'shop/app.py': [
      'import sqlite3; database = sqlite3.connect(":memory:")',
      'from django.core.handlers.base import _get_response',
      'from django.render import render',
      'from cors_headers import around',
      ...view,
      'def app(environ, start_response):',
      '    around(_get_response, view, database)',
      '    start_response("200 OK", [])',
      '    return []',
    ].join('\n'),
    'cors_headers.py': 'def around(function, *args):\n    return function(*args)\n',
    'django/__init__.py': '',
    'django/render.py': render,
    'django/core/handlers/base.py': base,
  });
  assert.deepEqual(askInstalled(t, files('def view(database):', '    return render(database)')), [
    ['shop/app.py', 5, 'view'],
  ]);
  const ofClass = files(
    'class Offices: pass',
    'def view(database):',
    '    return render(database)',
  );
  ofClass['shop/app.py'] = ofClass['shop/app.py'].replace('def app', 'view.cls = Offices\ndef app');
  assert.deepEqual(askInstalled(t, ofClass), [['shop/app.py', null, 'Offices']]);
  const eager = files('def view(database):', '    return lambda: database.execute("SELECT 1")');
  assert.deepEqual(askInstalled(t, eager), [['shop/app.py', 6, 'view.<locals>.<lambda>']]);
});

test('an installed application’s stack is followed once for a statement, but not where the app’s own line is further out', t => {
  const folder = path.join(makeTempFolder(t), 'site-packages');
  const ask = (/** @type {string[]} */ ...requests) => [
    'import json, sys, loadflame_companion as companion',
    'from shop.app import app, load',
    'find, walks, told = companion.find_place, [0], {"named": {}, "walks": []}',
    'def count(frame):',
    '    walks[0] += 1',
    '    return find(frame)',
    'companion.find_place = count',
    'environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/", "REMOTE_ADDR": "127.0.0.1"}',
    'def start(_, headers):',
    '    own = json.loads(dict(headers)["Loadflame-Calls"])',
    '    told["named"].update(own.get("named", {}))',
    '    told["calls"] = own["calls"]',
    'def own(environ, start_response):',
    '    load()',
    '    start_response("200 OK", [])',
    '    return []',
    ...requests.flatMap(app => [
      'walks[0] = 0',
      `companion.Companion(${app}, "00000000.1")(environ, start)`,
      'told["walks"].append(walks[0])',
    ]),
    'print(json.dumps(told))',
  ];
  const shop = [
    'import sqlite3',
    'database = sqlite3.connect(":memory:")',
    'def load():',
    '    return [database.execute("SELECT ?", (number,)).fetchone() for number in range(20)]',
    'def app(environ, start_response):',
    '    load()',
    '    start_response("200 OK", [])',
    '    return []',
  ];
  mkdirSync(path.join(folder, 'shop'), { recursive: true });
  writeFileSync(path.join(folder, 'shop/__init__.py'), '');
  writeFileSync(path.join(folder, 'shop/app.py'), shop.join('\n'));
  const program = path.join(folder, '../ask.py');
  writeFileSync(program, ask('app', 'app', 'own').join('\n'));
  const { walks, calls, named } = python([program], { PYTHONPATH: `${COMPANION}:${folder}` });
  // The first request also compiles and imports, which has places too.
  assert.ok(walks[0] >= 1, `${walks}`);
  assert.deepEqual(walks.slice(1), [0, 1]);
  const [[id, n]] = calls;
  assert.deepEqual([n, named[id].file, named[id].function], [20, 'ask.py', 'own']);
});

test('a stack that shows only the class of a view is followed once, and gives no line', t => {
  const folder = path.join(makeTempFolder(t), 'site-packages');
  const files = {
    'shop/__init__.py': '',
    'shop/app.py': [
      'from django.core.handlers.base import _get_response',
      'from django.render import render',
      'def described(owner): return owner',
      '@described',
      'class Offices: pass',
      '@described',
      'class Orders: pass',
      'def offices(): return render',
      'def orders(): return render',
      'offices.cls, orders.cls = Offices, Orders',
      'def answer(view, start_response):',
      '    _get_response(view)',
      '    start_response("200 OK", [])',
      '    return []',
    ].join('\n'),
    'django/__init__.py': '',
    'django/render.py': [
      'import sqlite3; database = sqlite3.connect(":memory:")',
      'def render(): [database.execute("SELECT 1 AS item") for _ in range(20)]',
    ].join('\n'),
    'django/core/handlers/base.py': 'def _get_response(callback):\n    callback()()\n',
    '../ask.py': [
      'import functools, json, loadflame_companion as companion',
      'from shop.app import answer, offices, orders',
      'find, walks, told = companion.find_place, [], []',
      'companion.find_place = lambda frame: walks.append(frame) or find(frame)',
      'def ask(view):',
      '    walks.clear()',
      '    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/", "REMOTE_ADDR": "127.0.0.1"}',
      '    app = lambda environ, start: answer(view, start)',
      '    own = {}',
      '    list(companion.Companion(app, "00000000.1")(environ, lambda _, headers: own.update(headers)))',
      '    calls = json.loads(own["Loadflame-Calls"])',
      '    places.update(calls.get("named", {}))',
      '    told.append([len(walks), *[(places[one[0]]["function"], places[one[0]]["line"], one[1]) for one in calls["calls"]]])',
      'places = {}',
      'for view in (offices, orders, offices, orders):',
      '    ask(view)',
      'print(json.dumps(told))',
    ].join('\n'),
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  const [, second, ...later] = python([path.join(folder, '../ask.py')], {
    PYTHONPATH: `${COMPANION}:${folder}`,
  });
  assert.deepEqual(second, [1, ['Orders', null, 20]]);
  assert.deepEqual(later, [
    [0, ['Offices', null, 20]],
    [0, ['Orders', null, 20]],
  ]);
});

test('a module that pip put beside Python is no line of the app', t => {
  const folder = path.join(makeTempFolder(t), 'bin');
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'bottle.py'), '');
  const ask = [
    'import sys',
    `sys.prefix = ${JSON.stringify(path.dirname(folder))}`,
    'import json, loadflame_companion as companion',
    `print(json.dumps(companion.find_role(${JSON.stringify(path.join(folder, 'bottle.py'))})))`,
  ].join('\n');
  assert.equal(python(['-c', ask]), null);
});

test('a mixin’s dispatch that hands on to a generic view is no place, the view is; one with a statement of its own is', t => {
  const shop = [
    'import sqlite3; database = sqlite3.connect(":memory:")',
    'from flask import Flask; shop = Flask("shop")',
    'from crud import ListView',
    'class Audited:',
    '    def dispatch_request(self, **values):',
    '        database.execute("SELECT 1 AS audit")',
    '        return super().dispatch_request(**values)',
    'class Orders(Audited, ListView):',
    '    database = database',
    'shop.add_url_rule("/", view_func=Orders.as_view("orders"))',
    'def app(environ, start_response):',
    '    with shop.test_request_context("/"):',
    '        shop.dispatch_request()',
    '    start_response("200 OK", [])',
    '    return []',
  ];
  const crud = [
    'from flask.views import View',
    'class ListView(View):',
    '    def dispatch_request(self):',
    '        return str(self.database.execute("SELECT 2 AS item").fetchall())',
  ];
  const files = {
    'crud.py': crud.join('\n'),
    'shop/__init__.py': '',
    'shop/app.py': shop.join('\n'),
  };
  const own = [
    ['shop/app.py', null, 'Orders'],
    ['shop/app.py', 6, 'Audited.dispatch_request'],
  ];
  assert.deepEqual(askInstalled(t, files).sort(), own);
});
