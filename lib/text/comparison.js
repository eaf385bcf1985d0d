/** A comparison in words: its verdict, its caveats, and each change as cells of a table. */
import {
  formatChange,
  formatChangeEstimate,
  formatChangeInterval,
  formatDuration,
  formatInUnit,
  formatNumberOf,
  formatP,
} from '../base/format.js';
import { nameFirst } from '../base/name-first.js';
import { MEASURE_LABELS, nameMeasure } from './measures.js';
import { describeQuality } from './quality.js';
import { say } from './say.js';
import { wordThresholds } from './thresholds.js';
import { describeOutcome, describeSoFar } from './try.js';
import {
  capitalize,
  describePhase,
  endSentence,
  joinWords,
  MOST_NAMED,
  nameHost,
} from './words.js';

/** @import { Change, CompareReport, HeadlineTable, Measure, NamedChange, PointTable, SharedTable, SideValue, SpoiledTable, Verdict, Warning, WarningTable } from '../run/facts/compare-report.d.ts' */
/** @import { ThresholdResult } from '../run/facts/threshold.d.ts' */
/** @import { Catalogue } from './text.d.ts' */
/** @import { ChangeCells, WordedComparison, WordedSide } from './worded-comparison.d.ts' */

/** @type {Catalogue<HeadlineTable, string>} each a sentence without its full stop */
const HEADLINES = {
  'no-valid-run': ({ side, reason }) =>
    `Invalid comparison: no run of “${side}” is valid${reason ? `. ${describeQuality(reason)}` : ''}`,
  'nothing-known': () => 'Nothing to compare: no figure is known on both sides',
  'one-run': () => 'One run a side cannot show whether a difference is significant',
  'few-runs': ({ before, after }) =>
    `${formatNumberOf(before, 'run')} against ${after} cannot show a significant difference`,
  'no-difference': ({ before, after }) =>
    `No measurable difference between ${before} and ${formatNumberOf(after, 'run')}`,
  tried: describeOutcome,
  difference: ({ level, before, after, changes }) => {
    const is = { better: 'is better', worse: 'is worse', mixed: `differs from ${before}` }[level];
    return `${capitalize(after)} ${is}: ${changes.map(describeChange).join(', ')}`;
  },
};

/**
 * Differences between runs: the plural noun, how to write one value, and what the difference means.
 * @type {{[Id in keyof SharedTable]: [plural: string, write: (value: SharedTable[Id]['values'][number]) => string, so: string]}}
 */
const SHARED = {
  'other-script': [
    'scripts',
    ({ name, sha256 }) => `${name} (${sha256.slice(0, 8)})`,
    'they sent different requests',
  ],
  'other-load': [
    'load phases',
    phases => phases.map(describePhase).join(', '),
    'a higher rate alone changes latency',
  ],
  'other-engine': ['load engines', String, 'they measure differently'],
  'other-kind': ['kinds of run', String, 'a running profiler costs some throughput'],
  'other-rate': [
    'sampling rates',
    rateHz => `${rateHz} Hz`,
    'a profiler that samples more often costs more',
  ],
  'other-sampling': [
    'ways of sampling',
    ({ name, pausesTarget }) => `${name} ${pausesTarget ? 'with' : 'without'} pauses`,
    'each shifts samples between functions differently',
  ],
  'other-names': [
    'names for C code',
    isNamed => (isNamed ? 'by the lines that call it' : 'none'),
    'unnamed C code counts as its caller, so a query counts as business logic',
  ],
  'other-costs': [
    'sources of CPU time per endpoint',
    isMeasured => (isMeasured ? 'the companion' : 'samples'),
    'CPU time per request of an endpoint is compared only between runs of one source',
  ],
  'other-workers': [
    'numbers of workers',
    String,
    'unless that is the change, they are not comparable',
  ],
  'other-host': ['machines', nameHost, 'a faster machine looks like a better program'],
};

/** @type {Catalogue<SpoiledTable, string>} each a sentence without its full stop */
const SPOILED = {
  'not-comparable': ({ warnings }) =>
    `Not comparable: the runs have different ${joinWords(warnings.map(id => SHARED[id][0]))}`,
  'unreliable-runs': ({ runs, invalid, doubtful, partial }) => {
    const counts = { doubtful, 'invalid and left out': invalid, 'cut short': partial };
    const known = Object.entries(counts).filter(([, count]) => count > 0);
    const [[what, count] = []] = known;
    if (known.length === 1 && count === runs) return `All ${runs} runs are ${what}`;
    const parts = known.map(([kind, some]) => `${some} ${some === 1 ? 'is' : 'are'} ${kind}`);
    return `Of ${runs} runs, ${joinWords(parts)}`;
  },
};

