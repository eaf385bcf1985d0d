/** What requests make the process do, as the companion reports it. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { ACT_KINDS } from '../../lib/run/acts.js';
import { findPython } from '../../research/shares/start-server.js';
import { python } from '../helpers/companion.js';
import { PYTHON } from '../helpers/gunicorn.js';
import { COMPANION } from '../helpers/joined-companion.js';
import { needsModules } from '../helpers/needs.js';
import { test } from '../helpers/quiet.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

/**
 * What responses report of an app whose body is the text.
 * @param {string} folder @param {string} body @param {string} [ask] @param {string} [interpreter]
 */
function serve(folder, body, ask = 'told = [ask() for _ in range(3)]', interpreter = PYTHON) {
  const program = `
import json, os, subprocess, sys
sys.path.insert(0, sys.argv[1])
import loadflame_companion as companion
os.chdir(sys.argv[2])
def act():
${body.replace(/^/gm, '    ')}
def app(environ, start_response):
    act()
    start_response("200 OK", [])
    return [b""]
wsgi = companion.Companion(app, "00000000.1")
def ask():
    headers = []
    wsgi({"REQUEST_METHOD": "GET", "PATH_INFO": "/", "REMOTE_ADDR": "::1"}, lambda _, all: headers.extend(all))
    return json.loads(dict(headers).get("Loadflame-Calls", "{}"))
${ask}
print(json.dumps(told))`;
  const env = { PATH: process.env.PATH, LOADFLAME: '1' };
  const output = execFileSync(interpreter, ['-B', '-c', program, COMPANION, folder], { env });
  /** @type {Record<string, any>} */
  const named = {};
  /** @type {any[]} */
  const told = JSON.parse(output.toString());
  return told.map(({ calls = [], late: _, named: own, ...more }) => {
    Object.assign(named, own);
    const acts = calls.map((/** @type {any[]} */ [id, n]) => [named[id]?.kind, named[id]?.text, n]);
    return { acts: acts.toSorted(), ...more };
  });
}

test('acts of a request are counted without paths, a file from its second time on, and no device', t => {
  const body = `
open("secret-name.yaml", "w").close()
with open("secret-name.yaml") as file:
    file.read()
exec("value = 'secret'")
subprocess.run(["true", "secret"], stdin=subprocess.DEVNULL)
open(b"/dev/null", "w").close()
os.system("true secret")
try:
    import not_installed
except ImportError:
    pass
open(os.dup(2), "w").close()
try:
    open("missing.toml")  # which is not read
except OSError:
    pass`;
  const [start, ...others] = serve(makeTempFolder(t), body);
  const acts = [
    ['compile', 'compile', 1],
    ['file', 'read *.yaml', 1],
    ['import', 'import not_installed', 1],
    ['process', 'start true', 2],
  ];
  // The first request opens the file twice; what it imports and compiles, it does so for the first time.
  const first = [acts[1], acts[3]];
  assert.deepEqual(start, { acts: first });
  const written = acts.toSpliced(2, 0, ['file', 'write *.yaml', 1]);
  assert.deepEqual(others, [{ acts: written }, { acts: written }]);
});

test('files with new names are counted from the second request on that writes them at the same line', t => {
  const body = `
for n in range(3):
    if not os.path.exists("once-%d.json" % n):
        open("once-%d.json" % n, "w").close()
    open("secret-%s.json" % os.urandom(8).hex(), "w").close()`;
  const written = { acts: [['file', 'write *.json', 3]] };
  assert.deepEqual(
    serve(makeTempFolder(t), body),
    [{}, written, written].map(own => ({ acts: [], ...own })),
  );
});

test('look-ups of hosts by name are counted, whichever function asks, and none of an address', t => {
  const body = `import socket
for ask_host in (socket.getfqdn, socket.gethostbyname, socket.gethostbyaddr):
    try:
        ask_host("localhost")
    except OSError:
        pass
socket.gethostbyname("127.0.0.1")`;
  const [, ...later] = serve(makeTempFolder(t), body);
  const asked = { acts: [['lookup', 'look up localhost', 3]] };
  assert.deepEqual(later, [asked, asked]);
});

test('a walk through folders is counted from its second time on, without their names', t => {
  const body = `
import pathlib
if not os.path.exists("secret-tree"):
    os.makedirs("secret-tree/a/b")
list(pathlib.Path("secret-tree").rglob("*"))
list(os.walk("secret-tree"))
os.listdir(b"secret-tree")
os.listdir()
fresh = os.urandom(8).hex()
os.mkdir(fresh)
os.listdir(fresh)`;
  const [start, second, third] = serve(makeTempFolder(t), body);
  const counted = (/** @type {any} */ of) =>
    of.acts.filter((/** @type {any[]} */ act) => act[0] === 'folder');
  const [[, text, n]] = counted(second);
  assert.equal(text, 'read a folder');
  // `rglob` reads a folder once or twice, by Python's version.
  assert.ok(n >= 9 && n <= 12, `${n} folders`);
  assert.deepEqual(counted(third), counted(second));
  assert.ok(counted(start)[0][2] < n);
});

