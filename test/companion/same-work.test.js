/** Functions whose calls are compared while a client asks for it. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { PYTHON } from '../helpers/gunicorn.js';
import { COMPANION } from '../helpers/joined-companion.js';
import { test } from '../helpers/quiet.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const DRIVER = `
import json, sys
sys.path[:0] = [sys.argv[1], sys.argv[2]]
import loadflame_companion as companion
import app as own
def app(environ, start_response):
    own.view(environ["PATH_INFO"])
    start_response("200 OK", [])
    return [b""]
wsgi = companion.Companion(app, "00000000.1")
def ask(path="/", names=None, peer="::1"):
    headers, more = {}, {} if names is None else {"HTTP_LOADFLAME_NAMES": names if type(names) is str else json.dumps(names)}
    wsgi({"REQUEST_METHOD": "GET", "PATH_INFO": path, "REMOTE_ADDR": peer, **more}, lambda _, all: headers.update(all))
    return json.loads(headers.get("Loadflame-Same", "null"))
`;

/**
 * @param {import('node:test').TestContext} t @param {string} app source of the app, with \`view(path)\`
 * @param {string} program after the driver; prints JSON
 */
function run(t, app, program) {
  const folder = makeTempFolder(t);
  writeFileSync(path.join(folder, 'app.py'), app);
  const env = { PATH: process.env.PATH, LOADFLAME: '1' };
  const args = ['-B', '-c', DRIVER + program, COMPANION, folder];
  return JSON.parse(execFileSync(PYTHON, args, { env }).toString());
}

test('calls count by the line that makes them: new arguments, the same result again, and another one', t => {
  const app = `import copy, itertools
RATES, COUNT, MODEL = {"a": [1, 2.5, None]}, itertools.count(), {n: n for n in range(9000)}
class Slot:
    __slots__ = ()
    def of(self): return 1
class Key:
    def of(self, number): return number % 2
    def rest(self, *all, **more): return len(all)
KEY = Key()
def load(text, at=-1): return {text: at}
def tick(): return next(COUNT)
async def later(): return 1
def view(path):
    load(path)
    load("x", -2)
    tick()
    KEY.of(len(path))
    KEY.rest(1, {2}, by=b"3")
    copy.deepcopy(RATES)
    copy.deepcopy(MODEL)
    Key().of(1)
    Slot().of()
    later().close()
    [load(str(one)) for one in (1, 1)]`;
  const program = `
names = [["app.py", "load"], ["app.py", "tick"], ["app.py", "Key.of"], ["app.py", "Slot.of"], ["app.py", "Key.rest"], ["copy.py", "deepcopy"], ["app.py", "later"]]
before = ask()
for path in ("/", "/a", "/"): told = ask(path, names)
print(json.dumps([before, told]))`;
  const [before, told] = run(t, app, program);
  assert.equal(before, null);
  assert.deepEqual(
    told.map((/** @type {any[]} */ [_file, name, _at, line, ...counts]) => [name, line, ...counts]),
    [
      // calls, new, the same, another result, not compared
      ['load', 14, 3, 2, 1, 0, 0],
      ['load', 15, 3, 1, 2, 0, 0],
      ['tick', 16, 3, 1, 0, 2, 0],
      ['Key.of', 17, 3, 2, 1, 0, 0],
      ['Key.rest', 18, 3, 1, 2, 0, 0],
      ['deepcopy', 19, 3, 1, 2, 0, 0],
      ['deepcopy', 20, 3, 0, 0, 0, 0],
      ['Key.of', 21, 3, 3, 0, 0, 0],
      ['Slot.of', 22, 3, 0, 0, 0, 0],
      ['load', 24, 6, 1, 5, 0, 0],
    ],
  );
  assert.ok(told.every((/** @type {string[]} */ [, , at]) => at === 'app.py'));
});

