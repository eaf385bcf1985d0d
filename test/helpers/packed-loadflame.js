/** loadflame as the package that npm makes of this clone, in somebody's own repository. */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { execa } from 'execa';
import { runLoadflame } from './run-loadflame.js';

const ROOT = path.resolve(import.meta.dirname, '../..');

/**
 * Takes 10 seconds: it holds all packages that it needs, and the schemas of reports are made from their types.
 * @param {string} folder where the package goes
 * @returns {Promise<{file: string, size: number, files: string[]}>}
 */
export async function packLoadflame(folder) {
  const { stdout } = await execa(process.execPath, ['scripts/pack.js', folder], { cwd: ROOT });
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

/**
 * A repository with loadflame as its only package, as npm installs it.
 * @param {string} parent
 * @param {string} packed
 */
export async function makeRepositoryWith(parent, packed) {
  const folder = makeRepository(parent);
  const modules = path.join(folder, 'node_modules');
  mkdirSync(modules);
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
