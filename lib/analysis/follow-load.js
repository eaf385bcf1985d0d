/** Updates the load and the timeline of a running load test from what was added to its folder. */
import { statOrNull } from '../base/files/regular-file.js';
import { analyseLoad } from './load/analyse-load.js';
import { GrowingSeries } from './read/load/growing-series.js';
import { createRunReader } from './read/read-run.js';
import { findScope } from './read/scope.js';

/** @import { LoadReport } from '../run/facts/load-report.d.ts' */
/** @import { Timeline } from '../run/facts/timeline.d.ts' */

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
 * @throws {import('../base/errors.js').LoadflameError} RUN_FOLDER_NOT_ONE, RUN_FILE_UNREADABLE
 */
export function createLoadFollower(folder) {
  const growing = new GrowingSeries();
  const reader = createRunReader(folder, {
    isGoingOn: true,
    onSecond: record => growing.add(record),
  });
  return async like => {
    growing.like = like;
    const records = await reader.read();
    const scope = findScope(records);
    const series = scope.window && (await growing.read(records, scope.window));
    const { load, timeline } = await analyseLoad({ records, scope, series }, { skipsLogs: true });
    return { load, timeline, hasLogs: statOrNull(records.files.logs) !== null };
  };
}
