/** Reads the two sides of a `try` from the command line, as plain data. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { LoadflameError } from '../errors.js';
import { statOrNull } from '../files/regular-file.js';
import { isSecretVariable } from '../process/bare-environment.js';
import { addWorktree, findCleanCommit, findCommit, removeWorktree } from './git.js';

/** @import { TrySide } from '../facts/try.d.ts' */

/**
 * @typedef {object} SideOptions as typed
 * @property {string} [a] folder or git reference; `.`
 * @property {string} [b]
 * @property {Record<string, string>} [aEnv]
 * @property {Record<string, string>} [bEnv]
 * @property {string} [command] for both sides
 * @property {string} [aCommand]
 * @property {string} [bCommand]
 * @property {{before: string, after: string}} [labels]
 */

/** @typedef {'a' | 'b'} SideName */

/**
 * @param {SideOptions} options
 * @param {{isDemo: boolean, redactText: (text: string) => string}} context `isDemo`: a side without a command is the
 *   demo; `redactText`: for labels, which appear in all output
 * @returns {Promise<{a: TrySide, b: TrySide}>} references are resolved to commits, but not checked out
 * @throws {LoadflameError} TRY_SIDES, SETTING_SECRET
 */
export async function readSides(options, { isDemo, redactText }) {
  const [a, b] = [await readSide('a', options), await readSide('b', options)];
  for (const [name, { command }] of Object.entries({ a, b }))
    if (command === null && !isDemo)
      throw new LoadflameError('TRY_SIDES', {
        problem: `side ${name.toUpperCase()} has no command that starts its server`,
        change: "add --command 'gunicorn app:app' for both sides, or --a-command and --b-command",
      });
  if (await areSame(a, b))
    throw new LoadflameError('TRY_SIDES', {
      problem: `side A and side B are the same (${describeVersion(a)})`,
      change:
        'name another side B: --b with a git reference or a folder, --b-env NAME=VALUE, or --b-command',
    });
  const labels = options.labels ?? nameSides(a, b);
  return {
    a: { ...a, label: redactText(labels.before) },
    b: { ...b, label: redactText(labels.after) },
  };
}

/** @param {SideName} name @param {SideOptions} options @returns {Promise<TrySide>} */
async function readSide(name, options) {
  const given = options[name] ?? '.';
  const env = options[`${name}Env`] ?? {};
  const command = options[`${name}Command`] ?? options.command ?? null;
  for (const [variable, value] of Object.entries(env))
    if (isSecretVariable(variable, value))
      throw new LoadflameError('SETTING_SECRET', { name: variable });
  const side = { label: '', env, command };
  if (statOrNull(given)?.isDirectory())
    return { ...side, folder: path.resolve(given), reference: null };
  const folder = path.resolve('.');
  const { commit, reason } = await findCommit(folder, given);
  if (commit === null)
    throw new LoadflameError('TRY_SIDES', {
      problem: `--${name} ${given} is neither a folder nor a git reference: ${reason}`,
      change:
        'name a folder, a branch, a tag or a commit; in CI, fetch it first: `git fetch origin main`, then `--a origin/main`',
    });
  return { ...side, folder, reference: { name: given, commit } };
}

/** @param {TrySide} a @param {TrySide} b */
async function areSame(a, b) {
  const setUp = (/** @type {TrySide} */ { env, command }) =>
    JSON.stringify([Object.entries(env).sort(), command]);
  if (setUp(a) !== setUp(b)) return false;
  if (!a.reference && !b.reference) return a.folder === b.folder;
  const commits = [a, b].map(
    ({ reference, folder }) => reference?.commit ?? findCleanCommit(folder),
  );
  const [one, other] = await Promise.all(commits);
  return one === other;
}

/** @param {TrySide} side */
function describeVersion({ folder, reference }) {
  return reference?.name ?? (path.relative('', folder) || 'this folder');
}

const LONGEST_LABEL = 40;

/** Names the sides by their difference. @param {TrySide} a @param {TrySide} b */
function nameSides(a, b) {
  const listWords = (/** @type {TrySide} */ { command }) => (command ?? '').split(/\s+/);
  /** @type {((side: TrySide, other: TrySide) => string)[]} */
  const ways = [
    describeVersion,
    ({ env }) =>
      Object.entries(env)
        .map(entry => entry.join('='))
        .join(' ') || 'unchanged',
    (side, other) =>
      listWords(side)
        .filter(word => !listWords(other).includes(word))
        .join(' '),
  ];
  for (const way of ways) {
    const [before, after] = [way(a, b), way(b, a)].map(label => label.slice(0, LONGEST_LABEL));
    if (before && after && before !== after) return { before, after };
  }
  return { before: 'A', after: 'B' };
}

/**
 * Checks references out into temporary worktrees.
 * @param {{a: TrySide, b: TrySide}} sides
 * @param {string} work a temporary folder
 * @returns {Promise<{sides: {a: TrySide, b: TrySide}, remove: () => Promise<void>}>}
 * @throws {LoadflameError} TRY_SIDES, after removing the worktrees
 */
export async function checkOutSides(sides, work) {
  /** @type {[repository: string, place: string][]} */
  const places = [];
  const remove = async () => {
    for (const [repository, place] of places.splice(0)) await removeWorktree(repository, place);
  };
  const checkOut = async (/** @type {SideName} */ name) => {
    const side = sides[name];
    if (!side.reference) return side;
    const place = path.join(work, name);
    places.push([side.folder, place]);
    const { folder, reason } = await addWorktree(side.folder, side.reference.commit, place);
    if (reason === null && existsSync(folder)) return { ...side, folder };
    await remove();
    const why = reason ?? `it has no folder ${path.relative(place, folder)}`;
    throw new LoadflameError('TRY_SIDES', {
      problem: `cannot check out ${side.reference.name}: ${why}`,
      change: `check it out into a folder yourself, and name that: --${name} <folder>`,
    });
  };
  return { sides: { a: await checkOut('a'), b: await checkOut('b') }, remove };
}
