/** What a recording tells of an app's parts, read in several ways, beside what their clocks say. */

import { classifyProfile } from '../../lib/analysis/hotpath/classify-profile.js';
import { countUnseen } from '../../lib/analysis/profile/analyse-profile.js';
import { selectBase } from '../../lib/analysis/profile/profile-base.js';
import { measureSamplingCoverage, SKEWS } from '../../lib/analysis/profile/profile-report.js';
import { createShareEstimator } from '../../lib/base/math/bootstrap.js';
import { widenInterval } from '../../lib/base/math/intervals.js';
import { sum } from '../../lib/base/math/summary.js';
import { addClocks } from './clocks.js';

/** @import { Profile } from '../../lib/analysis/stacks/profile.d.ts' */
/** @import { Rules } from '../../lib/run/facts/rules.d.ts' */
/** @import { Part } from './apps.js' */
/** @import { RecordedSegment } from './record.js' */

/** Smaller shares are shown, but not judged. */
export const LEAST_SHARE = 0.05;
/** Furthest that a share may be off: alone on the machine, and beside a process that burns a core. */
export const LIMITS = Object.freeze({ quiet: 0.03, burner: 0.05 });
/** The server and all else that is no part of the app. */
export const REST = 'rest';

/**
 * Ways to read one and the same recording.
 * - `raw`: every sample of py-spy, the master's apart
 * - `plain`: without what the project's rules know as waiting
 * - `report`: as the report counts: of that, without the surplus over the CPU clock where the GIL is given up
 * - `parts`: `plain`, and of the app's own parts alone, without the rest
 * @typedef {'raw' | 'plain' | 'report' | 'parts'} Reading
 */

/** @type {readonly Reading[]} */
export const READINGS = ['raw', 'plain', 'report', 'parts'];

/**
 * @typedef {object} Told
 * @property {number} value share of the samples
 * @property {number} low end of the 95 % interval (Wilson, widened by a block bootstrap over time)
 * @property {number} high
 * @property {number} off told − true, of the same base
 */

/**
 * @typedef {object} Row
 * @property {string} part
 * @property {number} true share of the CPU of all its processes
 * @property {Partial<Record<Reading, Told>>} told
 * @property {{low: number, high: number}} interval as the report tells it: for more than chance
 */

/**
 * @typedef {object} Judged
 * @property {Row[]} rows the rest last
 * @property {Partial<Record<Reading, number>>} samples
 * @property {number} failed share of the looks at a worker that failed
 * @property {number} answersPerSec
 * @property {number} cpuMs
 * @property {number} samplesToCpu time that the samples of `plain` stand for ÷ CPU time
 * @property {number | null} queuedToCpu time that its threads waited for a core ÷ CPU time
 */

/**
 * @param {object} input
 * @param {Profile} input.profile its segments in the order of `segments`
 * @param {readonly RecordedSegment[]} input.segments
 * @param {readonly Part[]} input.parts
 * @param {Rules} input.rules
 * @param {number | null} input.masterPid
 * @param {boolean} [input.sameCore] it was looked at from the core where it ran
 * @returns {Judged}
 */
