/** loadflame as a package in somebody's own repository: packed, unpacked, set up by init and used there. */
import assert from 'node:assert/strict';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { execa } from 'execa';
import { startDemo } from '../../demo/start.js';
import { readError, runLoadflame } from '../helpers/run-loadflame.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const MODULES = path.join(ROOT, 'node_modules');

/**
 * A repository with loadflame among its packages. The others are links to the clone's, which saves a
 * minute; Node follows them as it does those of pnpm.
 * @param {import('node:test').TestContext} t
 */
async function makeRepository(t) {
  const folder = path.join(makeTempFolder(t), 'my repository');
  const modules = path.join(folder, 'node_modules');
  mkdirSync(modules, { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), '{"name": "mine", "private": true}\n');
  for (const name of readdirSync(MODULES)) {
    if (!name.startsWith('.')) symlinkSync(path.join(MODULES, name), path.join(modules, name));
  }
  const packed = await execa('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: ROOT,
  });
  const { filename, files, size } = JSON.parse(packed.stdout)[0];
  await execa('tar', ['-xzf', filename, '--directory', 'node_modules'], { cwd: folder });
  const home = path.join(modules, 'loadflame');
  renameSync(path.join(modules, 'package'), home);
  return {
    folder,
    size,
    /** @type {string[]} */
    files: files.map((/** @type {{path: string}} */ file) => file.path),
    home,
    /** @param {string[]} args @param {Record<string, string>} [env] */
    run: (args, env) => runLoadflame(folder, args, env, path.join(home, 'bin', 'loadflame.js')),
  };
}

test('the package holds what users need, and no demo, tests or chores', async t => {
  const { files, size, home } = await makeRepository(t);
  const tops = new Set(files.map(file => file.split('/')[0]));
  const texts = ['CHANGELOG.md', 'LICENSE', 'README.md', 'envs.example.sh', 'package.json'];
  const folders = ['bin', 'companion', 'docs', 'lib', 'scenarios', 'studies'];
  assert.deepEqual([...tops].toSorted(), [...texts, ...folders].toSorted());
  const companion = files.filter(file => file.startsWith('companion/'));
  assert.deepEqual(
    companion,
    ['companion/loadflame_companion.py', 'companion/loadflame_gunicorn.py'],
    'no compiled Python',
  );
  const studies = files.filter(file => file.startsWith('studies/'));
  assert.deepEqual(studies, ['studies/my-api.yaml'], 'the others are of the demo');
  assert.ok(size < 1_000_000, `${size} bytes`);
  assert.ok(statSync(path.join(home, 'bin/loadflame.js')).mode & 0o100, 'bin can be executed');
});

test('the demo is not in the package, and the error says where it is', async t => {
  const { run } = await makeRepository(t);
  for (const command of ['demo', 'start']) {
    const { exit, stdout, stderr } = await run([command]);
    const { code, hint } = readError(stderr);
    assert.deepEqual([exit, stdout, code], [3, '', 'DEMO_MISSING']);
    assert.match(hint ?? '', /clone the repository/);
  }
});

test('a repository that init has set up load-tests, profiles, reports and shows', async t => {
  const { folder, run } = await makeRepository(t);
  assert.equal((await run(['init', '--example'])).exit, 0);
  const demo = await startDemo({ auth: 'cached' });
  t.after(demo.stop);
  const settings = { ...demo.env, WARM_UP_DURATION: '0', RAMP_DURATION: '0', DURATION: '4' };
  const lines = Object.entries(settings).map(([name, value]) => `${name}='${value}'\n`);
  writeFileSync(path.join(folder, 'envs.sh'), lines.join(''));
  const env = { VIRTUAL_ENV: path.join(ROOT, '.venv') };

  const doctor = await run(['doctor'], env);
  assert.equal(doctor.exit, 0, doctor.stdout);

  // The scenario whose hooks come from scenarios/csr-hooks.mjs in this folder.
  const scenario = ['--scenario-name', 'CSR – Create and delete appointments'];
  const load = ['test', 'scenarios/csr-http.yaml', '--profile', '--arrival-rate', '2'];
  const measured = await run([...load, ...scenario], env);
  assert.equal(measured.exit, 0, measured.stderr + measured.stdout);
  const report = readLastReport(folder);
  assert.ok(report.load.http.codes.some((/** @type {any} */ item) => item.code === '201'));
  assert.equal(report.load.users.failed, 0);
  assert.ok(report.profile.samples.inWindow > 0);

  const again = await run(['report']);
  assert.equal(again.exit, 0, again.stderr);
  assert.match(again.stdout, /^report: profiles\/.*-csr-http\/report\.html$/m);
  assert.match((await run(['open', '--print'])).stdout, /speedscope\.html$/);
});

/** @param {string} folder */
function readLastReport(folder) {
  const runs = path.join(folder, 'profiles');
  const last = readdirSync(runs).toSorted().at(-1) ?? '';
  return JSON.parse(readFileSync(path.join(runs, last, 'report.json'), 'utf8'));
}
