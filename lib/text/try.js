/** The result of `loadflame try` in sentences. */
import {
  formatChangeEstimate,
  formatDuration,
  formatNumberOf,
  formatRate,
} from '../base/format.js';
import { nameBottleneck } from './bottleneck.js';
import { MEASURE_LABELS, nameMeasure } from './measures.js';
import { capitalize, formatChosenShare, joinWords } from './words.js';

/** @import { Bottleneck } from '../run/facts/bottleneck.d.ts' */
/** @import { Decision, Forecast, Noise, Prediction, TryLoad, TryReport } from '../run/facts/try.d.ts' */
/** @import { WordedThreshold } from './thresholds.js' */

/** @param {Decision} decision */
export const describeDecision = ({ pairs, relative }) =>
  pairs > 0 ? formatChangeEstimate(relative) : 'not known';

/** @param {Decision} decision "CPU per request −58 % (−60 … −56 %)" */
const describeFigure = decision => `${nameMeasure(decision.measure)} ${describeDecision(decision)}`;

/** "throughput better, CPU per request undecided": the state of a running try @param {Decision[]} decisions */
export function describeSoFar(decisions) {
  return decisions
    .map(
      own => `${describeFigure(own)}, ${own.call === 'none' ? 'no relevant difference' : own.call}`,
    )
    .join('; ');
}

/** @param {TryReport} tried a sentence without its full stop, or several */
export function describeOutcome({ sides, decisions, smallest, pairs, end, noise, isNoise }) {
  if (isNoise) return capitalize(describeNoise(noise));
  const { a, b } = sides;
  const named = {
    better: `${b.label} is better than ${a.label}`,
    worse: `${b.label} is worse than ${a.label}`,
    none: `no difference of ${formatChosenShare(smallest)} or more`,
    undecided: `undecided after ${formatNumberOf(pairs, 'pair')} of runs`,
  };
  const parts = Object.entries(named).flatMap(([call, words]) => {
    const own = decisions.filter(decision => decision.call === call);
    return own.length > 0 ? [`${words}: ${joinWords(own.map(describeFigure))}`] : [];
  });
  const why = END[end];
  return [...(why ? [why] : []), ...parts].map(capitalize).join('. ');
}

/** @param {Noise} noise "in 12 min this machine shows changes of CPU per request from 6 %" */
export function describeNoise({ withinMs, figures }) {
  const shown = figures.flatMap(({ measure, change }) =>
    change === null ? [] : `of ${nameMeasure(measure)} from ${formatRounded(change)}`,
  );
  return shown.length > 0
    ? `in ${formatDuration(withinMs)} this machine shows changes ${joinWords(shown)}`
    : 'which changes this machine shows is not known: too few pairs, or too little time';
}

/** @param {Forecast} forecast @param {number} maxMs */
export function describeForecast({ pairMs, leastMs, spread, isKnown, changes }, maxMs) {
  const about = (/** @type {number} */ ms) => `about ${formatDuration(ms)}`;
  const times = changes.map(
    ({ change, ms }) =>
      `${ms === null ? 'too long' : about(ms)} for a change of ${formatRounded(change)}`,
  );
  const why = `${isKnown ? 'as runs of earlier tries varied' : 'if runs vary'} by ${formatRounded(spread)}`;
  const short =
    maxMs < leastMs ? `; --max is too short: the first test is after ${about(leastMs)}` : '';
  return `a pair takes ${about(pairMs)}; ${why}, a decision takes ${joinWords(times)}${short}`;
}

/** @param {number} share 0.064 → "7 %": never less than it is */
const formatRounded = share => `${Math.ceil(share * 100 - 1e-9)} %`;

/** @type {Partial<Record<TryReport['end'], string>>} */
const END = {
  interrupted: 'interrupted',
  invalid: 'stopped, because three pairs in a row had an invalid run',
};

/** @param {Prediction} prediction */
export function nameFixed({ causes, bottleneck, isPart }) {
  const what =
    causes.length > 0 ? joinWords(causes) : nameBottleneck(/** @type {Bottleneck} */ (bottleneck));
  return isPart ? `a part of the change: ${what}` : `${what}`;
}

/** @param {TryLoad} load */
export function describeTryLoad({ model, level, warmUpSec, untilSteady, durationSec }) {
  const who = model === 'closed' ? formatNumberOf(level, 'user') : `${formatRate(level)} new users`;
  const warmUp = untilSteady
    ? 'its rate became steady'
    : `${formatDuration(warmUpSec * 1000)} of warm-up`;
  return `${who} for ${formatDuration(durationSec * 1000)} in each run, after ${warmUp}`;
}

const STATES = /** @type {const} */ ({
  better: 'pass',
  none: 'pass',
  worse: 'fail',
  undecided: 'uncertain',
});

/** For a build server: a figure that got worse fails. @param {TryReport} tried @returns {Pick<WordedThreshold, 'endpoint' | 'expression' | 'status' | 'text' | 'place'>[]} */
export function listTryResults({ decisions, isNoise }) {
  return (isNoise ? [] : decisions).map(decision => ({
    endpoint: null,
    expression: `${MEASURE_LABELS[decision.measure]} is not worse`,
    status: STATES[decision.call],
    text: describeFigure(decision),
    place: 'loadflame try',
  }));
}
