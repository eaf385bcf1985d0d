import assert from 'node:assert/strict';
import { test } from 'node:test';
import { needsModules } from '../../helpers/needs.js';
import { runApp } from './run-app.js';

test('what a suspended request awaits is shown from the app’s own frames to the innermost one', () => {
  const told = runApp(`
import threading
shown = {}
async def inner(wait):
    await wait
async def part(event):
    await event.wait()
    yield 1
async def read(event):
    async for _ in part(event):
        pass
class Wrapped:
    def __init__(self, event):
        self.event = event
    def __await__(self):
        return inner(self.event.wait()).__await__()
async def wrapped(event):
    await Wrapped(event)
async def gathered(event):
    await asyncio.gather(inner(event.wait()), asyncio.sleep(0))
async def limited(event):
    await asyncio.wait_for(inner(event.wait()), 60)
async def in_task(event):
    await asyncio.create_task(inner(event.wait()))
async def in_thread(event):
    await asyncio.to_thread(event.thread.wait)
async def is_next(event):
    await asyncio.sleep(0)
    await event.wait()
async def main():
    loadflame_companion.show_awaits_from_now_on = lambda: None
    loadflame_companion.random = lambda: 0
    for view in (read, wrapped, gathered, limited, in_task, in_thread, is_next):
        event = asyncio.Event()
        event.thread = threading.Event()
        async def app(scope, receive, send):
            await view(event)
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b""})
            shown["answered"] = len(loadflame_companion.UNDER_WAY)
        task = asyncio.get_running_loop().create_task(ask(wrap(app)))
        await asyncio.sleep(0 if view is is_next else 0.02)
        frames = loadflame_companion.pick_awaits(0)
        text = "".join([one.__code__.co_name for one in frames[1:]])
        names = [place.partition(" (")[0].rpartition(".")[2] for place in text.split("\\t")]
        shown[view.__name__] = names
        event.set()
        event.thread.set()
        await task
    return shown`);
  const shows = (/** @type {string[]} */ ...names) => ['1', 'GET /a/:id', 'app', ...names];
  assert.deepEqual(told, {
    read: shows('read', 'part', 'wait'),
    wrapped: shows('wrapped', 'inner', 'wait'),
    gathered: shows('gathered', 'inner', 'wait'),
    limited: shows('limited', 'inner', 'wait'),
    in_task: shows('in_task', 'inner', 'wait'),
    // its thread is seen as any other
    in_thread: [''],
    is_next: shows('is_next', 'sleep', '__sleep0', 'running'),
    answered: 0,
  });
});

test('each thread shows a part of the requests of its own, the oldest ones or younger ones', () => {
  const shown = runApp(`
async def holds(event): await event.wait()
async def waits(event): await event.wait()
async def main():
    loadflame_companion.show_awaits_from_now_on = lambda: None
    event = asyncio.Event()
    async def app(scope, receive, send):
        await (holds if scope["path"] == "/held" else waits)(event)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})
    tasks = [asyncio.get_running_loop().create_task(ask(wrap(app), path="/held" if n < 2 else "/")) for n in range(8)]
    await asyncio.sleep(0.02)
    shown = []
    for part in range(4):
        texts = ["".join([one.__code__.co_name for one in loadflame_companion.pick_awaits(part)]) for _ in range(100)]
        shown.append(sorted({"holds" if "holds (" in text else "waits" for text in texts}))
    event.set()
    for task in tasks:
        await task
    return shown`);
  assert.deepEqual(shown, [['holds'], ['waits'], ['waits'], ['waits']]);
});

test('what SQLAlchemy runs in a greenlet for a coroutine is below the route, and called by the coroutine’s line', {
  skip: needsModules('sqlalchemy', 'greenlet'),
}, () => {
  const [found, line, afterwards, failing] = runApp(`
import linecache, sqlite3
import sqlalchemy.ext.asyncio
from sqlalchemy.util.concurrency import greenlet_spawn
seen = []
def work(own, one=None):
    above, lines = sys._getframe(), []
    while above:
        if above.f_code.co_filename.endswith("views.py"):
            lines.append([above.f_code.co_name, above.f_lineno])
        above = above.f_back
    seen.append([routes(), own, one, lines])
view = """
async def app(scope, receive, send):
    await greenlet_spawn(work, 1, one=2)
    await greenlet_spawn(
        database.execute, 'SELECT 1')
    await send(START)
    await send({"type": "http.response.body", "body": b""})
"""
async def main():
    database = sqlite3.connect(":memory:")
    names = {**globals(), "database": database}
    exec(compile(view, "/srv/shop/views.py", "exec"), names)
    sent = await ask(wrap(names["app"]))
    await greenlet_spawn(work, 3)
    loadflame_companion.show_lines = lambda frame: 1 / 0
    await ask(wrap(names["app"]))
    told = dict(sent[0]["headers"])[b"loadflame-calls"].decode()
    return [seen[0], re.findall(r"views.py[^0-9]*([0-9]+)", told), seen[1], seen[2][:3]]`);
  assert.deepEqual(found, [['GET /a/:id'], 1, 2, [['app', 3]]]);
  assert.deepEqual(line, ['4']);
  assert.deepEqual(afterwards, [[], 3, null, []]);
  assert.deepEqual(failing, [[], 1, 2]);
});
