/** The app's hot functions, line by line: each line's part of CPU time and waiting, including what it calls. */
import { addTo } from '../../base/files/maps.js';
import { sum } from '../../base/math/summary.js';
import { NOT_OF_A_VIEW } from '../sample-table/select.js';
import { addUpwards } from '../stacks/node-table.js';

/** @import { AnnotatedFunction } from '../../run/facts/profile-report.d.ts' */
/** @import { RecordOf } from '../../run/facts/records.d.ts' */
/** @import { Classification } from '../../run/facts/rules.d.ts' */
/** @import { Frame, Profile } from '../stacks/profile.d.ts' */

const MOST_FUNCTIONS = 10;
/** Lines shown of a longer function, around the most expensive line. */
const MOST_LINES = 60;
/** Fewer samples say nothing about a function. */
const LEAST_SAMPLES = 3;

/** @typedef {RecordOf<'source'>} SourceFunction */
/** @typedef {{profile: Profile, weights: Float64Array, rateHz: number, classification?: Classification}} Sampled `weights`: of the nodes, samples that end there */

/**
 * @param {SourceFunction[]} functions as recorded
 * @param {Sampled} running
 * @param {Sampled | null} waiting
 * @param {number | null} cpuMs per request
 * @returns {AnnotatedFunction[]} at most ten, most time as the app's innermost function first
 */
export function annotateSource(functions, running, waiting, cpuMs) {
  if (functions.length === 0) return [];
  const ran = countLines(functions, running);
  const waited = waiting && countLines(functions, waiting);
  const costs = functions.map((of, index) => {
    const [cpu, wait] = [ran.own[index] ?? 0, waited?.own[index] ?? 0];
    return { of, cpu, wait, seconds: cpu / running.rateHz + wait / (waiting?.rateHz ?? 1) };
  });
  return costs
    .filter(({ cpu, wait }) => cpu + wait >= LEAST_SAMPLES)
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, MOST_FUNCTIONS)
    .map(({ of, ...own }) => {
      const { function: name, file, from = 1, isChanged = false } = of;
      const lines = (of.lines ?? []).map((text, at) => {
        const key = keyOf(file, from + at);
        const share = (ran.lines.get(key) ?? 0) / (ran.total || 1);
        const waits = (waited?.lines.get(key) ?? 0) / (waited?.total || 1);
        return { line: from + at, text, share, cpuMs: cpuMs && share * cpuMs, waiting: waits };
      });
      const most = Math.max(...lines.map(line => line.share + line.waiting));
      const hottest = lines.findIndex(line => line.share + line.waiting === most);
      const start = Math.min(hottest - MOST_LINES / 2, lines.length - MOST_LINES);
      return {
        ...{ function: name, file, line: from, isChanged, lineCount: lines.length },
        share: own.cpu / (ran.total || 1),
        waiting: own.wait / (waited?.total || 1),
        lines: lines.slice(Math.max(0, start)).slice(0, MOST_LINES),
      };
    });
}

/** @param {string} file @param {number | null} line */
const keyOf = (file, line) => `${file}\n${line}`;

/**
 * @param {SourceFunction[]} functions
 * @param {Sampled} sampled
 * @returns {{total: number, lines: Map<string, number>, own: Float64Array}} `lines`: samples that pass a line, counted
 *   once each; `own`: per function, samples in which it is the app's innermost one
 */
function countLines(functions, { profile: { nodes, frames }, weights, classification: classes }) {
  const files = Map.groupBy([...functions.entries()], ([, { file }]) => file);
  const functionOf = frames.map(frame => findFunction(files.get(frame.file) ?? [], frame));
  const keys = frames.map(({ file, line }) => keyOf(file, line));
  const isIdle = classes?.categories.map(({ id }) => NOT_OF_A_VIEW.includes(id));
  const totals = addUpwards(nodes, weights.slice());
  /** @type {Map<string, number>} */
  const lines = new Map();
  const own = new Float64Array(functions.length);
  const innermost = new Int32Array(totals.length).fill(-1);
  for (const [node, total] of totals.entries()) {
    const frame = nodes.frame[node] ?? -1;
    let above = nodes.parent[node] ?? -1;
    const isOwn = (functionOf[frame] ?? -1) >= 0;
    // What is below the framework is no work of the middleware around it.
    const inner = (isOwn ? functionOf[frame] : classes?.isCore[node] ? -1 : innermost[above]) ?? -1;
    innermost[node] = inner;
    if (inner >= 0 && !isIdle?.[classes?.category[node] ?? -1])
      own[inner] = (own[inner] ?? 0) + (weights[node] ?? 0);
    if (!isOwn || total === 0) continue;
    const key = keys[frame] ?? '';
    // A recursive function passes a line several times.
    while (above >= 0 && keys[nodes.frame[above] ?? -1] !== key) above = nodes.parent[above] ?? -1;
    if (above < 0) addTo(lines, key, total);
  }
  return { total: sum(weights), lines, own };
}

/**
 * The innermost function that contains the line; in a file that has changed, the one with that name.
 * @param {[index: number, SourceFunction][]} ofFile @param {Frame} frame
 * @returns {number} -1: none
 */
export function findFunction(ofFile, { name, line }) {
  let [found, least] = [-1, Infinity];
  for (const [index, { function: own, from = 0, lines = [], isChanged }] of ofFile) {
    const at = (line ?? 0) - from;
    const has = isChanged ? `.${name}`.endsWith(`.${own}`) : at >= 0 && at < lines.length;
    if (has && lines.length < least) [found, least] = [index, lines.length];
  }
  return found;
}
