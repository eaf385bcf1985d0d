/** Alerts for lines of the application, for a reviewer to read beside the code. */
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
 * @property {string} file as named by the profiler
 * @property {number} line
 * @property {Severity} severity
 */

/** Smaller parts of a cause, and lines with less CPU time, get no alert. */
const LEAST_PLACE = 0.1;
const LEAST_LINE = 0.05;

const HOT_LINE = {
  id: 'hot-line',
  title: 'Line with much of the CPU time',
  help: 'The function, with the library code that it calls, takes this share of the CPU time of the server. This line takes more than any other line of the function. Start here if CPU time limits the API.',
};

/**
 * Lists one alert per cause and function, then one per function with much CPU time and no cause.
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
    const message = `\`${name}\` and the library code that it calls take ${formatRoughShare(share)} of the CPU. This line takes more than any other line of the function.`;
    alerts.push({ rule: HOT_LINE, message, function: name, file, line, severity: 'info' });
  }
  return alerts;
}

/** @param {{function: string, file: string}} place */
const placeOf = ({ function: name, file }) => `${name}\n${file}`;
