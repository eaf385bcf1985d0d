/** loadflame as a package in somebody's own repository, as npm installs it there. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { execa } from 'execa';
import { startFakeTarget } from '../helpers/fake-target.js';
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
scenario: { scenarios: [{ flow: [{ get: { url: "/items?size={{ size }}" } }] }] }
load: { model: open, steps: [5] }
warmUp: 500ms
duration: 2s
settle: 100ms
repeats: 1
`;

test('the package is installed, set up by init, and tests, reports, compares and studies', async t => {
  const folder = path.join(makeTempFolder(t), 'my repository');
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'package.json'), '{"name": "mine", "private": true}\n');
  const packed = await execa('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: ROOT,
  });
  const { filename } = JSON.parse(packed.stdout)[0];
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  const install = ['install', '--ignore-scripts', '--prefer-offline', ...quiet];
  await execa('npm', [...install, `./${filename}`], { cwd: folder });

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

  const plan = await npm('run', 'study', '--', 'my-api', '--dry-run');
  assert.equal(plan.exitCode, 0, plan.stderr);
  assert.match(plan.stdout, /3 variants/);

  const items = Object.fromEntries(
    ['/', '/items', '/items?size=1', '/items?size=2'].map(url => [url, { json: [] }]),
  );
  const target = await startFakeTarget(t, items);
  writeFileSync(path.join(folder, 'load.yaml'), LOAD);
  for (let run = 0; run < 2; run++) {
    const measured = await npm('exec', '--', 'loadflame', 'test', 'load.yaml', '--target', target);
    assert.equal(measured.exitCode, 0, measured.stderr + measured.stdout);
  }
  const runs = listRuns();
  assert.equal(runs.length, 2);
  const report = readFileSync(path.join(folder, 'profiles', runs[0] ?? '', 'report.json'), 'utf8');
  assert.ok(JSON.parse(report).load.http.responses > 30);

  const again = await npm('run', 'report');
  assert.equal(again.exitCode, 0, again.stderr);
  assert.match(again.stdout, /^report: profiles\/.*-load.*\/report\.html$/m);

  const folders = runs.map(run => `profiles/${run}`);
  const compared = await npm('run', 'compare', '--', ...folders);
  assert.equal(compared.exitCode, 0, compared.stderr);
  assert.match(compared.stdout, /^comparison: profiles\/.*\/compare\.html$/m);

  writeFileSync(path.join(folder, 'studies', 'sizes.yaml'), study(target));
  const studied = await npm('run', 'study', '--', 'sizes');
  assert.equal(studied.exitCode, 0, studied.stderr + studied.stdout);
  assert.match(studied.stdout, /^report: profiles\/.*-study-sizes\/.*\.html$/m);
});
