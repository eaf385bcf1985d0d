/** What .github/workflows/release.yml publishes, and what it may do. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';

const ROOT = path.resolve(import.meta.dirname, '../..');
/** @param {string} file */
const read = file => readFileSync(path.join(ROOT, file), 'utf8');

/**
 * Places of the packages that loadflame needs, as Node finds them: in their own folder first, then further up.
 * @param {Record<string, any>} packages of the lock file
 */
function listNeeded(packages) {
  /** @type {Set<string>} */
  const needed = new Set();
  const visit = (/** @type {string} */ at) => {
    const { dependencies = {}, optionalDependencies = {} } = packages[at];
    for (const name of Object.keys(dependencies)) {
      if (name in optionalDependencies) continue;
      let folder = at;
      while (!packages[path.join(folder, 'node_modules', name)])
        folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1));
      const found = path.join(folder, 'node_modules', name);
      if (needed.has(found)) continue;
      needed.add(found);
      visit(found);
    }
  };
  visit('');
  return [...needed];
}

test('the SBOM is CycloneDX, and has the production packages of both languages with their hashes', () => {
  const bom = JSON.parse(
    execFileSync(process.execPath, ['scripts/write-sbom.js'], { cwd: ROOT }).toString(),
  );
  assert.equal(bom.bomFormat, 'CycloneDX');
  assert.match(bom.specVersion, /^1\.\d$/);
  assert.match(bom.serialNumber, /^urn:uuid:[0-9a-f-]{36}$/);
  const { version, name } = JSON.parse(read('package.json'));
  assert.equal(bom.metadata.component.purl, `pkg:npm/${name}@${version}`);

  const { packages } = JSON.parse(read('package-lock.json'));
  const needed = listNeeded(packages).map(at => {
    const hash = Buffer.from(packages[at].integrity.replace('sha512-', ''), 'base64').toString(
      'hex',
    );
    return `${at.replace(/^.*node_modules\//, '')}@${packages[at].version} ${hash}`;
  });
  assert.ok(needed.length > 100);
  const { npm = [], pypi } = Object.groupBy(/** @type {any[]} */ (bom.components), ({ purl }) =>
    purl.slice('pkg:'.length, purl.indexOf('/')),
  );
  const told = npm.map(({ name, version, hashes }) => {
    const { alg, content } = hashes[0];
    assert.equal(alg, 'SHA-512');
    return `${name}@${version} ${content}`;
  });
  assert.deepEqual(told.toSorted(), [...new Set(needed)].toSorted());
  const locked = read('scripts/requirements/py-spy.txt');
  const [, pySpy] = /^py-spy==(\S+)/.exec(locked) ?? [];
  assert.deepEqual(
    pypi?.map(({ name, version }) => `${name} ${version}`),
    [`loadflame-companion ${version}`, `py-spy ${pySpy}`],
  );
  assert.deepEqual(
    pypi?.[1].hashes.map((/** @type {any} */ { content }) => content),
    locked.match(/(?<=sha256:)[0-9a-f]{64}/g),
  );
  const refs = new Set(bom.components.map((/** @type {any} */ one) => one['bom-ref']));
  for (const { dependsOn } of bom.dependencies)
    for (const ref of dependsOn) assert.ok(refs.has(ref), ref);
});

test('the release workflow pins its actions, and only jobs that run no code of ours can prove who they are', () => {
  const text = read('.github/workflows/release.yml');
  const { permissions, jobs } = parse(text);
  assert.deepEqual(permissions, {});
  assert.deepEqual(
    Object.entries(jobs).map(([name, job]) => [name, job.permissions, job.needs]),
    [
      ['build', { contents: 'read' }, undefined],
      ['image', { contents: 'read' }, undefined],
      ['attest', { attestations: 'write', 'id-token': 'write' }, ['build', 'image']],
      ['publish', { 'id-token': 'write' }, 'attest'],
      ['release', { contents: 'write' }, 'publish'],
    ],
  );
  const { attest, publish, release } = jobs;
  for (const { steps } of [attest, publish, release])
    assert.ok(!JSON.stringify(steps).includes('checkout'));
  // What is published is what has hashes and attestations.
  assert.deepEqual(
    [...JSON.stringify([publish, release]).matchAll(/"name":"(\w+)","path"/g)].map(
      ([, name]) => name,
    ),
    ['attested', 'attested'],
  );
  assert.doesNotMatch(text, /secrets\./);
  // What it runs exists.
  const { scripts } = JSON.parse(read('package.json'));
  for (const [, name] of text.matchAll(/npm run (\S+)/g)) assert.ok(scripts[name ?? ''], name);
  for (const [file] of text.matchAll(/\b(?:scripts|companion)\/[\w./-]+/g)) assert.ok(read(file));
});

test('actions and images are pinned, and what is pinned is looked at each week', () => {
  const pins = globSync('{.github/workflows/*.yml,action.yml,ci/**/action.yml}', { cwd: ROOT });
  assert.ok(pins.length >= 4);
  for (const file of pins)
    for (const [, action, pin] of read(file).matchAll(/uses: (\S+?)@(.*)/g))
      assert.match(pin ?? '', /^[0-9a-f]{40} # v\d+\.\d+\.\d+$/, `${file}: ${action}`);
  const images = `${read('Containerfile')}${read('ci/gitlab.yml')}`.matchAll(/\bnode:\S+/g);
  for (const [image] of images) assert.match(image, /^node:24-\w+@sha256:[0-9a-f]{64}$/);

  const { jobs } = parse(read('.github/workflows/dependencies.yml'));
  const scanned = jobs.vulnerabilities.steps[1].with['scan-args'].match(
    /(?<=[=:])[^\s:]+\/?[\w.-]+$/gm,
  );
  const locks = globSync('{,demo/}package-lock.json', { cwd: ROOT });
  const hashed = globSync('{demo/api,scripts/requirements}/*.txt', { cwd: ROOT });
  assert.deepEqual(scanned.toSorted(), [...locks, ...hashed].toSorted());
  const { updates } = parse(read('.github/dependabot.yml'));
  const folders = (/** @type {string} */ system) => {
    const found = updates.find((/** @type {any} */ one) => one['package-ecosystem'] === system);
    return (found?.directories ?? [found?.directory]).map((/** @type {string} */ one) =>
      one.slice(1),
    );
  };
  assert.deepEqual(
    folders('npm'),
    locks.map(file => path.dirname(file).replace('.', '')).toSorted(),
  );
  assert.deepEqual(
    folders('pip').toSorted(),
    [...new Set(hashed.map(file => path.dirname(file)))].toSorted(),
  );
  assert.deepEqual(folders('github-actions'), ['', 'ci/comment']);
  assert.deepEqual(folders('docker'), ['']);
});
