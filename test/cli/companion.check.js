/** The companion as a Python package: built once, installed under each Python that is here. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { joinCompanion } from '../../lib/cli/commands/companion.js';
import { findProgram } from '../helpers/find-program.js';
import { PYTHON } from '../helpers/gunicorn.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const VERSIONS = ['3.8', '3.9', '3.10', '3.11', '3.12', '3.13', '3.14', '3.15'];
const PROGRAM = `
import json, sys
import loadflame_companion, loadflame_gunicorn
print(json.dumps([
    "%d.%d" % sys.version_info[:2], loadflame_companion.__version__,
    loadflame_gunicorn is loadflame_companion, type(loadflame_companion.wrap(print)).__name__,
    open(loadflame_companion.__file__).read(), loadflame_companion.__file__]))`;

/** @param {string} version @returns {string | undefined} of the search path, of pyenv, or our own */
function findPython(version) {
  const pyenv = process.env.PYENV_ROOT ?? path.join(homedir(), '.pyenv');
  const all = [
    findProgram(`python${version}`) ?? [],
    path.join(ROOT, `.tools/python-${version}/venv/bin/python`),
    PYTHON,
    globSync(path.join(pyenv, `versions/${version}.*/bin/python`)),
  ].flat();
  const ask = `import pip, venv, sys; assert "%d.%d" % sys.version_info[:2] == "${version}"`;
  return all.find(
    python =>
      spawnSync(python, ['-c', ask], { env: withPip(python), stdio: 'ignore' }).status === 0,
  );
}

/** Our own Python 3.15 has pip as a wheel. @param {string} python @returns {NodeJS.ProcessEnv} */
function withPip(python) {
  const wheels = path.resolve(python, '../../../usr/share/python-wheels/pip-*.whl');
  const [wheel] = python.startsWith(path.join(ROOT, '.tools')) ? globSync(wheels) : [];
  return { ...process.env, ...(wheel && { PYTHONPATH: wheel }) };
}

/** @param {string} python @param {...string} args */
function pip(python, ...args) {
  const all = ['-m', 'pip', '--disable-pip-version-check', '--quiet', ...args];
  execFileSync(python, all, { env: withPip(python) });
}

test('the companion is built as a wheel, installed, and active with LOADFLAME=1', async t => {
  const folder = makeTempFolder(t);
  const source = path.join(folder, 'companion');
  cpSync(path.join(ROOT, 'companion'), source, { recursive: true, dereference: true });
  pip(PYTHON, 'wheel', '--no-deps', '--wheel-dir', folder, source);
  const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  const wheel = `loadflame_companion-${version}-py3-none-any.whl`;
  assert.deepEqual(readdirSync(folder).toSorted(), ['companion', wheel]);

  const pythons = VERSIONS.flatMap(name => findPython(name) ?? []);
  assert.notEqual(pythons.length, 0);
  for (const [index, python] of pythons.entries()) {
    const environment = path.join(folder, `venv-${index}`);
    execFileSync(python, ['-m', 'venv', '--without-pip', environment]);
    const own = path.join(environment, 'bin/python');
    pip(python, '--python', own, 'install', '--no-index', '--no-deps', path.join(folder, wheel));
    const env = { ...process.env, LOADFLAME: '1' };
    const told = execFileSync(own, ['-I', '-c', PROGRAM], { env, cwd: folder }).toString();
    const [name, ...rest] = JSON.parse(told);
    const file = rest.pop();
    assert.equal(rest.pop(), joinCompanion(), name);
    assert.deepEqual(rest, [version, true, 'AsgiCompanion'], name);
    assert.ok(file.startsWith(environment), file);
    t.diagnostic(`Python ${name}`);
  }
});
