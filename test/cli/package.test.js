/** loadflame as a package: what is in it, and what it says of what is not. */
import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { before, test } from 'node:test';
import { startFakeTarget } from '../helpers/fake-target.js';
import { makeRepositoryWith, packLoadflame } from '../helpers/packed-loadflame.js';
import { readError } from '../helpers/run-loadflame.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** @type {Awaited<ReturnType<typeof packLoadflame>>} */
let packed;
/** @type {Awaited<ReturnType<typeof makeRepositoryWith>>} */
let repository;
before(async t => {
  const folder = makeTempFolder(/** @type {any} */ (t));
  packed = await packLoadflame(folder);
  repository = await makeRepositoryWith(folder, packed.file);
});

test('the package holds what users need, and no demo, tests or chores', () => {
  const { files, size } = packed;
  const tops = new Set(files.map(file => file.split('/')[0]));
  const texts = [
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'SECURITY.md',
    'envs.example.sh',
    'package.json',
  ];
  const folders = ['bin', 'ci', 'companion', 'docs', 'lib', 'scenarios', 'scripts', 'studies'];
  assert.deepEqual([...tops].toSorted(), [...texts, ...folders, 'node_modules'].toSorted());
  const companion = files.filter(file => file.startsWith('companion/'));
  assert.deepEqual(
    companion,
    ['companion/loadflame_companion.py', 'companion/loadflame_gunicorn.py'],
    'no compiled Python',
  );
  const studies = files.filter(file => file.startsWith('studies/'));
  assert.deepEqual(studies, ['studies/my-api.yaml'], 'the others are of the demo');
  const scripts = files.filter(file => file.startsWith('scripts/'));
  assert.deepEqual(scripts, ['scripts/requirements/py-spy.txt'], 'what ci/gitlab.yml installs');
  // 1.2 MB are ours.
  assert.ok(size < 7_500_000, `${size} bytes`);
  assert.ok(
    statSync(path.join(repository.home, 'bin/loadflame.js')).mode & 0o100,
    'bin can be executed',
  );
});

test('all packages that it needs are inside, in the versions of the lock file', () => {
  const { packages } = JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8'));
  const needed = Object.keys(packages).filter(
    at => at && !packages[at].dev && !packages[at].optional && !packages[at].devOptional,
  );
  assert.ok(needed.length > 100);
  for (const at of needed) {
    const manifest = readFileSync(path.join(repository.home, at, 'package.json'), 'utf8');
    assert.equal(JSON.parse(manifest).version, packages[at].version, at);
  }
  const own = JSON.parse(readFileSync(path.join(repository.home, 'package.json'), 'utf8'));
  assert.equal(own.bundleDependencies, true);
  const folders = packed.files.filter(file => /^node_modules\/.*\/package\.json$/.test(file));
  const inside = new Set(folders.map(file => path.dirname(file)));
  for (const at of needed) assert.ok(inside.has(at), at);
});

test('help of the package lists no command that only works in a clone', async () => {
  const { exit, stdout } = await repository.run(['--help']);
  assert.equal(exit, 0);
  assert.match(stdout, /^ {2}test /m);
  assert.doesNotMatch(stdout, /^ {2}(start|demo) |loadflame (start|demo)\b/m);
});

test('the demo is not in the package, and the error says where it is', async () => {
  for (const command of ['demo', 'start']) {
    const { exit, stdout, stderr } = await repository.run([command]);
    const { code, hint } = readError(stderr);
    assert.deepEqual([exit, stdout, code], [3, '', 'DEMO_MISSING']);
    assert.match(hint ?? '', /clone the repository/);
  }
});

test('Artillery and the client of Kubernetes are optional, and an error says how to add them', async t => {
  const target = await startFakeTarget(t, { '/': { json: [] } });
  /** @type {[args: string[], env: Record<string, string>, code: string, command: RegExp][]} */
  const cases = [
    [['--engine', 'artillery'], {}, 'ARTILLERY_MISSING', /npm install artillery@/],
    [[], { KUBE_WORKLOAD: 'deploy/api' }, 'KUBE_CLIENT_MISSING', /npm install @kubernetes/],
  ];
  const script = path.join(repository.folder, 'load.yaml');
  writeFileSync(
    script,
    'config: { phases: [{ duration: 1, arrivalRate: 1 }] }\nscenarios: [{ flow: [{ get: { url: / } }] }]\n',
  );
  for (const [args, env, code, command] of cases) {
    const test = ['test', script, '--target', target, ...args];
    const { exit, stderr } = await repository.run(test, env);
    const error = readError(stderr);
    assert.deepEqual([exit, error.code], [3, code], stderr);
    assert.match(error.hint ?? '', command);
  }
});
