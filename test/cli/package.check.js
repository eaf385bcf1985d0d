/** loadflame as a package in somebody's own repository: set up by init, and used there. */
import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { before, test } from 'node:test';
import { execa } from 'execa';
import { startDemo } from '../../demo/start.js';
import { startFakeTarget } from '../helpers/fake-target.js';
import { makeRepository, makeRepositoryWith, packLoadflame } from '../helpers/packed-loadflame.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

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

/** @type {string} */
let packed;
before(async t => {
  ({ file: packed } = await packLoadflame(makeTempFolder(/** @type {any} */ (t))));
});

test('the same files make the same bytes, whatever the umask and the time', async t => {
  const umask = process.umask(0o077);
  t.after(() => process.umask(umask));
  const again = await packLoadflame(makeTempFolder(t));
  assert.ok(readFileSync(again.file).equals(readFileSync(packed)));
});

test('the package is installed, set up by init, and tests, reports, compares and studies', async t => {
  const folder = makeRepository(makeTempFolder(t));
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  const install = ['install', '--ignore-scripts', '--offline', ...quiet];
  await execa('npm', [...install, packed], { cwd: folder });
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
  const { folder, run } = await makeRepositoryWith(makeTempFolder(t), packed);
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
