/**
 * `node scripts/write-sbom.js`: prints the packages of the lock file with which loadflame runs, as CycloneDX JSON.
 * `npm sbom --omit dev` leaves out those that a package for tests needs as well (npm/cli#7909), so npm gets a lock
 * file without such packages.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ROOT } from './setup/root.js';

/** @param {string} name */
const readJson = name => JSON.parse(readFileSync(path.join(ROOT, name), 'utf8'));

const { devDependencies: _, ...manifest } = readJson('package.json');
const lock = readJson('package-lock.json');
const kept = Object.entries(lock.packages).filter(
  ([, entry]) => !(entry.dev || entry.optional || entry.devOptional),
);
const packages = { ...Object.fromEntries(kept), '': { ...lock.packages[''], devDependencies: {} } };

const parent = mkdtempSync(path.join(tmpdir(), 'loadflame-sbom-'));
try {
  // npm names the application after its folder.
  const folder = path.join(parent, manifest.name);
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest));
  writeFileSync(path.join(folder, 'package-lock.json'), JSON.stringify({ ...lock, packages }));
  const args = [
    'sbom',
    '--sbom-format=cyclonedx',
    '--sbom-type=application',
    '--package-lock-only',
  ];
  const { status } = spawnSync('npm', args, {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  process.exitCode = status ?? 1;
} finally {
  rmSync(parent, { recursive: true });
}
