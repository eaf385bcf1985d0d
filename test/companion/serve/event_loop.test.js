import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runApp } from './run-app.js';

test('a coroutine, its tasks and its threads run below the route, and nothing else does', () => {
  const told = runApp(`
async def main():
    seen = {}
    async def child():
        await asyncio.sleep(0)
        seen["task"] = routes()
    async def app(scope, receive, send):
        seen["first step"] = routes()
        await asyncio.sleep(0.001)
        seen["later step"] = routes()
        await asyncio.create_task(child())
        seen["thread"] = await asyncio.to_thread(lambda: routes())
        asyncio.get_running_loop().call_soon(lambda: seen.update(callback=routes()))
        await asyncio.sleep(0.001)
    await ask(wrap(app), raw_path=b"/a/7/%C3%A9")
    await asyncio.create_task(child())
    seen["no request"] = seen["task"]
    await ask(wrap(app))
    return seen`);
  assert.deepEqual(told, {
    'first step': ['GET /a/:id'],
    'later step': ['GET /a/:id'],
    task: ['GET /a/:id'],
    thread: ['GET /a/:id'],
    callback: [],
    'no request': [],
  });
});

test('errors, cancellations and context variables pass through as without it', () => {
  const told = runApp(`
mine = contextvars.ContextVar("mine", default="none")
async def main():
    told = []
    async def fails(scope, receive, send):
        try:
            raise KeyError("inner")
        except KeyError:
            await asyncio.sleep(0)
            raise ValueError("outer")
    try:
        await ask(wrap(fails))
    except ValueError as error:
        told.append(repr(error.__context__))
    async def waits(scope, receive, send):
        mine.set("set")
        try:
            await asyncio.Event().wait()
        finally:
            told.append("cleaned up")
    task = asyncio.create_task(ask(wrap(waits)))
    await asyncio.sleep(0.01)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        told.append("cancelled")
    told.append(mine.get())
    async def child():
        told.append("never")
    async def cancels(scope, receive, send):
        unstarted = asyncio.create_task(child())
        told.append(inspect.getcoroutinestate(unstarted.get_coro()))
        unstarted.cancel()
        try:
            await unstarted
        except asyncio.CancelledError:
            told.append("unstarted")
        async def slow():
            try:
                await asyncio.sleep(10)
            except asyncio.CancelledError:
                await asyncio.sleep(0)
                raise
        try:
            await asyncio.wait_for(slow(), 0.01)
        except asyncio.TimeoutError:
            told.append("timeout")
        mine.set("own")
        async def reads():
            return mine.get()
        told.append(await asyncio.gather(reads(), asyncio.to_thread(mine.get)))
        told.append(asyncio.current_task().get_name().startswith("Task-"))
    await ask(wrap(cancels))
    return told`);
  assert.deepEqual(told, [
    "KeyError('inner')",
    'cleaned up',
    'cancelled',
    'none',
    'CORO_CREATED',
    'unstarted',
    'timeout',
    ['own', 'own'],
    true,
  ]);
});

test('an app behind the line that wraps it is the app, and without LOADFLAME=1 it is the very one', () => {
  const program = `
import concurrent.futures
submit = concurrent.futures.ThreadPoolExecutor.submit
class App:
    title = "mine"
    async def __call__(self, scope, receive, send):
        scope["state"] = asyncio.get_running_loop().get_task_factory() is not None
        return scope["type"]
async def main():
    app = App()
    wrapped = wrap(app)
    scope = {"type": "lifespan"}
    value = await wrapped(scope, None, None)
    patched = concurrent.futures.ThreadPoolExecutor.submit is not submit
    again = wrap(wrapped) is wrapped
    return [wrapped is app, wrapped.title, hasattr(wrapped, "other"), value, scope["state"], patched, again,
        inspect.iscoroutinefunction(wrapped.__call__)]`;
  assert.deepEqual(runApp(program), [false, 'mine', false, 'lifespan', true, true, true, true]);
  assert.deepEqual(runApp(program, { LOADFLAME: '' }), [
    true,
    'mine',
    false,
    'lifespan',
    false,
    false,
    true,
    true,
  ]);
});

test('a task factory of the app is used, and what lives on long after its request is nobody’s', () => {
  const told = runApp(`
async def main():
    used, seen = [], []
    def factory(loop, coroutine, **options):
        used.append(coroutine.__qualname__)
        return asyncio.Task(coroutine, loop=loop, **options)
    asyncio.get_running_loop().set_task_factory(factory)
    async def pool():
        for linger in (1000, 0, 0):
            loadflame_companion.LINGER_S = linger
            await asyncio.sleep(0.001)
            seen.append(routes())
    left = []
    async def app(scope, receive, send):
        left.append(asyncio.create_task(pool()))
    await ask(wrap(app))
    await left[0]
    return [list(used), seen]`);
  assert.deepEqual(told, [['main.<locals>.pool'], [['GET /a/:id'], [], []]]);
});

