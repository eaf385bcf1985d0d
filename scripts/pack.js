/**
 * `npm run pack -- <folder>`: makes the npm package from a copy of its files, with the packages that it needs in the
 * versions of the lock file inside (npm takes no lock file from a package), and with the schemas of reports. Prints
 * what `npm pack --json` says.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readProduction } from './production-lock.js';
import { ROOT } from './setup/root.js';
import { buildSchema, EXPLANATION, REPORT, STUDY_REPORT } from './write-schemas.js';

const [place = '.'] = process.argv.slice(2);
const { manifest, lock } = readProduction();
// The package has the modes of its files.
process.umask(0o022);
const stage = mkdtempSync(path.join(tmpdir(), 'loadflame-pack-'));
/** @param {string} name @param {object} value @param {number} [space] */
const write = (name, value, space) =>
  writeFileSync(path.join(stage, name), `${JSON.stringify(value, null, space)}\n`);

try {
  const files = manifest.files.filter((/** @type {string} */ one) => !one.startsWith('!'));
  const tops = files.map((/** @type {string} */ one) => one.split('/')[0]);
  for (const name of new Set(['README.md', 'LICENSE', ...tops]))
    cpSync(path.join(ROOT, name), path.join(stage, name), { recursive: true });
  for (const name of Object.keys(lock.packages).filter(Boolean)) {
    const from = path.join(ROOT, name);
    // What is inside of a package stands in the lock file, too.
    const filter = (/** @type {string} */ one) => one !== path.join(from, 'node_modules');
    cpSync(from, path.join(stage, name), { recursive: true, filter });
  }
  for (const document of [REPORT, STUDY_REPORT, EXPLANATION])
    write(document.schema, buildSchema(document));
  write('package.json', { ...manifest, bundleDependencies: true }, 2);
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', path.resolve(place)];
  const { status } = spawnSync('npm', args, {
    cwd: stage,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  process.exitCode = status ?? 1;
} finally {
  rmSync(stage, { recursive: true });
}
