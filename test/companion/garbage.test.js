/** Garbage collections, as workers report them. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { startAsgi } from '../helpers/asgi.js';
import { PYTHON, startGunicorn } from '../helpers/gunicorn.js';
import { COMPANION, COMPANION_FILE } from '../helpers/joined-companion.js';
import { needsModules } from '../helpers/needs.js';
import { test } from '../helpers/quiet.js';

/** What is reported by the header of a response. @param {string} timing */
const collectionsOf = timing =>
  /, gc;desc="([^"]+)"(?:, paused;dur=[\d.]+)?$/.exec(timing)?.[1] ?? '';

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

for (const kind of ['sync', 'gthread', 'gevent'])
  test(`a ${kind} worker reports a full collection with its live objects`, async t => {
    const args = ['-k', kind, '-c', COMPANION_FILE];
    const env = { LOADFLAME: '1', PYTHONDONTWRITEBYTECODE: '1' };
    const { url } = await startGunicorn(t, { workers: 1, args, env, app: 'garbage_app:app' });
    const { headers } = await fetch(`${url}/collect`);
    const told = collectionsOf(headers.get('server-timing') ?? '');
    // In no request: what the worker collected as it began.
    const pattern = /r2:1:(\d+):(\d+)(?: n\d:\d+:\d+:\d+)* o(\d+)$/;
    const [, cpuUs, longestUs, objects] = pattern.exec(told) ?? [];
    assert.ok(Number(cpuUs) > 10_000 && cpuUs === longestUs, told);
    assert.ok(Number(objects) > 600_000 && Number(objects) < 800_000, told);
  });

test('an ASGI worker reports collections', {
  skip: needsModules('uvicorn', 'fastapi'),
}, async t => {
  const { url } = await startAsgi(t);
  const { headers } = await fetch(`${url}/collect`);
  assert.match(
    headers.get('server-timing') ?? '',
    /, gc;desc="3\.\d+\.\w+ (?:r0:\d+:\d+:\d+ )?(?:r1:\d+:\d+:\d+ )?r2:1:\d+:\d+/,
  );
});
