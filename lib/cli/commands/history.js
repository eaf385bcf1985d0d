/** `loadflame history`, and its use of git: the commit of a run, and the commits between two runs. */
import path from 'node:path';
import { LoadflameError } from '../../base/errors.js';
import { buildHistory } from '../../experiment/history/build-history.js';
import { appendEntry, makeEntry, readHistory } from '../../experiment/history/history-file.js';
import { findCommit, git } from '../../experiment/try/git.js';
import { printTerminal } from '../../report/print/terminal.js';
import { describeHistory } from '../../text/document/history.js';
import { exitCode } from '../exit-code.js';
import { printJson, printWide, startProgress } from '../io.js';

/** @import { HistoryReport } from '../../run/facts/history.d.ts' */
/** @import { Report } from '../../run/facts/report.d.ts' */
/** @import { Commit } from '../../experiment/history/history-file.js' */
/** @import { Call } from '../io.js' */

/** The history to add a run to. @typedef {Commit & {file: string}} HistoryPlace */
/** @typedef {{history?: string, commit?: string | null, branch?: string}} HistoryOptions */

/** More commits are only counted. */
const MOST_COMMITS = 20;
const COMMIT = /^[0-9a-f]{7,64}$/;

/** @param {Call} call */
export async function run({ args: [file], options, io }) {
  const progress = startProgress(io);
  progress.update('looking for changes …');
  const history = buildHistory(await readHistory(file), { file, branch: options.branch });
  await addCommits(history);
  progress.stop();
  if (options.json) printJson(io, history);
  else printWide(io, terminal => printTerminal(describeHistory(history), terminal));
  const newest = history.series[0]?.changes.at(-1);
  const isWorse = newest?.sizes.some(({ call }) => call === 'worse');
  return exitCode({ failed: options.failOnChange && isWorse });
}

/**
 * Called before the load, so that edits during the run do not count.
 * @param {string} file
 * @param {HistoryOptions} options `commit`: undefined asks git; null: an earlier run, whose commit
 *   only the user knows
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<HistoryPlace>}
 */
export async function placeHistory(file, { commit, branch }, env) {
  if (commit === undefined)
    return { file, ...(await readHead(file, env)), ...(branch && { branch }) };
  const id = commit && ((await findCommit('.', commit)).commit ?? commit);
  return { file, commit: id, branch: branch ?? null, isDirty: null };
}

/** @param {string} file of the history; its own changes do not count @param {NodeJS.ProcessEnv} env @returns {Promise<Commit>} */
async function readHead(file, env) {
  const status = await git('.', ['status', '--porcelain=v2', '--branch', '--untracked-files=no']);
  const prefix = await git('.', ['rev-parse', '--show-prefix']);
  const lines = status.isDone ? status.said.split('\n') : [];
  const read = (/** @type {string} */ name) =>
    lines.find(line => line.startsWith(`# branch.${name} `))?.slice(10 + name.length) ?? null;
  // Build servers check out a commit without a branch, and name the branch in the environment.
  const ofBuild = env.GITHUB_HEAD_REF || env.GITHUB_REF_NAME || env.CI_COMMIT_REF_NAME;
  const own = path.posix.join(prefix.said, path.relative('', file));
  const isDirty = lines.some(line => !line.startsWith('#') && !line.endsWith(` ${own}`));
  const branch = read('head') === '(detached)' ? (ofBuild ?? null) : read('head');
  return { commit: read('oid'), branch, isDirty: status.isDone ? isDirty : null };
}

/** @param {HistoryPlace} place @param {Report} report @throws {LoadflameError} REPORT_UNWRITABLE */
export function addToHistory({ file, ...commit }, report) {
  try {
    appendEntry(file, makeEntry(report, commit));
  } catch (cause) {
    const reason = /** @type {NodeJS.ErrnoException} */ (cause).code;
    const folder = path.dirname(file);
    const hint = `make ${folder} writable, then run: loadflame report ${report.run.id} --history ${file}`;
    throw new LoadflameError('REPORT_UNWRITABLE', { file, folder, reason }, { cause, hint });
  }
}

/** Adds the commits between the entries of each change. @param {HistoryReport} history */
async function addCommits({ series }) {
  for (const { entries, changes } of series)
    for (const change of changes) {
      const [from, to] = [change.before, change.after].map(at => entries[at]?.commit ?? '');
      if (!COMMIT.test(from ?? '') || !COMMIT.test(to ?? '') || from === to) continue;
      const log = await git('.', ['log', '--format=%h %s', `${from}..${to}`, '--']);
      if (!log.isDone) continue;
      const all = [...log.said.matchAll(/^(\S+) (.*)$/gm)];
      change.commits = all
        .slice(0, MOST_COMMITS)
        .map(([, id = '', subject = '']) => ({ id, subject }));
      change.moreCommits = all.length - change.commits.length;
    }
}