test('reports CPU time up to the headers, and what came later with the next response', () => {
  const told = runApp(`
async def main():
    async def steps(scope, receive, send):
        async def child():
            burn(0.01)
        burn(0.01)
        await asyncio.gather(child(), child(), asyncio.to_thread(burn, 0.01))
        burn(0.01)
        await send(START)
        burn(0.01)
    async def other(scope, receive, send):
        burn(0.005)
        await asyncio.sleep(0)
        burn(0.005)
        await send(START)
    async def unfinished(scope, receive, send):
        done = asyncio.get_running_loop().run_in_executor(None, burn, 0.1)
        late.append(done)
        await asyncio.sleep(0.01)
        await send(START)
    async def blocks(scope, receive, send):
        time.sleep(0.12)
        await asyncio.sleep(0)
        await send(START)
    late = []
    both = await asyncio.gather(*[ask(wrap(app), path="/" + app.__name__) for app in (steps, other)])
    told = [timing(sent) for sent in both]
    # eager tasks start inside of a step
    if sys.version_info >= (3, 12):
        asyncio.get_running_loop().set_task_factory(asyncio.eager_task_factory)
    told.append(timing(await ask(wrap(steps), path="/eager")))
    told.append(timing(await ask(wrap(steps), path="/eager")))
    told += [timing(await ask(wrap(app), path="/" + app.__name__)) for app in (unfinished, blocks)]
    async def background():
        await asyncio.sleep(0)
        burn(0.05)
    busy = asyncio.create_task(background())
    told.append(timing(await ask(wrap(other), path="/beside")))
    await busy
    asyncio.get_running_loop().call_soon(burn, 0.02)
    told.append(timing(await ask(wrap(other), path="/callback")))
    asyncio.get_running_loop().call_later(0, burn, 0.05)
    told.append(timing(await ask(wrap(other), path="/timer")))
    async def answers(scope, receive, send):
        await send(START)
        await send({"type": "http.response.body"})
    async def slow_send(message):
        burn(0.01)
    # what the server has read and parsed before a request, and how it sends the answer to the one before
    async def serve(app, path):
        await ask(app, path=path)
        await app({"type": "http", "method": "GET", "path": path, "client": ("127.0.0.1", 1)}, None, slow_send)
        burn(0.02)
        return timing(await ask(app, path=path))
    told.append(await serve(wrap(answers), "/around"))
    await asyncio.gather(*late)
    told.append(timing(await ask(wrap(answers), path="/unfinished")))
    return told`);
  const [steps, other, eager, next, unfinished, blocks, beside, callback, timer, around, late] =
    told;
  assert.ok(Number(steps.cpu) >= 50 && Number(steps.cpu) < 60, steps.cpu);
  assert.ok(Number(other.cpu) >= 10 && Number(other.cpu) < 15, other.cpu);
  assert.ok(Number(eager.cpu) >= 50 && Number(eager.cpu) < 60, eager.cpu);
  // what the one before it did after its headers
  assert.ok(Number(next.cpu) >= 60 && Number(next.cpu) < 70, next.cpu);
  // a task that no request has started is not paid for, a callback of the loop is
  assert.ok(Number(beside.cpu) >= 10 && Number(beside.cpu) < 15, beside.cpu);
  assert.ok(Number(callback.cpu) >= 30 && Number(callback.cpu) < 35, callback.cpu);
  // a timer that no request has set is nobody's
  assert.ok(Number(timer.cpu) >= 10 && Number(timer.cpu) < 15, timer.cpu);
  assert.ok(Number(around.cpu) < 5, around.cpu);
  assert.ok(Number(around.around) >= 40 && Number(around.around) < 45, around.around);
  assert.ok(Number(unfinished.cpu) < 30, unfinished.cpu);
  const bothMs = Number(unfinished.cpu) + Number(late.cpu);
  assert.ok(bothMs >= 100 && bothMs < 110, `${unfinished.cpu} and ${late.cpu}`);
  assert.ok(Number(blocks.cpu) < 20 && Number(blocks.blocked) >= 120, blocks.blocked);
  assert.ok(Number(blocks['blocked-cpu']) <= Number(blocks.cpu));
});

test('what the server writes and closes after a request is charged to that one', () => {
  const [waits, large, next, closed] = runApp(`
async def main():
    loop = asyncio.get_running_loop()
    async def answers(scope, receive, send):
        await send(START)
    async def large(scope, receive, send):
        def write():
            burn(0.02)
            loop.remove_writer(out)
        await send(START)
        loop.add_writer(out, write)
    async def waits(scope, receive, send):
        await asyncio.sleep(0.05)
        await send(START)
    out, peer = socket.socketpair()
    with out, peer:
        written, _ = await asyncio.gather(*[ask(wrap(app), path="/" + app.__name__) for app in (waits, large)])
    await ask(wrap(answers), path="/closed")
    burn(0.02)
    later = [timing(await ask(wrap(answers), path=path)) for path in ("/large", "/next", "/closed")]
    return [timing(written), *later]`);
  assert.ok(Number(waits.cpu) + Number(waits.around) < 10, JSON.stringify(waits));
  assert.ok(Number(large.around) >= 20 && Number(large.around) < 25, large.around);
  assert.ok(Number(next.around) < 5, next.around);
  assert.ok(Number(closed.around) >= 20 && Number(closed.around) < 25, closed.around);
});
