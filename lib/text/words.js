/** Building blocks of sentences. */
import { listPresent } from '../base/files/maps.js';
import {
  formatCount,
  formatMs,
  formatNumberOf,
  formatPercent,
  formatRate,
} from '../base/format.js';

/** @import { LatencySummary } from '../base/math/estimate.d.ts' */
/** @import { CollectionSums, LoadReport } from '../run/facts/load-report.d.ts' */
/** @import { HistorySeries } from '../run/facts/history.d.ts' */

/** "a, b and c" @param {string[]} words */
export function joinWords(words) {
  const last = words.at(-1) ?? '';
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} and ${last}` : last;
}

/** Names in a sentence or a list, the others are counted. */
export const MOST_NAMED = 3;

/** The first of many names: "a", "b", "2 others" @param {string[]} names @param {number} most */
export function listFirst(names, most) {
  const others = names.length - most;
  return others > 0 ? [...names.slice(0, most), formatNumberOf(others, 'other')] : names;
}

/** Characters of a line of a log or a response. */
const MOST_TEXT = 300;

/** The first line of a text; of a traceback the last one, which says what was raised. @param {string} text */
export function tellingLine(text) {
  const lines = text.split('\n');
  const start = lines.findIndex(line => line.startsWith('Traceback (most recent call last)'));
  const raised = start < 0 ? null : lines.slice(start + 1).findLast(line => /^\w/.test(line));
  return (raised ?? lines[0] ?? '').slice(0, MOST_TEXT);
}

/** "p95 140 ms"; of a few values, which have none, "mean 90 ms, max 185 ms" @param {LatencySummary} latency */
export const describeTail = ({ meanMs, p95Ms, maxMs }) =>
  p95Ms === null ? `mean ${formatMs(meanMs)}, max ${formatMs(maxMs)}` : `p95 ${formatMs(p95Ms)}`;

/** "1 user", "100/s", "500 at once" @param {number} step @param {import('../run/facts/study-report.d.ts').LoadModel} model */
export function describeStep(step, model) {
  if (model === 'burst') return `${formatCount(step)} at once`;
  return model === 'closed' ? formatNumberOf(step, 'user') : formatRate(step);
}

/**
 * The plan of a phase: "30 s, open arrivals, 3 → 10 users/s, at most 20 at once"; "60 s, closed
 * loop, 50 users".
 * @param {Pick<LoadReport['phases'][number], 'plan' | 'model'>} phase
 */
export function describePhase({ plan, model }) {
  const { lengthSec, maxVusers } = plan;
  return listPresent(
    lengthSec === null ? null : `${lengthSec} s`,
    { open: 'open arrivals', closed: 'closed loop', none: 'no arrivals' }[model],
    model === 'none' ? null : describeArrivals(plan),
    maxVusers === null ? null : `at most ${maxVusers} at once`,
  ).join(', ');
}

/** "5 → 10 users/s" @param {import('../run/facts/load-report.d.ts').Steered} turn */
export const describeTurn = ({ of, from, to }) =>
  `${from} → ${to} users${of === 'users' ? '' : '/s'}`;

/** @param {LoadReport['phases'][number]['plan']} plan */
function describeArrivals({ users, arrivalRate, arrivalCount, rampTo }) {
  const from = users ?? arrivalRate ?? arrivalCount ?? '0';
  const range = rampTo === null ? from : `${from} → ${rampTo}`;
  const isRate = users === null && (arrivalRate !== null || rampTo !== null);
  return `${range} ${range === '1' ? 'user' : 'users'}${isRate ? '/s' : ''}`;
}

/** A name and its value, for lists that also hold other types. @param {string} label @param {string} value @returns {[string, string]} */
export const pair = (label, value) => [label, value];

/** @param {string} text */
export const capitalize = text => text.charAt(0).toUpperCase() + text.slice(1);

/** @param {string} text */
export const endSentence = text => (/[.!?]$/.test(text) ? text : `${text}.`);

/** A chosen share, unlike a measured one, has no decimals: 0.3 → "30 %". @param {number} share */
export const formatChosenShare = share => formatPercent(share).replace('.0 %', ' %');

/** 0.694 → "0.69", 625 → "625" @param {number} value */
export const formatSmallRate = value =>
  value >= 99.5 ? formatCount(value) : String(Number(value.toPrecision(2)));

/** "linux x64, 4 × Xeon" @param {HistorySeries['of']['machines'][number]} host */
export const nameHost = ({ platform, cpus, cpuModel }) => `${platform}, ${cpus} × ${cpuModel}`;

/** A mean of a few: "4.2", "37" @param {number | null | undefined} value */
export const formatFew = value => (value == null ? '–' : value.toFixed(value < 9.95 ? 1 : 0));

/** A rate without "/s", for use before a label with the unit. @param {number | null} perSec */
export const rateWithoutUnit = perSec => formatRate(perSec).replace(/\/s$/, '');

/** "120 collections, 3.0 per request, 340 ms of CPU, the longest 98 ms" @param {CollectionSums & {requests?: number}} own */
export const describeCollections = ({ count, cpuMs, longestMs, requests = 0 }) =>
  `${formatNumberOf(count, 'collection')}${requests > 0 && count >= requests ? `, ${formatFew(count / requests)} per request` : ''}, ${formatMs(cpuMs)} of CPU, the longest ${formatMs(longestMs)}`;
