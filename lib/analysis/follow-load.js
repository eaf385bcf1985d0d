/** Updates the load and the timeline of a running load test from what was added to its folder. */
import { statOrNull } from '../files/regular-file.js';
import { analyseLoad } from './load/analyse-load.js';
import { followRun, GrowingSeries } from './load/timeline/build-timeline.js';
import { withoutHost } from './read/read-folder.js';
import { createRunReader } from './read/read-run.js';

/** @import { LoadReport } from '../facts/load-report.d.ts' */
/** @import { Timeline } from '../facts/timeline.d.ts' */

/**
 * @typedef {object} FollowedLoad
 * @property {LoadReport | null} load
 * @property {Timeline | null} timeline
 * @property {boolean} hasLogs logs exist but are not read: `load.failures` lacks failures that only logs show
 */

/**
 * As in a full analysis, memory grows with seconds and with endpoints, but never with their product.
 * @param {string} folder
 * @returns {(like: number[] | null) => Promise<FollowedLoad>} `like`: edges of windows that the timeline continues
 * @throws {import('../errors.js').LoadflameError} RUN_FOLDER_NOT_ONE, RUN_FILE_UNREADABLE
 */
export function createLoadFollower(folder) {
  const growing = new GrowingSeries();
  const reader = createRunReader(folder, {
    isGoingOn: true,
    onSecond: record => growing.add(record),
  });
  return async like => {
    growing.like = like;
    const records = withoutHost(await reader.read());
    const { load, scope } = await analyseLoad(records, { skipsLogs: true });
    const known = { load, range: scope.window, periods: null };
    const { timeline } = await followRun(records, known, growing);
    return { load, timeline, hasLogs: statOrNull(records.files.logs) !== null };
  };
}
