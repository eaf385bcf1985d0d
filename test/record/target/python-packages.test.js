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

/**
 * A process of a virtual environment with these folders beside its packages.
 * @param {import('node:test').TestContext} t @param {string[]} names
 * @param {Record<string, string>} [files] of them
 */
async function startEnvironment(t, names, files = {}) {
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
  for (const [file, text] of Object.entries(files)) writeFileSync(path.join(site, file), text);
  return run(t, [path.join(venv, 'bin', 'python'), '-c', WAIT], venv);
}

/** @param {import('node:test').TestContext} t @param {string[]} command @param {string} [cwd] */
async function run(t, [program = '', ...args], cwd) {
  const child = spawn(program, args, { cwd, stdio: ['pipe', 'pipe', 'inherit'] });
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

/** @param {string} name @param {...string} needs */
const metadata = (name, ...needs) =>
  `Name: ${name}\n${needs.map(own => `Requires-Dist: ${own}\n`).join('')}\nRequires-Dist: of-the-text\n`;

test('distinguishes modules of packages that others need; those of the project, and from a folder, are in neither list', async t => {
  const { pid } = await startEnvironment(
    t,
    [
      'shop-1.dist-info',
      'drf-flex-fields-2.dist-info',
      'six-1.dist-info',
      'of_the_text-1.egg-info',
    ].concat(['core-1.dist-info', 'lib-1.dist-info', 'helpers-1.dist-info']),
    {
      'shop-1.dist-info/METADATA': metadata(
        'shop',
        'drf_flex.fields>=1 ; extra == "api"',
        'shop[api]',
        'six (>1)',
      ),
      'shop-1.dist-info/RECORD':
        'shop/__init__.py,sha256=x,1\nshop/a.py,,\n../../bin/shop,,\nshop-1.dist-info/RECORD,,\n',
      'drf-flex-fields-2.dist-info/RECORD': 'rest_flex_fields/__init__.py,,\n__pycache__/x.pyc,,\n',
      'six-1.dist-info/RECORD': 'six.py,,\n_six.cpython-311-x86_64-linux-gnu.so,,\n',
      'core-1.dist-info/METADATA': metadata('core', 'helpers'),
      'core-1.dist-info/direct_url.json': '{"dir_info": {}, "url": "file:///srv/core"}',
      'core-1.dist-info/RECORD': 'core/__init__.py,,\n',
      'lib-1.dist-info/RECORD': 'lib/__init__.py,,\n', // the environment, in which it runs, has such a folder
    },
  );
  assert.deepEqual(describePython(pid).modules, {
    needed: ['_six', 'helpers', 'rest_flex_fields', 'six'],
    unneeded: ['of_the_text', 'shop'],
  });
});

test('a hostile name of a folder is text, and neither a path nor a name of an object', async t => {
  const hostile = '\u001b[31m<img src=x>`@team`';
  const { pid } = await startEnvironment(
    t,
    [`evil-1${hostile}.dist-info`, '__proto__-1.dist-info', `${'-1'.repeat(120)}.dist-infoo`],
    {
      '__proto__-1.dist-info/RECORD': `${hostile}/a.py,,\n../../etc/b.py,,\n${'a'.repeat(200)}.py,,\n`,
    },
  );
  const { packages, modules } = describePython(pid);
  assert.deepEqual(packages, { evil: `1${hostile}`, '-proto-': '1' });
  assert.deepEqual(modules, { needed: [], unneeded: ['_proto_', 'evil'] });
});

test('a process that is gone or no Python has no packages', () => {
  assert.deepEqual(describePython(0), { python: null, packages: null });
  assert.equal(describePython(process.pid).packages, null);
});