/** @type {Catalogue<PointTable, string>} */
const POINTS = {
  observed: ({ changes }) => `Observed: ${changes.map(describeChange).join(', ')}.`,
  categories: listBy('category'),
  packages: listBy('package'),
  endpoints: listBy('endpoint'),
  'by-chance': ({ significant, figures, sameGroupsP }) =>
    `${formatNumberOf(significant, 'figure')} of ${figures} would be significant alone, but chance explains that among this many figures. If runs are assigned to sides at random, ${Math.round(sameGroupsP * 100)} % of all assignments differ as much.`,
  doubt: ({ reason, pairs, all, without }) =>
    `Doubt in ${pairs} of ${formatNumberOf(all, 'pair')}: ${describeQuality(reason)} Without ${pairs < all ? `them: ${describeSoFar(without)}` : 'them, none is left'}.`,
  'least-runs': ({ runs, alpha }) =>
    `Make at least ${runs} runs a side, alternated, and name them all. With fewer, even the clearest difference arises by chance in more than ${Math.round(alpha * 100)} of 100 comparisons.`,
};

/** @type {Catalogue<Omit<WarningTable, keyof SharedTable>, string>} */
const WARNINGS = {
  'steered-run': ({ id }) => `${id} is left out: its load was changed on the live page.`,
  'partial-runs': ({ runs }) =>
    `${formatNumberOf(runs.length, 'run')} ended early (${nameFirst(runs, MOST_NAMED)}): the figures cover what was measured.`,
  'other-length': ({ shortestMs, longestMs }) =>
    `The runs are ${formatDuration(shortestMs)} to ${formatDuration(longestMs)} long: the share of the warm-up differs.`,
  'other-rows': ({ row, paths, isAfter }) =>
    `Rows are named differently ${isAfter ? 'after' : 'before'}: ${nameFirst(paths, MOST_NAMED)} ${paths.length === 1 ? 'is' : 'are'} part of ${row} there, neither gone nor new.`,
  'not-alternated': () =>
    'All runs of one side were made before all runs of the other, so whatever else changed in between is part of the difference. Alternate them next time.',
};

/** @param {Warning} warning */
function describeWarning(warning) {
  if (!(warning.id in SHARED)) return say(WARNINGS, /** @type {any} */ (warning));
  const [plural, write, so] = SHARED[/** @type {keyof SharedTable} */ (warning.id)];
  const { values } = /** @type {{values: any[]}} */ (warning.facts);
  const written = values.map(value => `“${write(/** @type {never} */ (value))}”`);
  return `The runs have different ${plural}: ${nameFirst(written, MOST_NAMED)}; ${so}.`;
}

/** "p95 of GET /a −83.1 % (−86.0 … −80.2 %)" @param {NamedChange} change */
function describeChange(change) {
  const of = change.scope === 'overall' ? '' : ` of ${change.name}`;
  return `${nameMeasure(change.measure)}${of} ${describeSize(change)}`;
}

/** @param {NamedChange} change */
function describeSize({ unit, relative, shift, beside }) {
  if (!relative) return formatShift(shift?.value ?? null, unit);
  if (!beside) return formatChangeEstimate(relative);
  return `${formatChangeEstimate(relative)} relative to the other endpoints (${formatChange(beside.value)}, not significant)`;
}

/** @param {string} what @returns {(point: {changes: NamedChange[], more: number}) => string} */
function listBy(what) {
  return ({ changes, more }) =>
    `By ${what}: ${changes.map(describeChange).join(', ')}${more > 0 ? `, and ${more} more` : ''}.`;
}

/** Problems of the measurement come first. @param {Verdict} verdict */
function describeVerdict({ spoiled, headline, points }) {
  const parts = [...(spoiled ? [say(SPOILED, spoiled)] : []), say(HEADLINES, headline)];
  return {
    headline: parts.map(endSentence).join(' '),
    sentences: points.map(point => say(POINTS, point)),
  };
}

