import assert from 'node:assert/strict';
import path from 'node:path';
import { python } from '../../helpers/companion.js';
import { FIXTURES } from '../../helpers/gunicorn.js';
import { test } from '../../helpers/quiet.js';

/** @param {'one' | 'all'} atOnce calls that the service works for, 20 ms each @returns {{first: number | null, last: number | null}} µs */
const callService = atOnce => python([path.join(FIXTURES, 'companion_turns.py'), atOnce]);

test('calls report the quickest of them, where a service works for one at a time', () => {
  const { first, last } = callService('one');
  assert.equal(first, null, 'one call shows nothing');
  assert.ok((last ?? 0) >= 10_000 && (last ?? 0) < 80_000, `${last} µs`);
});

test('calls of a service that works for all at once do not wait for each other', () => {
  assert.equal(callService('all').last, null);
});

test('a call that is cancelled before its first step is not under way', () => {
  const program = `
import asyncio, json
import loadflame_companion as companion
class Client:
    async def send(self, text):
        await asyncio.sleep(0.05)
def describe(self, args, options):
    return "http", None, args[0]
companion.follow_calls_of(Client, ["send"], describe)
told = []
async def app(scope, receive, send):
    tasks = [asyncio.ensure_future(Client().send("GET shop.test/price")) for _ in range(3)]
    tasks[0].cancel()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    open = companion.TURNS["shop.test"].open
    told.append(len(open))
    tasks[1].cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    told.append(len(open))
    await send({"type": "http.response.start", "status": 200, "headers": []})
async def ask():
    async def send(message):
        pass
    scope = {"type": "http", "method": "GET", "path": "/", "client": ("127.0.0.1", 1)}
    await companion.wrap(app)(scope, None, send)
asyncio.run(ask())
print(json.dumps(told))`;
  assert.deepEqual(python(['-c', program]), [2, 0]);
});

test('a call that is cancelled before its first step causes no warning, one that the app forgot has the name of its method', () => {
  const program = `
import asyncio, gc, json, warnings
import loadflame_companion as companion
class Client:
    async def send(self, text):
        return text
companion.follow_calls_of(Client, ["send"], lambda self, args, options: ("http", None, args[0]))
async def app(scope, receive, send):
    if scope["path"] == "/cancelled":
        task = asyncio.ensure_future(Client().send("GET shop.test/price"))
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    elif scope["path"] == "/forgotten":
        Client().send("GET shop.test/price")
    else:
        warnings.warn(await Client().send("GET shop.test/price"))
    await send({"type": "http.response.start", "status": 200, "headers": []})
async def send(message):
    pass
def ask(path):
    scope = {"type": "http", "method": "GET", "path": path, "client": ("127.0.0.1", 1)}
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        asyncio.run(companion.wrap(app)(scope, None, send))
        gc.collect()
    return [str(one.message) for one in warned]
print(json.dumps([ask(path) for path in ("/cancelled", "/forgotten", "/awaited")]))`;
  assert.deepEqual(python(['-c', program]), [
    [],
    ["coroutine 'Client.send' was never awaited"],
    ['GET shop.test/price'],
  ]);
});
