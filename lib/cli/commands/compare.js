/** @import { Call } from '../io.js' */
import path from 'node:path';
import { findSettingsFolder, readConfig } from '../../base/config/read-config.js';
import { LoadflameError } from '../../base/errors.js';
import { buildComparison } from '../../experiment/compare/build-comparison.js';
import { createStampedFolder } from '../../run/run-folder.js';
import { BETWEEN_SIDES } from '../command-table.js';
import { exitCode } from '../exit-code.js';
import { concludeComparison } from '../gates.js';
import { startProgress } from '../io.js';
import { prepareGates } from '../prepare-gates.js';
import { checkTwice, expandRuns, placeRuns, readReports } from '../read-runs.js';

/** @param {Call} call */
export async function run({ args: [named], options, flags, io }) {
  const sides = splitSides(named);
  const folders = {
    before: expandRuns(sides.before, options.profiles),
    after: expandRuns(sides.after, options.profiles),
  };
  checkTwice([...folders.before, ...folders.after]);
  const all = [sides, folders].flatMap(({ before, after }) => [...before, ...after]);
  const folder = findSettingsFolder(all);
  const config = readConfig({ flags, env: io.env, folder });
  const gates = await prepareGates(config, options);
  const progress = startProgress(io);
  const onProgress = (/** @type {string} */ folder) => progress.update(`reading ${folder} …`);
  const read = { rulesFile: gates.rulesFile, onProgress };
  const before = await readReports(folders.before, read);
  const after = await readReports(folders.after, read);
  progress.update('comparing …');
  const files = createStampedFolder(options.profiles, 'compare');
  const facts = await buildComparison(before, after, {
    labels: options.labels,
    places: placeRuns(folders, path.dirname(files.compareHtml)),
  });
  progress.stop();
  return exitCode(await concludeComparison(gates, { facts, reports: after, files, io }));
}

/**
 * `A B`, or `A1 A2 -- B1 B2`.
 * @param {string[]} named
 * @returns {{before: string[], after: string[]}}
 * @throws {LoadflameError} COMPARE_SIDE_MISSING, COMPARE_SIDES_UNCLEAR
 */
function splitSides(named) {
  const between = named.lastIndexOf(BETWEEN_SIDES);
  const runs = named.filter(name => name !== BETWEEN_SIDES);
  const at = between < 0 ? 1 : runs.length - (named.length - between - 1);
  const [before, after] = [runs.slice(0, at), runs.slice(at)];
  const hasBoth = before.length > 0 && after.length > 0;
  if (hasBoth && (between >= 0 || runs.length === 2)) return { before, after };
  if (hasBoth) throw new LoadflameError('COMPARE_SIDES_UNCLEAR', { count: runs.length });
  throw new LoadflameError('COMPARE_SIDE_MISSING', { side: before.length === 0 ? 'A' : 'B' });
}
