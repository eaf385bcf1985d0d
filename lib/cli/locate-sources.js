/** Where files that a profiler names lie in the repository of the working folder. */
import { execa } from 'execa';
import { LoadflameError } from '../errors.js';

/**
 * A profiler cuts off the folder that Python imports from, so a name is the end of a path. One that fits two files,
 * or none, has no place.
 * @returns {Promise<(file: string) => string | null>} a path from the root of the repository
 * @throws {LoadflameError} SARIF_NO_REPOSITORY
 */
export async function locateSources() {
  // From the root, wherever in the repository the working folder is.
  const args = ['ls-files', '-z', '--full-name', ':/'];
  const { failed, stdout, stderr, shortMessage } = await execa('git', args, { reject: false });
  if (failed) {
    const reason = stderr?.trim().split('\n').at(-1) || shortMessage;
    throw new LoadflameError('SARIF_NO_REPOSITORY', { reason });
  }
  const tracked = `${stdout}`.split('\0').filter(name => name.endsWith('.py'));
  return file => {
    const fits = tracked.filter(
      name => name === file || name.endsWith(`/${file}`) || file.endsWith(`/${name}`),
    );
    return fits.length === 1 ? (fits[0] ?? null) : null;
  };
}
