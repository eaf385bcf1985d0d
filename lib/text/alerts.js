/** What a report knows about lines of the application, in words that a reviewer reads beside the code. */
import { formatRoughShare } from '../format.js';
import { describeWaste } from './findings-code.js';
import { capitalize, endSentence } from './words.js';

/** @import { Estimate } from '../facts/estimate.d.ts' */
/** @import { CauseShare } from '../facts/profile-report.d.ts' */
/** @import { Severity } from '../facts/statement.d.ts' */

/** @typedef {{function: string, file: string, line: number | null, share: Estimate}} OwnLine */
/**
 * @typedef {object} Alert
 * @property {{id: string, title: string, help: string}} rule
 * @property {string} message
 * @property {string} function
 * @property {string} file as the profiler names it
 * @property {number} line
 * @property {Severity} severity
 */

/** A smaller part of a cause, and a line with less of the CPU time, is not worth a reviewer's attention. */
const LEAST_PLACE = 0.1;
const LEAST_LINE = 0.05;

const HOT_LINE = {
  id: 'hot-line',
  title: 'Line with much of the CPU time',
  help: 'The function takes this share of the CPU time of the server, with the library code that it calls. The line has more of it than any other line of the function. Look at it first when CPU time limits the API.',
};

/**
 * One per cause and function, then one per function with much CPU time that no cause names.
 * @param {readonly CauseShare[]} causes
 * @param {readonly OwnLine[]} lines
 * @returns {Alert[]}
 */
export function listAlerts(causes, lines) {
  const alerts = causes.flatMap(cause => {
    const { id, title, explanation, advice, severity, isExpected, places = [] } = cause;
    if (isExpected) return [];
    const rule = { id, title: capitalize(title), help: `${explanation} ${advice}` };
    const message = `${endSentence(capitalize(describeWaste(cause)))} ${advice}`;
    return places.flatMap(({ function: name, file, line, share }) =>
      line === null || share < LEAST_PLACE
        ? []
        : [{ rule, message, function: name, file, line, severity }],
    );
  });
  const known = new Set(alerts.map(placeOf));
  for (const place of lines) {
    const { function: name, file, line, share } = place;
    if (line === null || share.value < LEAST_LINE || known.has(placeOf(place))) continue;
    const message = `\`${name}\` takes ${formatRoughShare(share)} of the CPU, with the library code that it calls. This line has more of it than any other line of the function.`;
    alerts.push({ rule: HOT_LINE, message, function: name, file, line, severity: 'info' });
  }
  return alerts;
}

/** @param {{function: string, file: string}} place */
const placeOf = ({ function: name, file }) => `${name}\n${file}`;
