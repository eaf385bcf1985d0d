/** The load and the timeline of a run that goes on, from what was added to its folder since the last time. */
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
 * @property {boolean} hasLogs they are not read: `load.failures` lacks those that only logs know
 */

/**
 * Memory grows with seconds and with endpoints, never with both together, as in an analysis of all.
 * @param {string} folder
 * @returns {(like: number[] | null) => Promise<FollowedLoad>} `like`: edges of windows that go on in the timeline
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