test('arguments of any kind run no code of their own, and no value leaves the process', t => {
  const app = `RAN = []
class Loud:
    def ran(self, *_): RAN.append(1); raise SystemExit
    __eq__ = __hash__ = __repr__ = __str__ = __bool__ = __len__ = __iter__ = __getattr__ = __reduce_ex__ = __lt__ = __sizeof__ = __format__ = __bytes__ = __buffer__ = ran
class Text(str): __repr__ = __eq__ = __lt__ = __hash__ = __len__ = Loud.ran
class Size(int): bit_length = __repr__ = __floordiv__ = __index__ = Loud.ran
class Map(dict): items = __iter__ = __len__ = __repr__ = Loud.ran
class Items(list): __iter__ = __len__ = __repr__ = Loud.ran
class Meta(type): __eq__ = __hash__ = __repr__ = Loud.ran
class Odd(metaclass=Meta): __slots__ = ()
LOOP, DEEP = [], []
LOOP.append(LOOP)
for _ in range(5000): DEEP = [DEEP]
VALUES = [Loud(), Text("secret"), Size(3), Map(a=1), Items([1]), Odd, Odd(), LOOP, DEEP, "secret" * 10**6, 10**50000, 10**5000,
    float("nan"), "\\ud800", {1, "a", frozenset()}, range(9), memoryview(b"secret"), b"secret", -1, -2, 1, True, 1.0, len]
def load(value): return value
def pick(first, *, second=None): return None
def view(path):
    for value in VALUES:
        load(value)
        pick(value, second=[value])`;
  const program = `
names = [["app.py", "load"], ["app.py", "pick"]]
for _ in range(3): told = ask("/", names)
print(json.dumps([told, len(own.VALUES), len(own.RAN)]))`;
  const [told, values, ran] = run(t, app, program);
  assert.equal(ran, 0);
  const [[, , , , calls, made, same, other, opaque]] = told;
  // Data by its value, objects by which they are; what is too much, or can't be referred to, is not compared.
  assert.deepEqual([values, calls, made, same, other, opaque], [24, 72, 16, 18, 0, 14]);
  assert.ok(!JSON.stringify(told).includes('secret'));
});

test('an object that ended has nothing in common with the next one at its address', t => {
  const app = `class Row:
    def total(self): return 1
def view(path):
    for _ in range(50): Row().total()`;
  const [[, , , , calls, made, same]] = run(
    t,
    app,
    'told = ask("/", [["app.py", "Row.total"]])\nprint(json.dumps(told))',
  );
  assert.deepEqual([calls, made, same], [50, 50, 0]);
});

test('the table is bounded, and it ends: the thread is not profiled any more', t => {
  const app = `def load(value): return value
def view(path):
    for value in range(3000): load(value)`;
  const program = `
told = ask("/", [["app.py", "load"]])
during = sys.getprofile() is not None
companion.SAME.until = 1e-9
ask()
print(json.dumps([told[0][4:], during, sys.getprofile() is None, len(companion.SAME.sums), ask()]))`;
  assert.deepEqual(run(t, app, program), [[3000, 1000, 0, 0, 0], true, true, 0, null]);
});

test('who gets no headers, asks for something else or runs a profiler of its own changes nothing', t => {
  const app = 'def load(value): return value\ndef view(path): load(1)';
  const program = `
names, told = [["app.py", "load"]], []
ask("/", names, peer="10.0.0.1")
told.append(sys.getprofile() is None)
for wrong in ("", "[", "[" * 5000, "1", "2", "[1]", '[["a"]]', '[[["a"], "b"]]', '[["a", 1]]', "null"): told.append(ask("/", wrong))
companion.SAME.until = 1e-9
ask()
sys.setprofile(hear := lambda *_: None)
told += [ask("/", names), sys.getprofile() is hear]
print(json.dumps(told))`;
  const [unseen, ...rest] = run(t, app, program);
  assert.deepEqual([unseen, ...rest.slice(-2)], [true, [], true]);
  assert.ok(rest.slice(0, -2).every((/** @type {any[] | null} */ one) => !one?.length));
});
