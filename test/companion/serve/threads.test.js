import assert from 'node:assert/strict';
import path from 'node:path';
import { findPython } from '../../../research/shares/start-server.js';
import { python } from '../../helpers/companion.js';
import { FIXTURES, startGunicorn } from '../../helpers/gunicorn.js';
import { COMPANION_FILE } from '../../helpers/joined-companion.js';
import { needsModules } from '../../helpers/needs.js';
import { test } from '../../helpers/quiet.js';
import { declareThreads, readCosts } from './declare-workers.js';

declareThreads('gthread');

test('work after the response comes with the next one of the route, but not that of a thread that lives on', async t => {
  const env = { LOADFLAME: '1', PYTHONDONTWRITEBYTECODE: '1' };
  const args = ['-c', COMPANION_FILE];
  const { url } = await startGunicorn(t, { workers: 1, args, env, app: 'wsgi_threads:app' });
  let [cpuMs, statements] = [0, 0];
  await readCosts(`${url}/after`);
  while (cpuMs < 15 || statements < 3) {
    const next = await readCosts(`${url}/after`);
    cpuMs += next.cpuMs;
    statements += next.statements;
  }
  await readCosts(`${url}/consumer`);
  for (let times = 0; times < 3; times++) {
    const { cpuMs: ownMs, statements: own } = await readCosts(`${url}/consumer`);
    assert.ok(ownMs < 10 && own === 0, `${ownMs} ms, ${own} statements`);
  }
});

test('a thread that Sentry follows works', { skip: needsModules('sentry_sdk') }, () => {
  const app = path.join(FIXTURES, 'companion_sentry.py');
  assert.deepEqual(python([app], {}, findPython(['sentry_sdk'])), { done: ['worked'], raised: [] });
});

test('a thread that runs an event loop serves other requests, too, and is of none', () => {
  const program = `
import asyncio, json, sys, threading, time
import loadflame_companion as companion
loop = asyncio.new_event_loop()
done = threading.Event()
def app(environ, start_response):
    threading.Thread(target=loop.run_forever, name="loop", daemon=True).start()
    threading.Thread(target=done.wait, name="work", daemon=True).start()
    start_response("200 OK", [])
    return []
environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/", "REMOTE_ADDR": "127.0.0.1"}
companion.Companion(app, "00000000.1")(environ, lambda *_: None)
loop.call_soon_threadsafe(lambda: None)
time.sleep(0.1)
of_request = []
for thread in threading.enumerate():
    frame = sys._current_frames().get(thread.ident)
    while frame is not None:
        if frame.f_code.co_filename == "<loadflame route>":
            of_request.append([thread.name, frame.f_back.f_back.f_code.co_name])
        frame = frame.f_back
print(json.dumps(of_request))`;
  assert.deepEqual(python(['-c', program]), [['work', 'run_whole_thread']]);
});
