/**
 * `node scripts/write-sbom.js`: prints what loadflame runs with as CycloneDX JSON: the npm packages of the lock file,
 * the companion and py-spy. `npm sbom --omit dev` leaves out packages that one for tests needs as well (npm/cli#7909),
 * so npm gets a lock file without such packages.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readProduction } from './production-lock.js';
import { ROOT } from './setup/root.js';

/** @param {string} file */
const read = file => readFileSync(path.join(ROOT, file), 'utf8');

/** @param {string} name @param {string} version @param {object} [more] */
function pythonPackage(name, version, more) {
  const purl = `pkg:pypi/${name}@${version}`;
  return { 'bom-ref': purl, type: 'library', name, version, purl, ...more };
}

/** Python packages, each with the hashes of its files; pip takes one of them. */
function listPython() {
  const [, own] = /__version__ = "(.+?)"/.exec(read('companion/loadflame/settings.py')) ?? ['', ''];
  const locked = read('scripts/requirements/py-spy.txt').split(/^(?=\S)/m);
  return [
    pythonPackage('loadflame-companion', own, { licenses: [{ license: { id: 'MIT' } }] }),
    ...locked.map(text => {
      const [, name = '', version = ''] = /^(\S+)==(\S+)/.exec(text) ?? [];
      const found = text.match(/(?<=sha256:)[0-9a-f]{64}/g) ?? [];
      const hashes = found.map(content => ({ alg: 'SHA-256', content }));
      return pythonPackage(name, version, { hashes });
    }),
  ];
}

const { manifest, lock } = readProduction();
const parent = mkdtempSync(path.join(tmpdir(), 'loadflame-sbom-'));
try {
  // npm names the application after its folder.
  const folder = path.join(parent, manifest.name);
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest));
  writeFileSync(path.join(folder, 'package-lock.json'), JSON.stringify(lock));
  const args = [
    'sbom',
    '--sbom-format=cyclonedx',
    '--sbom-type=application',
    '--package-lock-only',
  ];
  const { status, stdout } = spawnSync('npm', args, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) process.exit(status ?? 1);
  const bom = JSON.parse(stdout);
  const python = listPython();
  bom.components.push(...python);
  const refs = python.map(one => one['bom-ref']);
  const own = bom.dependencies.find(
    (/** @type {{ref: string}} */ { ref }) => ref === bom.metadata.component['bom-ref'],
  );
  own.dependsOn.push(...refs);
  bom.dependencies.push(...refs.map(ref => ({ ref, dependsOn: [] })));
  process.stdout.write(`${JSON.stringify(bom, null, 2)}\n`);
} finally {
  rmSync(parent, { recursive: true });
}
