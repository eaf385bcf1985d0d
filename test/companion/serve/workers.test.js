import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { PYTHON } from '../../helpers/gunicorn.js';
import { COMPANION } from '../../helpers/joined-companion.js';
import { test } from '../../helpers/quiet.js';

// Workers of packages that the project does not install, told by the module of their class.
const PROGRAM = `
import greenlet, json, sys
sys.path.insert(0, sys.argv[1])
import loadflame_companion as companion
from gunicorn.workers.base import Worker
from gunicorn.workers.sync import SyncWorker
from gunicorn.workers.gthread import ThreadWorker

class Log:
    def warning(self, text, *args): warned.append(text % args)

def app(environ, start_response):
    start_response("200 OK", [])
    return []

def make(module, *bases):
    return type("Some" + module.rpartition(".")[2].title(), bases, {"__module__": module})

told = {}
for kind in (
    SyncWorker,
    make("mine.workers", ThreadWorker),
    make("gunicorn.workers.ggevent", Worker),
    make("mine.websockets", make("gunicorn.workers.ggevent", Worker)),
    make("uvicorn_worker", Worker),
    make("daphne.workers", Worker),
    make("gunicorn.workers.gasgi", Worker),
):
    warned = []
    worker = kind.__new__(kind)
    greenlet.settrace(print if kind.__module__ == "mine.websockets" else None)
    worker.log, worker.ppid, worker.wsgi = Log(), 7, app
    companion.wrap_app(worker)
    if type(worker.wsgi).__name__ == "AsgiCompanion":
        told[kind.__module__] = [["ASGI"], warned]
        continue
    headers = []
    worker.wsgi({"REQUEST_METHOD": "GET", "PATH_INFO": "/", "REMOTE_ADDR": "::1"}, lambda status, all: headers.extend(all))
    told[kind.__module__] = [[name for name in [part.strip().split(";")[0] for part in dict(headers).get("Server-Timing", "").split(",")] if name != "gc"], warned]
print(json.dumps(told))`;

test('workers that serve WSGI or ASGI are wrapped, and CPU is reported unless other code follows the greenlets', () => {
  const told = JSON.parse(
    execFileSync(PYTHON, ['-B', '-c', PROGRAM, COMPANION], {
      env: { ...process.env, LOADFLAME: '1' },
    }).toString(),
  );
  const all = [['total', 'cpu', 'worker', 'around', 'ended', 'now', 'companion'], []];
  // Greenlets share a thread, so none of a request's own ends.
  const greenlets = [['total', 'cpu', 'worker', 'around', 'now', 'companion'], []];
  const traced = [['total', 'worker', 'now', 'companion'], []];
  const none = (/** @type {string} */ name) => [
    [''],
    [`loadflame: ${name} is not known: use app = loadflame_companion.wrap(app) in an ASGI app`],
  ];
  assert.deepEqual(told, {
    'gunicorn.workers.sync': all,
    'mine.workers': all,
    'gunicorn.workers.ggevent': greenlets,
    'mine.websockets': traced,
    uvicorn_worker: [['ASGI'], []],
    'daphne.workers': none('SomeWorkers'),
    'gunicorn.workers.gasgi': none('SomeGasgi'),
  });
});
