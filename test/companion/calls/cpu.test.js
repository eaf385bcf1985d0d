import assert from 'node:assert/strict';
import { python } from '../../helpers/companion.js';
import { test } from '../../helpers/quiet.js';

/** A driver that works for 4 ms of each call, and waits for 6 ms. */
const DRIVER = `
import asyncio, json, time
import loadflame_companion as companion
companion.EACH = 1
class Cursor:
    rowcount = 1
    def execute(self, sql):
        end = time.thread_time() + 0.004
        while time.thread_time() < end: pass
        time.sleep(0.006)
class AsyncCursor(Cursor):
    async def execute(self, sql):
        await asyncio.sleep(0)
for owner in (Cursor, AsyncCursor):
    companion.follow_calls_of(owner, ["execute"], companion.describe_sql("postgresql"))
def app(environ, start_response):
    for _ in range(10): work()
    start_response("200 OK", [])
    return []
def serve():
    told = {}
    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/", "REMOTE_ADDR": "127.0.0.1"}
    companion.Companion(app, "00000000.1")(environ, lambda _, headers: told.update(headers))
    return json.loads(told["Loadflame-Calls"])
work = lambda: Cursor().execute("SELECT 1")
`;

test('a request reports the CPU time of drivers in its statements, and that of the companion around them', () => {
  const { calls, cpu } = python(['-c', `${DRIVER}print(json.dumps(serve()))`]);
  const [insideUs, ownUs] = cpu;
  const us = calls.find((/** @type {any[]} */ [, n]) => n === 10)[2];
  assert.ok(us >= 100_000, `${us}`);
  assert.ok(insideUs >= 40_000 && insideUs < 60_000, `${insideUs}`);
  assert.ok(ownUs > 50 && ownUs < 20_000, `${ownUs}`);
});

test('one call of eight is timed, and stands for the others', () => {
  const drawn =
    'import itertools\ncompanion.EACH, companion.draw = 8, itertools.cycle([0.99, 0.0, *[0.5] * 6]).__next__\n';
  const work = 'work = lambda: [Cursor().execute("SELECT 1") for _ in range(4)]\n';
  const { cpu } = python(['-c', `${DRIVER}${drawn}${work}print(json.dumps(serve()))`]);
  const [insideUs, ownUs] = cpu;
  assert.ok(insideUs >= 160_000 && insideUs < 240_000, `${insideUs} of 40 calls`);
  assert.ok(ownUs > 0 && ownUs < 40_000, `${ownUs}`);
});

test('the CPU time of a driver is not known where coroutines or greenlets run meanwhile, that of the companion is', () => {
  const ways = [
    'work = lambda: asyncio.run(AsyncCursor().execute("SELECT 1"))',
    [
      'import greenlet',
      'class AsyncIoGreenlet(greenlet.greenlet): __module__ = "sqlalchemy.util"',
      'def work():',
      '    import contextvars',
      '    own = AsyncIoGreenlet(lambda: Cursor().execute("SELECT 1"))',
      '    own.gr_context = contextvars.copy_context()',
      '    own.switch()',
    ].join('\n'),
  ];
  for (const way of ways) {
    const { cpu } = python(['-c', `${DRIVER}${way}\nprint(json.dumps(serve()))`]);
    assert.equal(cpu[0], null, way);
    assert.ok(cpu[1] > 50, `${cpu[1]}`);
  }
});
