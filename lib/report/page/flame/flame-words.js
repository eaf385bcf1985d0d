/** Texts for a flamegraph and its boxes: of CPU, and of waiting. */
import { formatCount, formatMs, formatNumberOf, formatPercent } from '../../../base/format.js';

/** @import { SampleCounts } from '../../../run/facts/sample-table.d.ts' */
/** @import { Waiting } from '../compute/count-waiting.js' */

/**
 * @typedef {object} FlameWords
 * @property {string} about what the widths mean
 * @property {string} notes how far to trust them
 * @property {(samples: number) => string} count
 * @property {(samples: number) => string[]} amounts what samples stand for, in addition to their share
 * @property {string} several
 * @property {string} heaviest
 */

/**
 * @param {SampleCounts} counts
 * @param {SampleCounts} whole
 * @param {number | null} cpuMsPerRequest of the selection
 * @returns {FlameWords}
 */
export function sayCpu({ total }, whole, cpuMsPerRequest) {
  return {
    about: `${formatCount(total)} active samples of the workers${tellPart(total, whole)}; waiting is excluded. The wider a box, the more CPU.`,
    notes: '',
    count: samples => formatNumberOf(samples, 'sample'),
    amounts: samples =>
      cpuMsPerRequest === null
        ? []
        : [`${formatMs((cpuMsPerRequest * samples) / Math.max(1, total))} CPU per request`],
    several: 'several categories',
    heaviest: 'Most CPU in the function itself',
  };
}

/** @param {Waiting} waiting @param {SampleCounts} whole all named samples @returns {FlameWords} */
export function sayWaiting(waiting, whole) {
  const { counts, rounds, msPerSample, hasUnnamed } = waiting;
  const threads = (/** @type {number} */ samples) =>
    rounds > 0 ? formatThreads(samples / rounds) : '–';
  const idleSamples = (/** @type {number} */ samples) => formatNumberOf(samples, 'idle sample');
  const part = hasUnnamed ? '' : tellPart(counts.total, whole);
  return {
    about: `${threads(counts.total)} requests ${hasUnnamed ? 'there' : 'waiting'} at a time, by ${idleSamples(counts.total)}${part}. The wider a box, the longer requests ${hasUnnamed ? 'were' : 'waited'} there.`,
    notes: listNotes(waiting).join(' '),
    count: idleSamples,
    amounts: samples => [
      `${threads(samples)} requests at a time`,
      ...(msPerSample === null ? [] : [`${formatMs(samples * msPerSample)} per request`]),
    ],
    several: 'several kinds',
    heaviest: 'Most waiting in the function itself',
  };
}

/** Smaller shares are not mentioned. */
const LEAST_RAN = 0.02;

/** How far the picture can be trusted. @param {Waiting} waiting */
function listNotes(waiting) {
  const { hasUnnamed, ran, unnamed, unattributed, isInRange, isTimed, ignoresCategories } = waiting;
  const ranToo =
    ran < LEAST_RAN
      ? ''
      : ` By the CPU profile, ${formatPercent(ran)} of those in the whole run were running.`;
  return [
    hasUnnamed
      ? 'Idle samples do not show whether a thread runs: those that no rule names may be on the CPU.'
      : `Idle samples do not show whether a thread runs. These are at places where a rule knows what the thread waits for.${ranToo}`,
    !hasUnnamed &&
      unnamed > 0 &&
      `At places that no rule names: ${formatNumberOf(unnamed, 'more sample')} inside requests, on the CPU or waiting.`,
    unattributed > 0 &&
      `Left out: ${formatNumberOf(unattributed, 'sample')} of no endpoint, or of a view that several share.`,
    isInRange &&
      (isTimed
        ? 'A sample counts at the moment when its request began.'
        : 'The time of a sample is known to 20 s: a shorter range shows the mean of its surroundings.'),
    ignoresCategories && 'Categories of CPU do not narrow this picture.',
  ].filter(note => typeof note === 'string');
}

/** @param {number} total @param {SampleCounts} whole */
function tellPart(total, whole) {
  return total === whole.total
    ? ''
    : ` (${formatPercent(total / Math.max(1, whole.total))} of the run’s)`;
}

/** @param {number} threads */
const formatThreads = threads => (threads < 10 ? threads.toPrecision(2) : formatCount(threads));
