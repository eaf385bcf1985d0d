import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { PYTHON } from '../helpers/gunicorn.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const COMPANION = path.resolve(import.meta.dirname, '../../companion');

const BEGIN = `
import os, signal, sys, threading, time
sys.path.insert(0, sys.argv[1])
import loadflame_companion as companion
root = sys.argv[2]
folder = "%s/loadflame-%d-100-" % (root, os.stat("/proc/self/ns/pid").st_ino)
sampler = companion.SAMPLER
sampler.ROOTS = (root + "/none", root)

def ask(name, mode=0o700):
    os.mkdir(folder + name, 0o700)
    os.chmod(folder + name, mode)
    open(folder + name + "/on", "x").close()

def stop(name):
    os.unlink(folder + name + "/on")

def look():
    sampler.looked = None
    sampler.look()

def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass

def read(name):
    with open("%s%s/%d" % (folder, name, os.getpid())) as file:
        return file.read()

def count(text):
    return sum(int(line[-8:]) for line in text.splitlines())

def is_timed():
    return signal.getitimer(signal.ITIMER_PROF)[0] > 0
`;

/** @param {import('node:test').TestContext} t @param {string} program */
const python = (t, program) =>
  execFileSync(PYTHON, ['-B', '-c', BEGIN + program, COMPANION, makeTempFolder(t)])
    .toString()
    .trim()
    .split('\n');

test('the main thread is counted by its CPU clock while a file asks for that, and no longer', t => {
  const told = python(
    t,
    `
look()
print(sampler.is_offered, signal.getsignal(signal.SIGPROF) is signal.SIG_DFL)
sampler.offer()
print(signal.getsignal(signal.SIGPROF) is signal.SIG_IGN, is_timed())
ask("first_")
look()
burn(0.5)
time.sleep(0.3)
ask("second")
stop("first_")
burn(0.3)
first, second = count(read("first_")), count(read("second"))
stop("second")
burn(0.05)
print(is_timed(), signal.getsignal(signal.SIGPROF) is signal.SIG_IGN)
burn(0.1)
print(count(read("second")) - second)
print(first, second)
print(read("first_").splitlines()[0])
`,
  );
  assert.deepEqual(told.slice(0, 4), ['False True', 'True False', 'False True', '0']);
  const [first = 0, second = 0] = told[4]?.split(' ').map(Number) ?? [];
  assert.ok(first >= 35 && first <= 65, `${first} of 50`);
  assert.ok(second >= 18 && second <= 42, `${second} of 30`);
  assert.match(
    told[5] ?? '',
    /^process (\d+):"";thread \(\1\): MainThread;<module> \(<string>:\d+\);burn \(<string>:\d+\) \d{8}$/,
  );
});

test('it ends by itself, when nobody asks again, and when its file can not be written', t => {
  const told = python(
    t,
    `
sampler.offer()
ask("first_")
look()
print(is_timed())
os.utime("%sfirst_/on" % folder, (0, time.time() - 61))
burn(0.2)
print(is_timed())
look()
print(is_timed())
ask("second")
look()
print(is_timed())
os.close(sampler.file)
burn(0.05)
print(is_timed(), signal.getsignal(signal.SIGPROF) is signal.SIG_IGN)
ask("third_")
os.mkdir("%sthird_/%d" % (folder, os.getpid()))
look()
print(is_timed(), signal.getsignal(signal.SIGPROF) is signal.SIG_IGN)
`,
  );
  assert.deepEqual(told, ['True', 'False', 'False', 'True', 'False True', 'False True']);
});

test('a folder of another user, one that others can change, a link or another name asks for nothing', t => {
  const told = python(
    t,
    `
sampler.offer()
ask("public", 0o777)
ask("shared", 0o750)
os.mkdir(root + "/real", 0o700)
open(root + "/real/on", "x").close()
os.symlink("real", folder + "linked")
ask("a-name")
if os.geteuid() == 0:
    ask("theirs")
    os.chown(folder + "theirs", 65534, -1)
look()
print(is_timed())
ask("secret")
look()
print(is_timed(), sorted(os.listdir(folder + "secret")) == sorted(["on", str(os.getpid())]))
`,
  );
  assert.deepEqual(told, ['False', 'True True']);
});

test('a sampler of somebody else is left alone, and calls of the app are not interrupted', t => {
  const told = python(
    t,
    `
def other(*_): pass
signal.signal(signal.SIGPROF, other)
sampler.offer()
ask("first_")
look()
print(sampler.is_offered, is_timed(), signal.getsignal(signal.SIGPROF) is other)
signal.signal(signal.SIGPROF, signal.SIG_DFL)
sampler.offer()
look()
reader, writer = os.pipe()
def work():
    burn(0.3)
    os.write(writer, b"x")
threading.Thread(target=work).start()
print(os.read(reader, 1), is_timed())
`,
  );
  assert.deepEqual(told, ['False False True', "b'x' True"]);
});

test('a signal that comes while one is counted counts nothing twice', t => {
  const told = python(
    t,
    `
sampler.offer()
ask("first_")
look()
signal.setitimer(signal.ITIMER_PROF, 0)
find, frame = sampler.when_asked, sys._getframe()
def find_meanwhile(folder):
    sampler.when_asked = find
    sampler.tick(signal.SIGPROF, frame)
    return find(folder)
sampler.when_asked, sampler.due = find_meanwhile, 50
sampler.tick(signal.SIGPROF, frame)
print(50 <= count(read("first_")) <= 52, 0 <= sampler.due < 1)
`,
  );
  assert.deepEqual(told, ['True True']);
});
