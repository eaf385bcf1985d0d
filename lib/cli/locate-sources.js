/** Where files that a profiler names lie in the repository of the working folder. */
import { LoadflameError } from '../errors.js';
import { git } from '../try/git.js';

/**
 * A profiler cuts off the folder that Python imports from, so a name is the end of a path. One that fits two files,
 * or none, has no place.
 * @returns {Promise<(file: string) => string | null>} a path from the root of the repository
 * @throws {LoadflameError} SARIF_NO_REPOSITORY
 */
export async function locateSources() {
  // From the root, wherever in the repository the working folder is.
  const { isDone, said } = await git('.', ['ls-files', '-z', '--full-name', ':/']);
  if (!isDone) throw new LoadflameError('SARIF_NO_REPOSITORY', { reason: said });
  const tracked = said.split('\0').filter(name => name.endsWith('.py'));
  return file => {
    const fits = tracked.filter(
      name => name === file || name.endsWith(`/${file}`) || file.endsWith(`/${name}`),
    );
    return fits.length === 1 ? (fits[0] ?? null) : null;
  };
}
