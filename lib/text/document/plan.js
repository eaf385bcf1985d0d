/** The plan of a study as a document, before anything is sent. */
import { formatDuration, formatNumberOf } from '../../base/format.js';
import { describeStopRule } from '../study-variant.js';
import { describeLoad, describeTimes } from '../study-words.js';
import { list, section } from './build.js';

/** @import { PlanOutline, StudyPlan } from '../../run/facts/study-records.d.ts' */
/** @import { Document } from './document.d.ts' */

const PROFILED =
  'once per variant, the step with the highest throughput is run again with the profiler';

/** @param {StudyPlan} plan @param {PlanOutline} outline @returns {Document} */
export function describePlan(plan, { steps, services }) {
  const { study, variants, seed } = plan;
  const { load } = study;
  const named = variants.map(({ label }, index) => [label, ...(services[index] ?? [])].join(', '));
  const sections = [
    section('variants', 'Variants', list(named)),
    section(
      'cell',
      'Each cell',
      list([
        describeLoad({ ...load, steps }, load.untilSaturated ? describeStopRule(load.stop) : null),
        describeTimes(load.model, study),
        `each repeat in a random order of the variants (seed ${seed})`,
        ...(study.record.profile === 'plateau' ? [PROFILED] : []),
      ]),
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
