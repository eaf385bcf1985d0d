/** What .github/workflows/release.yml publishes, and what it may do. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
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

test('the SBOM is CycloneDX, and has the production packages of the lock file with their hashes', () => {
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
  const told = bom.components.map((/** @type {any} */ { name, version, hashes }) => {
    const { alg, content } = hashes[0];
    assert.equal(alg, 'SHA-512');
    return `${name}@${version} ${content}`;
  });
  assert.deepEqual(told.toSorted(), [...new Set(needed)].toSorted());
  const refs = new Set(bom.components.map((/** @type {any} */ one) => one['bom-ref']));
  for (const { dependsOn } of bom.dependencies)
    for (const ref of dependsOn) assert.ok(refs.has(ref), ref);
});

test('the release workflow pins its actions, and only the step that publishes can prove who it is', () => {
  const text = read('.github/workflows/release.yml');
  const { permissions, jobs } = parse(text);
  assert.deepEqual(permissions, {});
  assert.deepEqual(
    Object.entries(jobs).map(([name, job]) => [name, job.permissions, job.needs]),
    [
      ['build', { contents: 'read' }, undefined],
      ['publish', { 'id-token': 'write' }, 'build'],
      ['release', { contents: 'write' }, 'publish'],
    ],
  );
  for (const [, action, pin] of text.matchAll(/uses: (\S+?)@(.*)/g))
    assert.match(pin ?? '', /^[0-9a-f]{40} # v\d+\.\d+\.\d+$/, action);
  assert.doesNotMatch(text, /secrets\./);
  // What it runs exists.
  const { scripts } = JSON.parse(read('package.json'));
  for (const [, name] of text.matchAll(/npm run (\S+)/g)) assert.ok(scripts[name ?? ''], name);
  for (const [file] of text.matchAll(/\b(?:scripts|companion)\/[\w./-]+/g)) assert.ok(read(file));
});
