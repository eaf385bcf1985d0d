/** Reads the two sides of a `try` from the command line, as plain data. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { LoadflameError } from '../../base/errors.js';
import { statOrNull } from '../../base/files/regular-file.js';
import { isSecretVariable } from '../../base/process/bare-environment.js';
import { addWorktree, findCleanCommit, findCommit, git, removeWorktree } from './git.js';

/** @import { TrySide } from '../../run/facts/try.d.ts' */

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
 * @property {boolean} [noise] both sides are the same version
 */

/** @typedef {'a' | 'b'} SideName */

/**
 * @param {SideOptions} options
 * @param {{isDemo: boolean, redactText: (text: string) => string}} context `isDemo`: a side without a command is the
 *   demo; `redactText`: for labels, which appear in all output
 * @returns {Promise<{a: TrySide, b: TrySide}>} references are resolved to commits, but not checked out
 * @throws {LoadflameError} TRY_NO_COMMAND, TRY_SAME, TRY_SIDE_UNKNOWN, SETTING_SECRET
 */
export async function readSides(options, { isDemo, redactText }) {
  const a = await readSide('a', options);
  const b = options.noise ? a : await readSide('b', options);
  for (const [name, { command }] of Object.entries({ a, b }))
    if (command === null && !isDemo)
      throw new LoadflameError('TRY_NO_COMMAND', { side: name.toUpperCase() });
  if (!options.noise && (await areSame(a, b)))
    throw new LoadflameError('TRY_SAME', { version: describeVersion(a) });
  const labels = options.labels ?? nameSides(a, b);
  return {
    a: { ...a, label: redactText(labels.before) },
    b: { ...b, label: redactText(labels.after) },
  };
}

/**
 * The ends of a bisection.
 * @param {{good?: string, bad?: string, command?: string}} options as typed
 * @returns {Promise<{a: TrySide, b: TrySide}>} the good commit and the bad one
 * @throws {LoadflameError} TRY_NO_COMMAND, TRY_SIDE_UNKNOWN, BISECT_NO_RANGE
 */
export async function readEnds(options) {
  if (!options.command) throw new LoadflameError('TRY_NO_COMMAND', { side: 'good' });
  const [a, b] = [await readSide('good', options), await readSide('bad', options)];
  const { good = 'a folder', bad = 'a folder' } = options;
  const [from, to] = [a, b].map(({ reference }) => reference?.commit);
  const isRange =
    from &&
    to &&
    from !== to &&
    (await git(a.folder, ['merge-base', '--is-ancestor', from, to])).isDone;
  if (!isRange) throw new LoadflameError('BISECT_NO_RANGE', { good, bad });
  return { a: { ...a, label: good }, b: { ...b, label: bad } };
}

/** @param {string} name @param {Record<string, any>} options @returns {Promise<TrySide>} */
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
  if (commit === null) throw new LoadflameError('TRY_SIDE_UNKNOWN', { name, given, reason });
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
 * @throws {LoadflameError} TRY_NO_CHECKOUT, after removing the worktrees
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
    throw new LoadflameError('TRY_NO_CHECKOUT', {
      name,
      reference: side.reference.name,
      reason: why,
    });
  };
  return { sides: { a: await checkOut('a'), b: await checkOut('b') }, remove };
}
