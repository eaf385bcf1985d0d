/** Git for `try`: resolves names to commits, and checks commits out into temporary worktrees. */
import path from 'node:path';
import { execa } from 'execa';
import { inheritEnvironment } from '../../base/process/bare-environment.js';

/**
 * Runs git in its own process group: a Ctrl+C that ended it halfway would leave files behind.
 * @param {string} folder
 * @param {string[]} args
 * @returns {Promise<{isDone: boolean, said: string}>} `said`: its output, or why it failed
 */
export async function git(folder, args) {
  const { failed, stdout, stderr, shortMessage } = await execa('git', ['-C', folder, ...args], {
    ...{ reject: false, stdin: 'ignore', detached: true, cleanup: true },
    ...inheritEnvironment({ LC_ALL: 'C' }),
  });
  const reason = stderr?.trim().split('\n').at(-1) || shortMessage;
  return { isDone: !failed, said: failed ? `${reason}` : `${stdout}`.trim() };
}

/**
 * @param {string} folder
 * @param {string} name of a branch, a tag or a commit
 * @returns {Promise<{commit: string | null, reason: string}>} null: not found, for this reason
 */
export async function findCommit(folder, name) {
  const inside = await git(folder, ['rev-parse', '--git-dir']);
  if (!inside.isDone) return { commit: null, reason: inside.said };
  const asked = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`];
  const { isDone, said } = await git(folder, asked);
  return isDone ? { commit: said, reason: '' } : { commit: null, reason: 'git knows no such name' };
}

/** @param {string} folder @returns {Promise<string | null>} null: it has uncommitted changes, or is in no repository */
export async function findCleanCommit(folder) {
  const { isDone, said } = await git(folder, ['status', '--porcelain']);
  return isDone && said === '' ? (await findCommit(folder, 'HEAD')).commit : null;
}

/**
 * @param {string} repository a folder inside the repository
 * @param {string} commit
 * @param {string} place new folder
 * @returns {Promise<{folder: string, reason: string | null}>} `folder`: the place of `repository` in the
 *   worktree; `reason`: why it could not be made
 */
export async function addWorktree(repository, commit, place) {
  // Worktrees of a killed process: their folder is gone, but git still lists them.
  await git(repository, ['worktree', 'prune']);
  const made = await git(repository, ['worktree', 'add', '--quiet', '--detach', place, commit]);
  const prefix = await git(repository, ['rev-parse', '--show-prefix']);
  return { folder: path.resolve(place, prefix.said), reason: made.isDone ? null : made.said };
}

/** @param {string} repository @param {string} place */
export async function removeWorktree(repository, place) {
  await git(repository, ['worktree', 'remove', '--force', place]);
}
