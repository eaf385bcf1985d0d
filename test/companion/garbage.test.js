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

test('live objects are counted again ten seconds later, as they grow under the load', () => {
  const program = `
import gc, json, sys
sys.path.insert(0, sys.argv[1])
import loadflame_companion as companion
gc.disable()
own, told = companion.Collections(), []
def collect(objects, later):
    kept.extend([number] for number in range(objects))
    own.counted_at -= later
    own("start", {})
    sum(range(1_500_000))
    own("stop", {"generation": 2, "collected": 0})
    told.append(own.objects)
kept = []
collect(1000, 0)
collect(100_000, 0)
collect(100_000, 11)
print(json.dumps(told))`;
  const env = { PATH: process.env.PATH, LOADFLAME: '1' };
  const out = execFileSync(PYTHON, ['-B', '-c', program, COMPANION], { env }).toString();
  const [first, soon, later] = JSON.parse(out);
  assert.equal(soon, first, 'counting takes part of the time of a collection');
  assert.ok(later >= first + 200_000, out);
});

declareCollections('gthread');
