/** loadflame as the package that npm makes of this clone, in somebody's own repository. */
import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { execa } from 'execa';
import { runLoadflame } from './run-loadflame.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const MODULES = path.join(ROOT, 'node_modules');

/**
 * Takes some seconds: the schemas of reports are made from their types.
 * @param {string} folder where the package goes
 * @returns {Promise<{file: string, size: number, files: string[]}>}
 */
export async function packLoadflame(folder) {
  const { stdout } = await execa('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: ROOT,
  });
  const { filename, files, size } = JSON.parse(stdout)[0];
  const paths = files.map((/** @type {{path: string}} */ file) => file.path);
  return { file: path.join(folder, filename), size, files: paths };
}

/** A repository without packages. @param {string} parent */
export function makeRepository(parent) {
  const folder = path.join(parent, 'my repository');
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'package.json'), '{"name": "mine", "private": true}\n');
  return folder;
}

/** Packages that come with loadflame: neither its optional ones nor those of its checks and tests. */
function listNeeded() {
  const { packages } = JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8'));
  return Object.keys(packages).flatMap(at => {
    const [, name = ''] = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(at) ?? [];
    return name && !packages[at].dev && !packages[at].optional ? [name] : [];
  });
}

/**
 * A repository with loadflame among its packages. The others are links to the clone's, which saves a
 * minute; Node follows them as it does those of pnpm.
 * @param {string} parent
 * @param {string} packed
 */
export async function makeRepositoryWith(parent, packed) {
  const folder = makeRepository(parent);
  const modules = path.join(folder, 'node_modules');
  mkdirSync(modules);
  for (const name of listNeeded()) {
    mkdirSync(path.dirname(path.join(modules, name)), { recursive: true });
    symlinkSync(path.join(MODULES, name), path.join(modules, name));
  }
  await execa('tar', ['-xzf', packed, '--directory', modules]);
  const home = path.join(modules, 'loadflame');
  renameSync(path.join(modules, 'package'), home);
  return {
    folder,
    home,
    /** @param {string[]} args @param {Record<string, string>} [env] */
    run: (args, env) => runLoadflame(folder, args, env, path.join(home, 'bin', 'loadflame.js')),
  };
}
