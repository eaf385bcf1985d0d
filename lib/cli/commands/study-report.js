/** @import { Call } from '../io.js' */
import path from 'node:path';
import { locateRun } from '../../run/run-folder.js';
import { concludeStudy } from '../write-study.js';

/** @param {Call} call */
export async function run({ args: [study], options, io }) {
  const folder = path.resolve(locateRun(study, options.profiles, 'plan.json'));
  // A report of a study in which nothing valid was measured is a good report.
  await concludeStudy(folder, { io });
}
