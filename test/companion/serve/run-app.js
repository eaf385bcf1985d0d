/** Runs an ASGI app behind the companion, without a server. */
import { execFileSync } from 'node:child_process';
import { PYTHON } from '../../helpers/gunicorn.js';
import { COMPANION } from '../../helpers/joined-companion.js';

/** Runs `async def main()` with an app that a request is made of by `ask(app)`. @param {string} program @param {Record<string, string>} [env] */
export function runApp(program, env = { LOADFLAME: '1' }) {
  const text = `
import asyncio, contextvars, gc, inspect, json, re, socket, sys, time, warnings
sys.path.insert(0, sys.argv[1])
import loadflame_companion
from loadflame_companion import wrap

async def ask(app, **scope):
    sent = []
    async def send(message):
        sent.append(message)
    async def receive():
        return {"type": "http.request"}
    await app({"type": "http", "method": "GET", "path": "/a/7", "client": ("127.0.0.1", 1), **scope}, receive, send)
    return sent

def routes():
    frame, found = sys._getframe(1), []
    while frame:
        if frame.f_code.co_filename == "<loadflame route>":
            found.append(frame.f_code.co_name)
        frame = frame.f_back
    return found
def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(100))
START = {"type": "http.response.start", "status": 200, "headers": [(b"x-own", b"1")]}
def timing(sent):
    headers = dict(sent[0]["headers"])
    assert headers[b"x-own"] == b"1"
    return dict(re.findall("([a-z-]+);dur=([0-9.]+)", headers[b"server-timing"].decode()))
${program}
with warnings.catch_warnings():
    warnings.simplefilter("error")
    sys.unraisablehook = lambda problem: print(json.dumps(repr(problem.exc_value)))
    print(json.dumps(asyncio.run(main())))
    gc.collect()`;
  const out = execFileSync(PYTHON, ['-B', '-c', text, COMPANION], {
    env: { ...process.env, ...env },
  });
  return JSON.parse(out.toString());
}