export function judgeRecording({ profile, segments, parts, rules, masterPid, sameCore = false }) {
  const classes = classifyProfile(profile, rules);
  const used = segments.map(segment => segment.used).reduce(addClocks);
  const cpuMs = used.wholeMs * measureCoverage(segments);
  const plain = selectBase(profile, classes, { windows: [], masterPid });
  const report = selectBase(profile, classes, { windows: [], masterPid, cpuMs });
  const nodeOf = (/** @type {number} */ row) => profile.rows.node[row] ?? -1;
  /** @type {Partial<Record<Reading, Counted>>} */
  const counted = {
    raw: countAll(profile, masterPid),
    plain: { rows: plain.rows, weights: plain.rowWeights },
    report: { rows: report.rows, weights: report.rowWeights },
  };
  const partOf = findParts(profile, parts);
  const names = [...parts.map(({ name }) => name), REST];
  const trueMs = [...used.partMs, used.wholeMs - sum(used.partMs)];
  const rows = names.map((part, index) => ({
    part,
    true: used.wholeMs > 0 ? (trueMs[index] ?? 0) / used.wholeMs : 0,
    told: /** @type {Row['told']} */ ({}),
    interval: { low: 0, high: 1 },
  }));
  for (const [reading, { rows: own, weights }] of Object.entries(counted)) {
    const byBlock = names.map(() => new Float64Array(segments.length));
    own.forEach((row, index) => {
      const part = partOf[nodeOf(row)] ?? parts.length;
      const block = profile.rows.segment[row] ?? 0;
      const counts = byBlock[part];
      if (counts) counts[block] = (counts[block] ?? 0) + (weights[index] ?? 0);
    });
    tell(rows, /** @type {Reading} */ (reading), byBlock, 1);
    if (reading === 'plain' && parts.length > 1)
      tell(rows.slice(0, -1), 'parts', byBlock.slice(0, -1), sum(used.partMs) / used.wholeMs);
  }
  const failed = measureFailed(profile, segments, masterPid);
  const ofCpu = (/** @type {number} */ samples) =>
    profile.rateHz && cpuMs > 0 ? (samples * 1000) / profile.rateHz / cpuMs : 0;
  const unseenShare = countUnseen({
    failedShare: failed,
    sampledShare: measureCoverage(segments),
    runnable: ofCpu(sum(report.rowWeights)) || null,
    isWhole: false,
  });
  for (const row of rows)
    if (row.told.report)
      row.interval = widenInterval(row.told.report, {
        unseenShare,
        skew: SKEWS[sameCore ? 'near' : 'far'],
      });
  const totals = Object.entries(counted).map(([reading, { weights }]) => [reading, sum(weights)]);
  const active = sum(plain.rowWeights);
  return {
    rows,
    samples: Object.fromEntries(totals),
    failed,
    answersPerSec: used.requests / (lengthOf(segments) / 1000),
    cpuMs: used.wholeMs,
    samplesToCpu: ofCpu(active),
    queuedToCpu: segments.some(({ threads }) => threads.length > 0)
      ? sum(segments.flatMap(({ threads }) => threads.map(({ queuedMs }) => queuedMs))) /
        used.wholeMs
      : null,
  };
}

/** @typedef {{rows: Int32Array, weights: Float64Array}} Counted */

/**
 * Shares of each part, from its samples in each block.
 * @param {Row[]} rows filled
 * @param {Reading} reading
 * @param {readonly Float64Array[]} byBlock per part
 * @param {number} base share of the whole that these rows are
 */
function tell(rows, reading, byBlock, base) {
  const blocks = byBlock[0]?.length ?? 0;
  const totals = Float64Array.from({ length: blocks }, (_, block) =>
    sum(byBlock.map(counts => counts[block] ?? 0)),
  );
  const estimate = createShareEstimator(totals);
  rows.forEach((row, index) => {
    const { value, low, high } = estimate(byBlock[index] ?? []);
    row.told[reading] = { value, low, high, off: value - row.true / base };
  });
}

/**
 * Whose part a stack is: that of the innermost of its functions that is one.
 * @param {Profile} profile @param {readonly Part[]} parts
 * @returns {Int32Array} per node, `parts.length` for the rest
 */
export function findParts({ frames, nodes }, parts) {
  const ofFrame = frames.map(frame =>
    parts.findIndex(({ name, file }) => frame.name === name && isFile(frame.file, file)),
  );
  const partOf = new Int32Array(nodes.frame.length);
  for (let node = 0; node < partOf.length; node++) {
    const own = ofFrame[nodes.frame[node] ?? 0] ?? -1;
    const parent = nodes.parent[node] ?? -1;
    partOf[node] = own >= 0 ? own : parent >= 0 ? (partOf[parent] ?? 0) : parts.length;
  }
  return partOf;
}

/** @param {string} full @param {string} end */
const isFile = (full, end) => full === end || full.endsWith(`/${end}`);