/** @param {CompareReport} comparison */
function describeMethod({ basis, alpha, sameGroupsP, tried }) {
  const interval = `${Math.round((1 - alpha) * 100)} % intervals`;
  if (basis === 'within-run')
    return `Values are of one run a side; ${interval} are from a block bootstrap within each run and do not include how much runs differ.`;
  if (basis === 'few-runs')
    return `Values are medians over runs; ${interval} assume that runs vary normally.`;
  const all = sameGroupsP === null ? '' : ` All figures together: p = ${formatP(sameGroupsP)}.`;
  return `Values are medians over runs, ± half of their range. Change and ${interval} by Hodges and Lehmann, p by an exact Mann–Whitney test over runs. For endpoints, p is at least that of a step-down test of all endpoints (Westfall and Young). “~”: not significant; “relative”: the machine moved all endpoints together, and this is the change beside their median.${all}${tried ? ' These tests do not account for when the runs ended; the decision above does.' : ''}`;
}

// ---------------------------------------------------------------- cells of tables

/** Half ranges below this are not shown. */
const LEAST_SPREAD = 0.0005;

/** @param {Change} change @param {CompareReport} comparison @returns {ChangeCells} */
function describeCells(change, { basis, sameGroupsP, alpha, categories, measures }) {
  const { scope, name, measure, relative, shift, call, pAdjusted, beside } = change;
  const { unit } = /** @type {Measure} */ (measures.find(({ id }) => id === measure));
  const size = relative ? formatChange(relative.value) : formatShift(shift?.value ?? null, unit);
  const isGateClosed = sameGroupsP !== null && sameGroupsP > alpha && (pAdjusted ?? 1) <= alpha;
  const [text, note] =
    call === 'incomparable'
      ? ['–', `not known ${change.before.values.length > 0 ? 'after' : 'before'}`]
      : call === 'none'
        ? [basis === 'runs' ? '~' : `~ ${size}`, isGateClosed ? 'by chance?' : '']
        : [size, beside ? `${call}, relative` : call];
  return {
    measure: MEASURE_LABELS[measure],
    name: scope === 'category' ? (categories.find(({ id }) => id === name)?.label ?? name) : name,
    before: formatSideValue(change.before, unit),
    after: formatSideValue(change.after, unit),
    change: text,
    interval: relative && relative.low !== relative.high ? formatChangeInterval(relative) : '',
    p: formatP(pAdjusted),
    note,
  };
}

/** "88 ms ± 2 %": the median and half of the range of its runs @param {SideValue} side @param {Measure['unit']} unit */
function formatSideValue({ values, center }, unit) {
  const text = formatInUnit(center, unit);
  if (values.length < 2 || !center) return text;
  const spread = (Math.max(...values) - Math.min(...values)) / 2 / center;
  return spread < LEAST_SPREAD ? text : `${text} ± ${Math.max(1, Math.round(spread * 100))} %`;
}

/** @param {number | null} value @param {Measure['unit']} unit */
function formatShift(value, unit) {
  if (value === null) return '–';
  if (value === 0) return '±0';
  const size = `${value < 0 ? '−' : '+'}${formatInUnit(Math.abs(value), unit)}`;
  return unit === 'share' ? `${size} of all` : size;
}

// ---------------------------------------------------------------- the whole comparison

/**
 * @param {CompareReport} comparison
 * @param {ThresholdResult[]} [thresholds] of the side after
 * @returns {WordedComparison}
 */
export function wordComparison(comparison, thresholds = []) {
  const { before, after, verdict, warnings, measures, changes } = comparison;
  return {
    ...comparison,
    before: wordSide(before),
    after: wordSide(after),
    verdict: { ...verdict, text: describeVerdict(verdict) },
    warnings: warnings.map(warning => ({ ...warning, text: describeWarning(warning) })),
    measures: measures.map(measure => ({ ...measure, label: MEASURE_LABELS[measure.id] })),
    changes: changes.map(change => ({ ...change, text: describeCells(change, comparison) })),
    method: describeMethod(comparison),
    thresholds: wordThresholds(thresholds),
  };
}

/** @param {CompareReport['before']} side @returns {WordedSide} */
function wordSide(side) {
  return {
    ...side,
    runs: side.runs.map(run => ({
      ...run,
      reasons: run.reasons.map(reason => ({ ...reason, text: describeQuality(reason) })),
    })),
  };
}
