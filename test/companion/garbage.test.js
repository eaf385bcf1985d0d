/** Garbage collections, as workers report them. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { PYTHON } from '../helpers/gunicorn.js';
import { COMPANION } from '../helpers/joined-companion.js';
import { test } from '../helpers/quiet.js';
import { collectionsOf, declareCollections } from './serve/declare-workers.js';

test('a collection counts for the request that it runs in, else for none, and only once', () => {
  const program = `
import gc, json, sys, threading
sys.path.insert(0, sys.argv[1])
import loadflame_companion as companion
gc.disable()
def app(environ, start_response):
    if environ["PATH_INFO"] == "/collect": gc.collect(1)
    if environ["PATH_INFO"] == "/thread":
        ready.set()
        thread.join()
    start_response("200 OK", [])
    return [b""]
wsgi = companion.Companion(app, "00000000.1")
ready = threading.Event()
thread = threading.Thread(target=lambda: (ready.wait(), gc.collect()))
thread.start()
def timing(path):
    headers = []
    wsgi({"REQUEST_METHOD": "GET", "PATH_INFO": path, "REMOTE_ADDR": "::1"}, lambda _, all: headers.extend(all))
    return dict(headers)["Server-Timing"]
told = [timing(path) for path in ("/", "/collect", "/", "/thread", "/")]
gc.collect(0)
companion.COLLECTIONS.since -= 3600
print(json.dumps(told + [timing("/"), gc.callbacks.count(companion.COLLECTIONS)]))`;
  const env = { PATH: process.env.PATH, LOADFLAME: '1' };
  const told = JSON.parse(
    execFileSync(PYTHON, ['-B', '-c', program, COMPANION], { env }).toString(),
  );
  const [first, collected, after, thread, last, old, followers] = told;
  assert.match(collectionsOf(collected), /^3\.\d+\.\w+ r1:1:\d+:\d+ o0$/);
  assert.match(collectionsOf(thread), /^3\.\d+\.\w+ n2:1:\d+:\d+ o\d+$/);
  assert.deepEqual([first, after, last, old].map(collectionsOf), ['', '', '', '']);
  assert.equal(followers, 1);
});

declareCollections('gthread');
