import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { FIXTURES, PYTHON } from '../helpers/gunicorn.js';
import { test } from '../helpers/quiet.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const COMPANION = path.resolve(import.meta.dirname, '../../companion');
const TEXTS = path.join(import.meta.dirname, 'calls-text.json');
const FUZZ = path.join(FIXTURES, 'companion_calls_fuzz.py');
const SQLITE = path.join(FIXTURES, 'companion_sqlite_fuzz.py');
const APP = path.join(FIXTURES, 'companion_calls.py');

/** @param {string[]} args @param {Record<string, string>} [env] */
const python = (args, env = {}) =>
  JSON.parse(
    execFileSync(PYTHON, ['-B', ...args], {
      env: { PATH: process.env.PATH, PYTHONPATH: COMPANION, LOADFLAME: '1', ...env },
    }).toString(),
  );

/** What the responses to requests report; each call with what its id stands for. @param {string[]} paths */
function ask(...paths) {
  /** @type {Record<string, any>} */
  const named = {};
  return python([APP, ...paths]).map((/** @type {any} */ told) => {
    Object.assign(named, told?.named);
    return told?.calls.map((/** @type {any[]} */ [id, n, us, rows, openUs, bins]) => {
      assert.ok(us >= 0 && openUs === 0, `${us} ${openUs}`);
      assert.equal(
        bins.reduce(
          (/** @type {number} */ sum, /** @type {number[]} */ bin) => sum + (bin[1] ?? 0),
          0,
        ),
        n,
      );
      const { text, line, function: name, relation, file, kind, system } = named[id];
      assert.deepEqual([file, kind, system], ['companion_calls.py', 'sql', 'sqlite']);
      return { n, rows, text, line, name, relation };
    });
  });
}

/** @param {string} text in the app's source */
const lineOf = text =>
  readFileSync(APP, 'utf8')
    .split('\n')
    .findIndex(line => line.includes(text)) + 1;

test('statements lose values and comments, and the length of their lists; in doubt all but their beginning', () => {
  const program = `
import json, sys
from loadflame_companion import normalise
print(json.dumps([normalise(raw, system) for system, raw, _ in json.load(open(sys.argv[1]))]))`;
  const cases = JSON.parse(readFileSync(TEXTS, 'utf8'));
  const told = python(['-c', program, TEXTS]);
  for (const [index, [system, raw, text]] of cases.entries())
    assert.equal(told[index], text, `${system}: ${raw}`);
});

test('a statement of SQLAlchemy is counted once, with the line of the app and the relation that it loads', () => {
  const [first, second] = ask('/lazy', '/lazy');
  assert.deepEqual(
    first.map((/** @type {any} */ { n, line, name, relation }) => [n, line, name, relation]).sort(),
    [
      [1, lineOf('session.query(Order)'), 'lazy', null],
      [5, lineOf('# the line of the relation'), 'lazy', 'Order.items'],
    ],
  );
  assert.equal(second.length, 2);
  assert.match(second.map((/** @type {any} */ one) => one.text).join(), /orders\.name != \?/);
});

test('a driver used directly is followed, and its errors are the app’s', () => {
  const [failing, drivers] = ask('/failing', '/drivers');
  assert.deepEqual(failing.map((/** @type {any} */ one) => [one.text, one.n]).sort(), [
    ['SELECT ?', 1],
    ['SELECT a FROM nowhere WHERE b = ?', 1],
    ['SELECT a FROM nowhere', 1],
  ]);
  assert.deepEqual(drivers.map((/** @type {any} */ one) => [one.text, one.rows]).sort(), [
    ['CREATE TABLE IF NOT EXISTS t (a, b)', null],
    ['DELETE FROM t; SELECT ?', null],
    ['INSERT INTO t VALUES (?, ?)', 2],
    ['SELECT * FROM t WHERE b = ?', null],
  ]);
});

test('calls after the headers are reported with the next response of the route', () => {
  const [first, second, third] = ask('/nothing?late', '/nothing', '/nothing');
  assert.deepEqual([first, third], [undefined, undefined]);
  assert.deepEqual(
    second.map((/** @type {any} */ one) => one.text),
    ['SELECT ?'],
  );
});

test('a header is bounded, and the rest is summed', () => {
  const [first, second] = python([APP, '/many', '/many']);
  for (const { calls, more, named, size, isAscii } of [first, second]) {
    assert.ok(size <= 3000 && isAscii && calls.length <= 40, `${size} ${calls.length}`);
    assert.ok(Object.keys(named).length > 0);
    const told = calls.reduce(
      (/** @type {number} */ sum, /** @type {number[]} */ one) => sum + (one[1] ?? 0),
      0,
    );
    assert.equal(told + more[0], 600);
  }
  assert.notDeepEqual(Object.keys(first.named), Object.keys(second.named));
});

test('no secret in a statement or an address reaches the header, even where the statement is broken', () => {
  const { shown, count, example } = python([FUZZ, '1', '1500']);
  assert.deepEqual({ shown, count }, { shown: [], count: 0 });
  assert.match(example, /"text":"GET api\.example:8443\//);
});

test('what SQLite takes for a value although it is in double quotes is never shown', () => {
  const { shown, executed } = python([SQLITE, '1', '1500']);
  assert.deepEqual(shown, []);
  assert.ok(executed > 800, `${executed}`);
});

test('an error of the companion never reaches the app', () => {
  for (const BROKEN of ['find_call', 'count_call', 'remember']) {
    const [failing, drivers] = python([APP, '/failing', '/drivers'], { BROKEN });
    assert.equal(failing === null && drivers === null, BROKEN !== 'remember', BROKEN);
  }
});

test('statements belong to the request of their task or thread', () => {
  /** @param {string} name @param {number} times */
  const of = (name, times) => ({
    [`SELECT ? AS ${name}`]: times,
    [`SELECT ? AS ${name}_task`]: 2 * times,
    [`SELECT ? AS ${name}_thread`]: times,
    [`SELECT ? AS ${name}_executor`]: times,
  });
  assert.deepEqual(python([path.join(FIXTURES, 'companion_calls_asgi.py')]), [
    of('a', 2),
    of('bcd', 4),
    null,
    of('late', 5),
    { ...of('late', 5), 'SELECT ? AS late_after': 3 },
  ]);
});

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

test('a library’s coroutine as a task is called from the line of the app that makes the task', () => {
  const app = path.join(FIXTURES, 'companion_calls_gather.py');
  const { calls, named } = python([app]);
  const [[id, n, , , , , kind]] = calls;
  assert.deepEqual([calls.length, n, kind], [1, 3, 'http']);
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
      'import sqlite3',
      'from django.core.handlers.base import _get_response',
      'from django.render import render',
      'from cors_headers import around',
      ...view,
      'def app(environ, start_response):',
      '    around(_get_response, view, sqlite3.connect(":memory:"))',
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
  assert.deepEqual(askInstalled(t, ofClass), [['shop/app.py', 5, 'Offices']]);
  const eager = files('def view(database):', '    return lambda: database.execute("SELECT 1")');
  assert.deepEqual(askInstalled(t, eager), [['shop/app.py', 6, 'view.<locals>.<lambda>']]);
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

test('LOADFLAME_CALLS=0 turns it off', () => {
  assert.deepEqual(python([APP, '/lazy', '/drivers'], { LOADFLAME_CALLS: '0' }), [null, null]);
});
