import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { describePython } from '../../../lib/record/target/python-packages.js';
import { findProgram } from '../../helpers/find-program.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

const WAIT = `import importlib.metadata as m, json, sys
print(json.dumps([list(sys.version_info[:2]), {d.name: d.version for d in m.distributions()}]), flush=True)
sys.stdin.read()`;

/** A process of a virtual environment with these folders beside its packages. @param {import('node:test').TestContext} t @param {string[]} names */
async function startEnvironment(t, names) {
  const venv = makeTempFolder(t);
  const ask =
    'import os, sys; print("%d.%d" % sys.version_info[:2], os.readlink("/proc/self/exe"))';
  // What is on the path may be a script that starts another one.
  const { line } = await run(t, [findProgram('python3') ?? '', '-c', ask]);
  const [version, program = ''] = line.split(' ');
  const site = path.join(venv, 'lib', `python${version}`, 'site-packages');
  mkdirSync(site, { recursive: true });
  mkdirSync(path.join(venv, 'bin'));
  symlinkSync(program, path.join(venv, 'bin', 'python'));
  writeFileSync(
    path.join(venv, 'pyvenv.cfg'),
    `home = ${path.dirname(program)}\ninclude-system-site-packages = false\n`,
  );
  for (const name of names) {
    mkdirSync(path.join(site, name));
    const [own, number] = name.split('-');
    const text = `Metadata-Version: 2.1\nName: ${own}\nVersion: ${number?.replace('.dist', '')}\n`;
    writeFileSync(path.join(site, name, 'METADATA'), text);
  }
  return run(t, [path.join(venv, 'bin', 'python'), '-c', WAIT]);
}

/** @param {import('node:test').TestContext} t @param {string[]} command */
async function run(t, [program = '', ...args]) {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  t.after(() => child.kill());
  const [line] = await once(createInterface(child.stdout), 'line');
  return { pid: child.pid ?? 0, line: `${line}` };
}

test('names the packages of a virtual environment as importlib.metadata does', async t => {
  const { pid, line } = await startEnvironment(t, [
    'Typing_Extensions-4.12.2.dist-info',
    'zope.interface-7.0.dist-info',
    'no_package',
  ]);
  const [version, seen] = JSON.parse(line);
  const { python, packages } = describePython(pid);
  assert.equal(python, version.join('.'));
  assert.deepEqual(packages, { 'typing-extensions': '4.12.2', 'zope-interface': '7.0' });
  const names = Object.entries(seen).map(([name, own]) => [
    name.toLowerCase().replace(/[._]/, '-'),
    own,
  ]);
  assert.deepEqual(packages, Object.fromEntries(names));
});

test('a hostile name of a folder is text, and neither a path nor a name of an object', async t => {
  const hostile = '\u001b[31m<img src=x>`@team`';
  const { pid } = await startEnvironment(t, [
    `evil-1${hostile}.dist-info`,
    '__proto__-1.dist-info',
    `${'-1'.repeat(120)}.dist-infoo`,
  ]);
  assert.deepEqual(describePython(pid).packages, { evil: `1${hostile}`, '-proto-': '1' });
});

test('a process that is gone or no Python has no packages', () => {
  assert.deepEqual(describePython(0), { python: null, packages: null });
  assert.equal(describePython(process.pid).packages, null);
});
