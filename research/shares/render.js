/** Tables of the bench as text. */
import { quantile } from '../../lib/base/math/summary.js';
import { compareReadings, findWorst, LEAST_SHARE, LIMITS, READINGS } from './judge.js';

/** @import { Reading } from './judge.js' */
/** @import { Result } from './results.js' */

const points = (/** @type {number} */ share) => (share * 100).toFixed(1);
const signed = (/** @type {number} */ share) => `${share >= 0 ? '+' : ''}${points(share)}`;

/**
 * One recording: a row per part, and how far each reading is off.
 * @param {Result} result
 * @returns {string} lines
 */
export function renderRecording({ app, worker, way, hz, burner, judged, isCalm }) {
  const { rows, samples, failed, answersPerSec, samplesToCpu, queuedToCpu } = judged;
  const title = [
    `${app} · ${worker} · ${way} ${hz} Hz${burner ? ' · beside a burner' : ''}${isCalm ? '' : ' · others were busy'}`,
    `${samples.plain ?? 0} samples`,
    `${points(failed)} % of looks failed`,
    `${answersPerSec.toFixed(0)} answers/s`,
    `samples ÷ CPU ${samplesToCpu.toFixed(2)} (with the wait for a core ${queuedToCpu === null ? 'not known' : (1 + queuedToCpu).toFixed(2)})`,
  ].join(', ');
  const head = `  ${'part'.padEnd(24)}${'true %'.padStart(7)}${READINGS.map(name => name.padStart(9)).join('')}${'CPU ×'.padStart(8)}   told by the report, 95 %`;
  const lines = rows.map(({ part, true: share, told, interval: { low, high } }) => {
    const offs = READINGS.map(reading => {
      const said = told[reading];
      return (said ? signed(said.off) : '–').padStart(9);
    });
    const { plain, report } = told;
    // samples ÷ rate, not their share: what waits for a core elsewhere does not change it
    const times = plain && share > 0 ? (plain.value * samplesToCpu) / share : 0;
    const interval = report ? `${points(report.value)} (${points(low)}–${points(high)})` : '';
    return `  ${part.padEnd(24)}${points(share).padStart(7)}${offs.join('')}${times.toFixed(2).padStart(8)}   ${interval}`;
  });
  return [title, head, ...lines].join('\n');
}

/**
 * Per way and worker class the worst share, tuned and held-out apps apart.
 * @param {readonly Result[]} results
 * @returns {string} lines
 */
export function renderWorst(results) {
  const lines = [];
  const groups = Map.groupBy(results, ({ way, burner }) => `${way}${burner ? ', burner' : ''}`);
  for (const [title, ofWay] of groups) {
    lines.push(
      '',
      `${title}: worst difference in points of a share of ${LEAST_SHARE * 100} % or more (surely, mean)`,
      `  ${'workers'.padEnd(14)}${'apps'.padEnd(10)}${READINGS.map(name => name.padStart(20)).join('')}  worst by the report`,
    );
    const workers = Map.groupBy(ofWay, ({ worker }) => worker);
    for (const [worker, own] of [...workers, /** @type {const} */ (['all', ofWay])])
      for (const heldOut of [false, true]) {
        const of = own
          .filter(result => result.heldOut === heldOut)
          .map(({ app, judged }) => ({ name: app, rows: judged.rows }));
        const cells = READINGS.map(reading => describeWorst(of, reading).padStart(20));
        const { where = '', held = 0, count = 0 } = findWorst(of, 'report') ?? {};
        if (of.length > 0)
          lines.push(
            `  ${worker.padEnd(14)}${(heldOut ? 'held out' : 'tuned').padEnd(10)}${cells.join('')}  ${where}, ${held} of ${count} shares inside the intervals of the report`,
          );
      }
  }
  return lines.join('\n');
}

/** What each step between readings brings. @type {readonly [Reading, Reading, string][]} */
const STEPS = [
  ['raw', 'plain', 'leaving out what waits'],
  ['plain', 'report', 'rules/gil.yaml'],
];

/**
 * Whether a rule of the analysis brings shares nearer to what is true, on tuned and on held-out apps.
 * @param {readonly Result[]} results
 * @returns {string} lines
 */
export function renderSteps(results) {
  const lines = [];
  for (const [way, ofWay] of Map.groupBy(results, result => result.way))
    for (const [from, to, title] of STEPS)
      for (const heldOut of [false, true]) {
        const own = ofWay.filter(result => result.heldOut === heldOut);
        const { nearer, farther, count, gain } = compareReadings(
          own.map(({ judged }) => judged),
          from,
          to,
        );
        if (count > 0)
          lines.push(
            `${way.padEnd(16)}${title.padEnd(42)}${(heldOut ? 'held out' : 'tuned').padEnd(10)}${nearer} of ${count} shares nearer, ${farther} farther, ${signed(gain)} points nearer on average`,
          );
      }
  return lines.join('\n');
}

/**
 * @param {readonly import('./results.js').Overhead[]} overheads
 * @returns {string} lines; none without a way `none` to compare with
 */
export function renderOverheads(overheads) {
  const at = (/** @type {number[]} */ ratios, /** @type {number} */ part) =>
    quantile(ratios, part).toFixed(3);
  return overheads
    .map(
      ({ worker, way, hz, ratios }) =>
        `${worker.padEnd(14)}${`${way} ${hz} Hz`.padEnd(24)}throughput ${at(ratios, 0.5)} × that without a profiler (quartiles ${at(ratios, 0.25)}–${at(ratios, 0.75)}, ${ratios.length} pairs of seconds)`,
    )
    .join('\n');
}

/** @param {Parameters<typeof findWorst>[0]} recordings @param {Reading} reading */
function describeWorst(recordings, reading) {
  const worst = findWorst(recordings, reading);
  if (!worst) return '–';
  return `${signed(worst.off)} (${points(worst.surely)}, ${points(worst.mean)})`;
}

/**
 * @param {readonly Result[]} results of the way that the project records with
 * @returns {Result[]} those with a share that is further off than it may be, whatever chance did
 */
export function listBad(results) {
  return results.filter(({ app, judged, burner }) => {
    const worst = findWorst([{ name: app, rows: judged.rows }], 'report');
    return (worst?.surely ?? 0) > (burner ? LIMITS.burner : LIMITS.quiet);
  });
}