test('a folder that Python reads to find a module is no walk of the request', t => {
  const body = `
import importlib
importlib.invalidate_caches()
try:
    import not_installed
except ImportError:
    pass`;
  const [, second] = serve(makeTempFolder(t), body);
  assert.deepEqual(second, { acts: [['import', 'import not_installed', 1]] });
});

test('threads that requests start are counted, and those of a pool that lives on are not', t => {
  const body = `
import threading
from concurrent.futures import ThreadPoolExecutor
global shared
shared = globals().get("shared") or ThreadPoolExecutor(2)
shared.submit(len, "kept").result()
barrier = threading.Barrier(2)
with ThreadPoolExecutor(5) as pool:
    list(pool.map(lambda _: barrier.wait(), range(2)))
one = threading.Thread(target=len, args=["own"])
one.start()
one.join()`;
  const told = serve(makeTempFolder(t), body).map(({ acts }) => acts);
  const counted = told.map(acts =>
    acts.flatMap((/** @type {any[]} */ [kind, text, n]) => (kind === 'thread' ? [text, n] : [])),
  );
  const each = ['start a thread', 3];
  assert.deepEqual(counted, [['start a thread', 4], each, each]);
});

test('TLS contexts and engines that requests make are counted, whatever makes them', {
  skip: needsModules('sqlalchemy'),
}, t => {
  const interpreter = findPython(['sqlalchemy']);
  const body = `
import ssl, sqlalchemy, urllib.request
urllib.request.build_opener(urllib.request.HTTPSHandler(context=ssl.create_default_context()))
ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
engine = sqlalchemy.create_engine("sqlite://", echo=False, hide_parameters=True, logging_name="own", query_cache_size=9)
engine.execution_options(isolation_level="AUTOCOMMIT").dispose()`;
  const told = serve(makeTempFolder(t), body, undefined, interpreter);
  for (const { acts } of told.slice(1)) {
    const made = acts.filter((/** @type {any[]} */ [kind]) => kind === 'tls' || kind === 'engine');
    assert.deepEqual(made, [
      ['engine', 'make an engine of SQLAlchemy', 1],
      ['tls', 'make a TLS context', 2],
    ]);
  }
});

test('names from outside tell nothing, and too many acts are not taken for statements', t => {
  const body = `
for name in ("x.<b>", "x." + "y" * 99, "card-4111-1111", "\\udcff", "a.b\\n", "kätzchen"):
    for _ in range(2):
        open(name, "w").close()
try:
    __import__("user_12345_67")
except ImportError:
    pass
try:
    open("no\\0file")
except ValueError:
    pass
for number in range(60):
    try:
        __import__("m" + "x" * (number % 20) + "_" * number)
    except ImportError:
        pass`;
  const told = serve(makeTempFolder(t), body);
  assert.ok(told.every(({ more }) => more === undefined));
  const texts = told.flatMap(({ acts }) => acts.map((/** @type {any[]} */ one) => one[1] ?? ''));
  assert.doesNotMatch(texts.join(), /card|4111|user|12345|<b>|y{9}|kätz/);
});

test('outside of requests nothing is counted, and an error in naming an act ends nothing', t => {
  const ask = `
open("a.txt", "w").close()
open("a.txt").close()
companion.HEARD["open"] = lambda *_: 1 / 0
told = [ask(), ask()]`;
  const told = serve(makeTempFolder(t), 'open("a.txt").close()', ask);
  assert.deepEqual(told, [{ acts: [] }, { acts: [] }]);
});

test('only code that is compiled again counts: not an expression that is parsed, and not other text of that length', t => {
  const body = `
import ast
ast.literal_eval("[1, 2]")
eval("1%09d" % int.from_bytes(os.urandom(3), "big"))
eval("1 + 2")`;
  const [, ...others] = serve(makeTempFolder(t), body);
  const acts = [['compile', 'compile', 1]];
  assert.deepEqual(others, [{ acts }, { acts }]);
});

test('many acts of one kind are all counted, and cost little each', t => {
  const body = 'for n in range(2000): compile("1", "x", "eval")';
  const ask = `
from time import thread_time
def cpu(call, times=5):
    return min((lambda start: (call(), thread_time() - start)[1])(thread_time()) for _ in range(times))
told = [ask(), ask(), {"heard": cpu(ask), "plain": cpu(act)}]`;
  const [, counted, cost] = serve(makeTempFolder(t), body, ask);
  assert.deepEqual(counted?.acts, [['compile', 'compile', 2000]]);
  const { heard, plain } = /** @type {any} */ (cost);
  // Without a limit a place for each: 39 µs beside the 6 µs of the act.
  assert.ok(heard < plain * 3.5, `${heard} against ${plain} s`);
});

test('the companion knows the same kinds of acts, which are no statements', () => {
  const kinds = python([
    '-c',
    'import json, loadflame_companion as c; print(json.dumps([*c.ACTS]))',
  ]);
  assert.deepEqual(kinds.sort(), [...ACT_KINDS].sort());
});
