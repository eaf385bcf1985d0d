import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { PYTHON } from '../helpers/gunicorn.js';
import { test } from '../helpers/quiet.js';

const COMPANION = path.resolve(import.meta.dirname, '../../companion');

/** @param {string} program @param {Record<string, string>} [env] */
const python = (program, env = {}) =>
  execFileSync(PYTHON, ['-B', '-c', program, COMPANION], { env: { ...process.env, ...env } })
    .toString()
    .trim()
    .split('\n');

test('the companion is written in the Python of 3.8', () => {
  const [told] = python(`
import ast, sys
sys.path.insert(0, sys.argv[1])
from loadflame_companion import join_modules
text = join_modules()
print(type(ast.parse(text, feature_version=(3, 8))).__name__)`);
  assert.equal(told, 'Module');
});

test('an application that reads its own stack finds the module of the frames of a route without a search', () => {
  const [seen] = python(`
import inspect, sys
sys.path.insert(0, sys.argv[1])
import loadflame_companion
from loadflame.frames import ROUTE_FILE, TIME_FILE, make_frame
seen = []
is_module = inspect.ismodule
inspect.ismodule = lambda one: seen.append(one) or is_module(one)
read = lambda: (sys._getframe(1), sys._getframe(2))
for frame in make_frame("1700000000", TIME_FILE)(make_frame("GET /a", ROUTE_FILE), read):
    inspect.getframeinfo(frame)
print(sum(getattr(one, "__name__", "") == "json" or one is sys for one in seen))`);
  assert.equal(seen, '0');
});

test('a file of Cython keeps the name of its package, which is all that its path has', () => {
  const told = python(`
import sys
sys.path.insert(0, sys.argv[1])
import loadflame_companion
from loadflame.paths import shorten_path
print(shorten_path("asyncpg/protocol/protocol.pyx"))
print(shorten_path("/home/me/shop/fast.pyx"))
print(shorten_path("/usr/lib/python3/dist-packages/shop/fast.pyx"))`);
  assert.deepEqual(told, ['asyncpg/protocol/protocol.pyx', 'shop/fast.pyx', 'shop/fast.pyx']);
});

// A kernel without Yama does not tell whether it was asked, so a module stands in for ctypes.
const ASKED = `
import os, sys, types
sys.path.insert(0, sys.argv[1])
def prctl(option, who, *_rest):
    print("master" if os.getpid() == parent else "child", hex(option), who, flush=True)
fake = types.ModuleType("ctypes")
fake.c_ulong = lambda value: value
fake.CDLL = lambda name: types.SimpleNamespace(prctl=prctl)
sys.modules["ctypes"] = fake
parent = os.getpid()
import loadflame_companion
import gunicorn.workers.base
pid = os.fork()
if pid == 0:
    os._exit(0)
os.waitpid(pid, 0)
print(gunicorn.workers.base.Worker.load_wsgi.__name__)`;

test('master and workers let py-spy trace them, and a kernel that refuses causes no error', () => {
  assert.deepEqual(python(ASKED, { LOADFLAME: '1' }), [
    'master 0x59616d61 -1',
    'child 0x59616d61 -1',
    'load_wrapped',
  ]);
  const refusing = ASKED.replace('print("master"', 'raise OSError("master"');
  assert.deepEqual(python(refusing, { LOADFLAME: '1' }), ['load_wrapped']);
});

test('without LOADFLAME=1 an import changes nothing', () => {
  assert.deepEqual(python(ASKED, { LOADFLAME: '' }), ['load_wsgi']);
  assert.deepEqual(python(ASKED, { LOADFLAME: '0' }), ['load_wsgi']);
});

test('configurations that import its name of old find the same companion', () => {
  const program = `
import sys
sys.path.insert(0, sys.argv[1])
import loadflame_gunicorn
from loadflame_gunicorn import *
from loadflame_gunicorn import Companion, name_worker
import gunicorn.workers.base
print(Companion.__module__, gunicorn.workers.base.Worker.load_wsgi.__name__)`;
  assert.deepEqual(python(program, { LOADFLAME: '1' }), ['loadflame_companion load_wrapped']);
});

test('shows where requests under gevent wait, outermost first, and drops ended ones', () => {
  const told = python(`
from gevent import monkey; monkey.patch_all()
import sys, threading, time
sys.path.insert(0, sys.argv[1])
import gevent
import loadflame_companion as companion
lock = threading.Lock()
def app(environ, start):
    with lock:
        time.sleep(0.3)
    start("200 OK", [])
    return []
wrapped = companion.Companion(app, "w", companion.GreenletClock())
def ask():
    list(wrapped({"REQUEST_METHOD": "GET", "PATH_INFO": "/"}, lambda *_: None))
asking = [gevent.spawn(ask) for _ in range(2)]
gevent.sleep(0.1)
for request in list(companion.UNDER_WAY):
    print(request.is_on_a_stack(), [code.co_name for code, _ in request.follow_awaits()[0]])
gevent.joinall(asking)
print(len(companion.UNDER_WAY), companion.find_original("time", "sleep") is not time.sleep)`);
  assert.deepEqual(told, ["False ['app', 'sleep']", "False ['app', 'acquire']", '0 True']);
});

test('an installed file is named as in profiles: below site-packages, in folders without __init__.py, too', () => {
  const told = python(`
import sys
sys.path.insert(0, sys.argv[1])
from loadflame.paths import shorten_path
for path in (
    "/v/lib/python3.12/site-packages/shop/orders/views.py",
    "/v/lib/python3.12/dist-packages/Shop-1.egg/shop/views.py",
    "/v/lib/python3.12/site-packages/single.py",
    "/srv/nowhere/views.py",
):
    print(shorten_path(path))`);
  assert.deepEqual(told, ['shop/orders/views.py', 'shop/views.py', 'single.py', 'views.py']);
});
