/** What a study would do, before anything is sent, as a document. */
import { formatDuration, formatNumberOf } from '../../format.js';
import { describeStopRule } from '../study-variant.js';
import { list, section } from './build.js';

/** @import { Study } from '../../facts/study-file.d.ts' */
/** @import { PlanOutline, StudyPlan } from '../../facts/study-records.d.ts' */
/** @import { Document } from './document.d.ts' */

/** @param {StudyPlan} plan @param {PlanOutline} outline @returns {Document} */
export function describePlan(plan, { steps, services }) {
  const { study, variants, blocks, seed } = plan;
  const numbers = new Map(variants.map(({ id }, index) => [id, index + 1]));
  const rounds = Map.groupBy(blocks, ({ repeat }) => repeat);
  const sections = [
    section(
      'variants',
      'Variants',
      list(
        variants.map(({ label }, index) =>
          [`${index + 1}: ${label}`, ...(services[index] ?? [])].join(', '),
        ),
      ),
    ),
    section('cell', 'Each cell', list(describeEachCell(study, steps))),
    section(
      'order',
      `Order (seed ${seed})`,
      list(
        [...rounds].map(
          ([repeat, round]) =>
            `round ${repeat}: ${round.map(({ variant }) => numbers.get(variant)).join(', ')}`,
        ),
      ),
    ),
  ];
  return {
    title: `${study.title}${study.isQuick ? ' (quick form)' : ''}`,
    headline: {
      level: 'info',
      text: describeSize(plan, steps.length),
      sentences: study.question ? [study.question] : [],
    },
    sections: sections.filter(own => own !== null),
    page: '',
  };
}

/** "6 variants × up to 8 steps × 3 repeats + 6 profiles: at most 150 cells, at most 1 h 3 min" @param {StudyPlan} plan @param {number} steps */
function describeSize({ study, variants, estimate }, steps) {
  const { untilSaturated, model } = study.load;
  const parts = [
    formatNumberOf(variants.length, 'variant'),
    `${untilSaturated ? 'up to ' : ''}${formatNumberOf(steps, 'step')}`,
    formatNumberOf(study.repeats, 'repeat'),
  ].join(' × ');
  const profile =
    study.record.profile === 'plateau' ? ` + ${formatNumberOf(variants.length, 'profile')}` : '';
  const bound = untilSaturated || model === 'burst' ? 'at most ' : 'about ';
  const time = formatDuration(estimate.seconds * 1000);
  return `${parts}${profile}: ${bound}${formatNumberOf(estimate.cells, 'cell')}, ${bound}${time}`;
}

/** One line for each thing that is the same in all cells. @param {Study} study @param {number[]} steps */
function describeEachCell({ load, warmUpSec, durationSec, settleSec, record }, steps) {
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
    ...(record.profile === 'plateau'
      ? ['once per variant, the step with the highest throughput is run again with the profiler']
      : []),
  ];
}
