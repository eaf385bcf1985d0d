/** loadflame as a package: what is in it, and how it is used in somebody's own repository that init set up. */
import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { before, test } from 'node:test';
import { execa } from 'execa';
import { startDemo } from '../../demo/start.js';
import { startFakeTarget } from '../helpers/fake-target.js';
import { makeRepository, makeRepositoryWith, packLoadflame } from '../helpers/packed-loadflame.js';
import { readError } from '../helpers/run-loadflame.js';
import { endWithFile, makeTempFolder } from '../helpers/temp-folder.js';

const ROOT = path.resolve(import.meta.dirname, '../..');

const LOAD = `config:
  phases: [{ duration: 3, arrivalRate: 20 }]
scenarios:
  - flow: [{ get: { url: /items } }]
`;

/** @param {string} target */
const study = target => `title: Does the size of a page matter?
factors: { size: [1, 2] }
target: { url: "${target}" }
scenario: { scenarios: [{ flow: [{ get: { url: "/items?size={{ $env.STUDY_SIZE }}" } }] }] }
load: { model: open, steps: [5] }
warmUp: 500ms
duration: 2s
settle: 100ms
repeats: 1
`;

/** @type {Awaited<ReturnType<typeof packLoadflame>>} */
let packed;
/** @type {Awaited<ReturnType<typeof makeRepositoryWith>>} */
let repository;
const untilEnd = endWithFile();
before(async () => {
  const folder = makeTempFolder(untilEnd);
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
  const folders = [
    'bin',
    'ci',
    'companion',
    'docs',
    'lib',
    'scenarios',
    'scripts',
    'skills',
    'studies',
  ];
  assert.deepEqual([...tops].toSorted(), [...texts, ...folders, 'node_modules'].toSorted());
  const companion = files.filter(file => file.startsWith('companion/'));
  assert.deepEqual(
    companion.filter(file => !/^companion\/loadflame\/[\w/]+\.py$/.test(file)),
    [
      'companion/loadflame_companion.py',
      'companion/loadflame_gunicorn.py',
      'companion/modules.txt',
    ],
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

test('the same files make the same bytes, whatever the umask and the time', async t => {
  const umask = process.umask(0o077);
  t.after(() => process.umask(umask));
  const again = await packLoadflame(makeTempFolder(t));
  assert.ok(readFileSync(again.file).equals(readFileSync(packed.file)));
});

test('the package is installed, set up by init, and tests, reports, compares and studies', async t => {
  const folder = makeRepository(makeTempFolder(t));
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  const install = ['install', '--ignore-scripts', '--offline', ...quiet];
  await execa('npm', [...install, packed.file], { cwd: folder });
  assert.deepEqual(
    readdirSync(path.join(folder, 'node_modules')).filter(name => !name.startsWith('.')),
    ['loadflame'],
    'what it needs is inside',
  );

  /** @param {string[]} args of npm */
  const npm = (...args) =>
    execa('npm', ['--silent', ...args], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? folder },
      extendEnv: false,
      reject: false,
    });
  const listRuns = () => readdirSync(path.join(folder, 'profiles')).sort();

  const init = await npm('exec', '--', 'loadflame', 'init');
  assert.equal(init.exitCode, 0, init.stderr);
  assert.ok(readdirSync(path.join(folder, 'studies')).includes('my-api.yaml'));

  /** @param {string[]} args */
  const loadflame = (...args) => npm('exec', '--', 'loadflame', ...args);
  const plan = await loadflame('study', 'run', 'my-api', '--dry-run');
  assert.equal(plan.exitCode, 0, plan.stderr);
  assert.match(plan.stdout, /3 variants/);

  const items = Object.fromEntries(
    ['/', '/items', '/items?size=1', '/items?size=2'].map(url => [url, { json: [] }]),
  );
  const target = await startFakeTarget(t, items);
  writeFileSync(path.join(folder, 'load.yaml'), LOAD);
  for (let run = 0; run < 2; run++) {
    const measured = await loadflame('test', 'load.yaml', '--target', target);
    assert.equal(measured.exitCode, 0, measured.stderr + measured.stdout);
  }
  const runs = listRuns();
  assert.equal(runs.length, 2);
  const report = readFileSync(path.join(folder, 'profiles', runs[0] ?? '', 'report.json'), 'utf8');
  assert.ok(JSON.parse(report).load.http.responses > 30);

  const again = await loadflame('report');
  assert.equal(again.exitCode, 0, again.stderr);
  assert.match(again.stdout, /^report: profiles\/.*-load.*\/report\.html$/m);

  const folders = runs.map(run => `profiles/${run}`);
  const compared = await loadflame('compare', ...folders);
  assert.equal(compared.exitCode, 0, compared.stderr);
  assert.match(compared.stdout, /^comparison: profiles\/.*\/compare\.html$/m);

  writeFileSync(path.join(folder, 'studies', 'sizes.yaml'), study(target));
  const studied = await loadflame('study', 'run', 'sizes');
  assert.equal(studied.exitCode, 0, studied.stderr + studied.stdout);
  assert.match(studied.stdout, /^report: profiles\/.*-study-sizes\/.*\.html$/m);
});

test('a repository that init has set up load-tests, profiles, reports and shows', async t => {
  const { folder, run } = await makeRepositoryWith(makeTempFolder(t), packed.file);
  assert.equal((await run(['init'])).exit, 0);
  cpSync(path.join(ROOT, 'scenarios'), path.join(folder, 'scenarios'), { recursive: true });
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
