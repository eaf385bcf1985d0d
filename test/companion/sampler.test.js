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
folder = "%s/loadflame-%d-%d" % (root, os.geteuid(), os.stat("/proc/self/ns/pid").st_ino)
own = "%s/" + str(os.getpid())
sampler = companion.SAMPLER
sampler.ROOTS = (root + "/none", root)

def ask(name):
    os.makedirs("%s/%s" % (folder, name), exist_ok=True)
    os.chmod(folder, 0o700)
    with open(folder + "/new", "w") as file:
        file.write(name + "\\n")
    os.rename(folder + "/new", folder + "/on")

def look():
    sampler.looked = None
    sampler.look()

def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass

def read(name):
    with open(own % (folder + "/" + name)) as file:
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
ask("100-a")
look()
burn(0.5)
time.sleep(0.3)
ask("100-b")
burn(0.3)
first, second = count(read("100-a")), count(read("100-b"))
os.unlink(folder + "/on")
burn(0.05)
print(is_timed(), signal.getsignal(signal.SIGPROF) is signal.SIG_IGN)
burn(0.1)
print(count(read("100-b")) - second)
print(first, second)
print(read("100-a").splitlines()[0])
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
sampler.LASTS_S = 0.1
ask("100-a")
look()
burn(0.2)
print(is_timed())
look()
print(is_timed())
sampler.LASTS_S = 60
ask("100-b")
look()
print(is_timed())
os.close(sampler.file)
burn(0.05)
print(is_timed(), signal.getsignal(signal.SIGPROF) is signal.SIG_IGN)
ask("100-c")
os.mkdir(own % (folder + "/100-c"))
look()
print(is_timed(), signal.getsignal(signal.SIGPROF) is signal.SIG_IGN)
`,
  );
  assert.deepEqual(told, ['False', 'False', 'True', 'False True', 'False True']);
});

test('a folder that others may write, a link, another name: nobody has asked', t => {
  const told = python(
    t,
    `
sampler.offer()
for spoil in (
    lambda: os.chmod(folder, 0o777),
    lambda: (os.rename(folder, folder + "-real"), os.symlink(folder + "-real", folder)),
    lambda: (os.unlink(folder), os.rename(folder + "-real", folder), os.chmod(folder, 0o700), ask("100-a"),
             open(folder + "/on", "w").write("100-../../x")),
    lambda: (os.rename(folder + "/on", folder + "/off"), os.symlink("off", folder + "/on")),
    lambda: (os.unlink(folder + "/on"), ask("100-a")),
):
    if not os.path.lexists(folder):
        ask("100-a")
    spoil()
    look()
    print(is_timed())
`,
  );
  assert.deepEqual(told, ['False', 'False', 'False', 'False', 'True']);
});

test('a sampler of somebody else is left alone, and calls of the app are not interrupted', t => {
  const told = python(
    t,
    `
def other(*_): pass
signal.signal(signal.SIGPROF, other)
sampler.offer()
ask("100-a")
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
ask("100-a")
look()
signal.setitimer(signal.ITIMER_PROF, 0)
find, frame = sampler.find_asked, sys._getframe()
def find_meanwhile():
    sampler.find_asked = find
    sampler.tick(signal.SIGPROF, frame)
    return find()
sampler.find_asked, sampler.due = find_meanwhile, 50
sampler.tick(signal.SIGPROF, frame)
print(50 <= count(read("100-a")) <= 52, 0 <= sampler.due < 1)
`,
  );
  assert.deepEqual(told, ['True True']);
});
