import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { findPySpy } from '../../../lib/record/profiler/find-py-spy.js';
import { makeFakePySpy } from '../../helpers/recording.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

const tells = (/** @type {string} */ version) => `echo "py-spy ${version}"`;

test("the project's own py-spy is found without a word from the user", async () => {
  const { path: file, version } = await findPySpy(null, { PATH: '' });
  assert.ok(path.isAbsolute(file));
  assert.match(version, /^\d+\.\d+\.\d+$/);
});

test('PYSPY is final; after it the PATH comes first, without what is too old', async t => {
  const named = makeFakePySpy(t, tells('0.9.1'));
  const onPath = makeFakePySpy(t, tells('0.4.10'));
  const old = makeFakePySpy(t, tells('0.3.14'));
  const PATH = [old, onPath].map(one => path.dirname(one.path)).join(path.delimiter);
  assert.deepEqual(await findPySpy(named.path, { PATH }), { path: named.path, version: '0.9.1' });
  assert.deepEqual(await findPySpy(null, { PATH }), { path: onPath.path, version: '0.4.10' });
});

test('a py-spy that is named but of no use is an error that says why', async t => {
  const cases = {
    [makeFakePySpy(t, tells('0.3.14')).path]: /version is 0\.3\.14/,
    [makeFakePySpy(t, 'exit 1').path]: /does not print a version/,
    [path.join(makeTempFolder(t), 'none')]: /is no program/,
  };
  for (const [file, why] of Object.entries(cases)) {
    await assert.rejects(findPySpy(file), error => {
      assert.equal(/** @type {any} */ (error).code, 'PYSPY_UNUSABLE');
      assert.match(String(error), why);
      return true;
    });
  }
});

test('no py-spy anywhere is an error that says how to get one', async t => {
  const { execa } = await import('execa');
  // From a copy of lib/ without the project around it.
  const folder = makeTempFolder(t);
  const program = `
    import { cpSync, symlinkSync } from 'node:fs';
    const [root, folder] = process.argv.slice(1);
    for (const name of ['lib', 'package.json']) cpSync(\`\${root}/\${name}\`, \`\${folder}/\${name}\`, { recursive: true });
    symlinkSync(root + '/node_modules', folder + '/node_modules');
    const { findPySpy } = await import(folder + '/lib/record/profiler/find-py-spy.js');
    try { await findPySpy(null, { PATH: '', VIRTUAL_ENV: '/nowhere' }); }
    catch (error) { console.log(JSON.stringify({ code: error.code, hint: error.hint })); }`;
  const root = path.resolve(import.meta.dirname, '../../..');
  const args = ['--input-type=module', '-e', program, root, folder];
  const { stdout } = await execa(process.execPath, args, { cwd: folder });
  const { code, hint } = JSON.parse(stdout);
  assert.equal(code, 'PYSPY_MISSING');
  assert.match(hint, /python3 -m pip install py-spy/);
});
