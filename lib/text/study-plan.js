/** What a study would do, before anything is sent. */
import { formatCount, formatDuration, formatNumberOf, formatPercent } from '../format.js';
import { say } from './say.js';
import { describeStopRule } from './study-variant.js';

/** @import { Study } from '../facts/study-file.d.ts' */
/** @import { Lack, LackTable, StudyPlan } from '../facts/study-records.d.ts' */
/** @import { Catalogue } from './text.d.ts' */

/** "6 variants × up to 8 steps × 3 repeats + 6 profiles: at most 150 cells, at most 1 h 3 min" @param {StudyPlan} plan @param {number} steps */
export function describeSize({ study, variants, estimate }, steps) {
  const { untilSaturated } = study.load;
  const parts = [
    formatNumberOf(variants.length, 'variant'),
    `${untilSaturated ? 'up to ' : ''}${formatNumberOf(steps, 'step')}`,
    describeRepeats(study),
  ].join(' × ');
  const profile =
    study.record.profile === 'plateau' ? ` + ${formatNumberOf(variants.length, 'profile')}` : '';
  const isBound = untilSaturated || study.enough || study.load.model === 'burst';
  const bound = isBound ? 'at most ' : 'about ';
  const time = formatDuration(estimate.seconds * 1000);
  return `${parts}${profile}: ${bound}${formatNumberOf(estimate.cells, 'cell')}, ${bound}${time}`;
}

/** "3 repeats", "3 to 6 repeats" @param {Pick<Study, 'repeats' | 'enough'>} study */
export function describeRepeats({ repeats, enough }) {
  return `${enough && enough.least < repeats ? `${enough.least} to ` : ''}${formatNumberOf(repeats, 'repeat')}`;
}

/** One line for each thing that is the same in all cells. @param {Study} study @param {number[]} steps */
export function describeEachCell(study, steps) {
  const { load, warmUpSec, durationSec, settleSec, record, enough } = study;
  const { blockWarmUpSec, transactionSec } = study;
  const listed = steps.join(', ');
  const seconds = (/** @type {number} */ value) => formatDuration(value * 1000);
  return [
    {
      closed: `closed model: ${listed} users, each waits for its response and sends again`,
      open: `open model: ${listed} arrivals per second, whether or not responses come`,
      burst: `bursts: ${listed} at once, to a target that does nothing else`,
      spike: `spikes: ${listed} arrivals per second of "${load.of}", beside ${load.base} of all scenarios`,
    }[load.model],
    load.untilSaturated
      ? `steps go on until ${describeStopRule(load.stop)}`
      : 'all steps are run, whatever happens',
    load.model === 'burst'
      ? `at most ${seconds(durationSec)} to be done, ${seconds(settleSec)} to settle`
      : `${seconds(warmUpSec)} of warm-up, ${seconds(durationSec)} ${load.model === 'spike' ? 'each before, in and after the spike' : 'measured'}, ${seconds(settleSec)} to settle`,
    ...(blockWarmUpSec
      ? [`${seconds(blockWarmUpSec)} with the most load before the first cell of each block`]
      : []),
    ...(transactionSec
      ? [
          `longer where a transaction takes more than ${seconds(transactionSec)}: a cell is three of them`,
        ]
      : []),
    ...(enough
      ? [
          `a variant is repeated until its highest throughput is known to ± ${formatPercent(enough.within)}`,
        ]
      : []),
    ...(record.profile === 'plateau'
      ? ['once per variant, the step with the highest throughput is run again with the profiler']
      : []),
  ];
}

/** @type {Catalogue<LackTable, string>} */
const LACKS = {
  cpus: ({ least, has }) =>
    `it needs ${formatNumberOf(least, 'core')}, and this machine has ${formatCount(has)}`,
  writable: ({ file }) => `it needs to write ${file}`,
};

/** What this machine lacks for a variant. @param {Lack[]} lacks */
export function describeLacks(lacks) {
  return lacks.map(lack => say(LACKS, lack)).join('; ');
}
