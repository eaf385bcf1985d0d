/** Builds the image of the Containerfile, on a base that is made of this machine's files. Needs Linux, root and buildah. */
import { cpSync, globSync } from 'node:fs';
import path from 'node:path';
import { execa } from 'execa';

const ROOT = path.resolve(import.meta.dirname, '../..');
export const OWN = 'localhost/own';

/**
 * @param {string} folder for all that it writes
 * @returns {Promise<(...args: string[]) => Promise<string>>} buildah, which has the image as `OWN`
 */
export async function buildImage(folder) {
  const store = [
    '--root',
    `${folder}/store`,
    '--runroot',
    `${folder}/run`,
    '--storage-driver',
    'vfs',
  ];
  const buildah = async (/** @type {string[]} */ ...args) =>
    (await execa('buildah', [...store, ...args])).stdout;
  const base = path.join(folder, 'base');
  await execa(path.join(import.meta.dirname, 'make-base.sh'), [base, process.execPath]);
  const build = ['bud', '--quiet', '--isolation', 'chroot'];
  await buildah(...build, '--tag', 'localhost/base', base);
  const context = path.join(folder, 'context');
  const parts = [
    'Containerfile',
    '.containerignore',
    'package.json',
    'package-lock.json',
    'bin',
    'lib',
  ];
  for (const name of parts)
    cpSync(path.join(ROOT, name), path.join(context, name), { recursive: true });
  // As in a clone that was made under umask 077.
  await execa('chmod', ['-R', 'go=', context]);
  const { stdout: userConfig } = await execa('npm', ['config', 'get', 'userconfig']);
  const mounts = globSync(userConfig).flatMap(file => ['--volume', `${file}:/root/.npmrc:ro`]);
  await buildah(...build, ...mounts, '--build-arg', 'BASE=localhost/base', '--tag', OWN, context);
  return buildah;
}
