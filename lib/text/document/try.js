/** The decisions of `loadflame try`, as sections of the comparison of its runs. */
import {
  formatChangeEstimate,
  formatDuration,
  formatMs,
  formatNumberOf,
} from '../../base/format.js';
import { MEASURE_LABELS } from '../measures.js';
import { describeDecision, describeNoise, describeTryLoad, nameFixed } from '../try.js';
import { formatChosenShare } from '../words.js';
import { amount, column, lede, pairs, part, section, table, tag } from './build.js';

/** @import { DifferentialFlame } from '../../run/facts/compare-report.d.ts' */
/** @import { Decision, TryReport } from '../../run/facts/try.d.ts' */
/** @import { Level } from './document.d.ts' */

/** @type {Record<Decision['call'], [Level, string]>} */
const CALLS = {
  better: ['better', 'better'],
  worse: ['worse', 'worse'],
  none: ['none', 'no relevant difference'],
  undecided: ['unknown', 'undecided'],
};

/** @param {TryReport} tried @param {DifferentialFlame | null} flame of its runs */
export function describeTry(tried, flame) {
  const { decisions, predictions, endpoint, path, alpha, smallest } = tried;
  const cpu = decisions.find(({ measure }) => measure === 'cpuMsPerRequest')?.call;
  const isNoisy = flame?.unit === 'ms' && (cpu === 'better' || cpu === 'worse');
  return [
    section(
      'decision',
      'Decision',
      table('Decisions', decisions, [
        column('', ({ measure }) => MEASURE_LABELS[measure]),
        amount('change', describeDecision),
        column('', ({ call }) => tag(...CALLS[call])),
        amount('pairs', own => own.pairs, 'count'),
      ]),
      pairs([
        [
          'most changed endpoint',
          endpoint &&
            `${endpoint.name}: ${MEASURE_LABELS[endpoint.measure]} ${endpoint.relative ? formatChangeEstimate(endpoint.relative) : ''}`,
        ],
        ['most changed path', path ? describePath(path) : isNoisy && NO_PATH],
        ['load', describeTryLoad(tried.load)],
        ['measured', describeExtent(tried)],
        ['noise', describeNoise(tried.noise)],
      ]),
      lede(
        `Tests over runs, after fixed numbers of pairs. In at most ${formatChosenShare(alpha)} of all tries, an interval misses the true change. Differences below ${formatChosenShare(smallest)} are not relevant.`,
      ),
    ),
    section(
      'prediction',
      'Predicted and measured',
      lede(
        `The reports of “${tried.sides.a.label}” predicted this gain for the causes that “${tried.sides.b.label}” does not have.`,
      ),
      predictions.map(one =>
        part(
          `without: ${nameFixed(one)}`,
          table('Predicted and measured changes', one.figures, [
            column('', ({ measure }) => MEASURE_LABELS[measure]),
            amount('predicted', ({ predicted }) => formatChangeEstimate(predicted)),
            amount('measured', ({ measured }) => formatChangeEstimate(measured)),
          ]),
        ),
      ),
    ),
  ].filter(own => own?.id !== 'prediction' || predictions.length > 0);
}

const NO_PATH =
  'not known: the noise of each function is larger than its change; longer runs (`--duration`) show it';

/** @param {NonNullable<TryReport['path']>} path */
const describePath = ({ functions, file, beforeMs, afterMs }) =>
  `${functions.join(' → ')} (${file}): ${formatMs(beforeMs)} of CPU per request before, ${formatMs(afterMs)} after`;

/** @param {TryReport} tried */
function describeExtent({ pairs: count, excluded, elapsedMs, load }) {
  const left =
    excluded > 0 ? `; ${formatNumberOf(excluded, 'more')} left out, because a run was invalid` : '';
  const measured = formatDuration(2 * (count + excluded) * load.durationSec * 1000);
  return `${formatNumberOf(count, 'pair')} of runs in ${formatDuration(elapsedMs)}, ${measured} of it measured${left}`;
}