/** @param {Profile} profile @param {number | null} masterPid @returns {Counted} */
function countAll(profile, masterPid) {
  const { rows, processes } = profile;
  const own = Int32Array.from(rows.node.keys()).filter(
    row => masterPid === null || processes[rows.process[row] ?? -1]?.pid !== masterPid,
  );
  return { rows: own, weights: weigh(profile, own) };
}

/** @param {Profile} profile @param {Int32Array} own rows */
const weigh = ({ rows }, own) => Float64Array.from(own, row => rows.weight[row] ?? 0);

/** @param {readonly RecordedSegment[]} segments @returns {number} ms */
const lengthOf = segments => sum(segments.map(({ startMs, endMs }) => endMs - startMs));

/**
 * py-spy counts stacks and failed looks; how many looks there were follows from its rate.
 * @param {Profile} profile @param {readonly RecordedSegment[]} segments @param {number | null} masterPid
 */
function measureFailed({ processes, rateHz }, segments, masterPid) {
  const workers = processes.filter(({ pid }) => pid !== masterPid).length;
  const looks = ((rateHz ?? 0) * workers * lengthOf(segments)) / 1000;
  return looks > 0 ? sum(segments.map(({ errors }) => errors)) / looks : 0;
}

/** As the report finds it: of late segments less CPU time was looked at. @param {readonly RecordedSegment[]} segments */
function measureCoverage(segments) {
  const records = segments.map(({ startMs, endMs, lateMs }) => ({
    ...{ kind: /** @type {const} */ ('segment'), t: endMs, file: '' },
    startMs,
    endMs,
    lateMs,
  }));
  const cpuOf = (/** @type {number} */ _pid, /** @type {number} */ startMs) =>
    segments.find(segment => segment.startMs === startMs)?.used.wholeMs ?? 0;
  return measureSamplingCoverage(records, [0], cpuOf);
}

/**
 * How far the worst share is off, among those of 5 % or more.
 * @param {readonly {rows: readonly Row[], name: string}[]} recordings
 * @param {Reading} reading
 * @returns {{off: number, surely: number, where: string, mean: number, count: number, held: number} | null}
 *   `surely`: the least that the 95 % interval of any of them leaves; `mean` of the distances; `held`: by the
 *   intervals of the report; null without any
 */
export function findWorst(recordings, reading) {
  let worst = { off: 0, where: '' };
  let [surely, total, count, held] = [0, 0, 0, 0];
  for (const { rows, name } of recordings)
    for (const { part, true: share, told, interval } of rows) {
      const said = told[reading];
      if (!said || share < LEAST_SHARE) continue;
      count++;
      if (interval.low <= share && share <= interval.high) held++;
      total += Math.abs(said.off);
      if (worst.where === '' || Math.abs(said.off) > Math.abs(worst.off))
        worst = { off: said.off, where: `${name}:${part}` };
      const truth = said.value - said.off;
      surely = Math.max(surely, said.low - truth, truth - said.high);
    }
  return count > 0 ? { ...worst, surely, mean: total / count, count, held } : null;
}

/** Less than this is no difference between two readings. */
const NOTICEABLE = 0.005;

/**
 * Does one reading bring shares of 5 % or more nearer to what is true than another?
 * @param {readonly {rows: readonly Row[]}[]} recordings
 * @param {Reading} from
 * @param {Reading} to
 * @returns {{nearer: number, farther: number, count: number, gain: number}} shares by half a point or more;
 *   `gain` of the mean distance, as a share
 */
export function compareReadings(recordings, from, to) {
  const gains = recordings.flatMap(({ rows }) =>
    rows.flatMap(({ true: share, told }) => {
      const [before, after] = [told[from], told[to]];
      if (!before || !after || share < LEAST_SHARE) return [];
      return [Math.abs(before.off) - Math.abs(after.off)];
    }),
  );
  return {
    nearer: gains.filter(gain => gain >= NOTICEABLE).length,
    farther: gains.filter(gain => gain <= -NOTICEABLE).length,
    count: gains.length,
    gain: gains.length > 0 ? sum(gains) / gains.length : 0,
  };
}
