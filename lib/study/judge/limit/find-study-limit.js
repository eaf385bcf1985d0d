/** What stops a variant from giving more, with the numbers that say so. */
import { formatCores, formatCount, formatPercent, formatRate } from '../../../format.js';
import { countComponent } from '../component-labels.js';
import { STUDY_LIMIT_RULES } from './limit-rules.js';
import { listParts } from './machine-words.js';

/** @import { StudyLimit } from '../../study-report.d.ts' */
/** @import { StudyLimitFacts } from './limit-facts.d.ts' */

/** Errors or skipped arrivals above this share are part of the answer. */
const WORTH_TELLING = 0.01;

/** @param {StudyLimitFacts} facts @returns {StudyLimit} */
export function findStudyLimit(facts) {
  const rule = STUDY_LIMIT_RULES.find(({ holds }) => holds(facts));
  if (!rule) throw new Error('the last rule always holds');
  return {
    id: rule.id,
    component: rule.names?.(facts) ?? null,
    text: rule.tell(facts),
    evidence: listEvidence(facts, rule.id),
  };
}

/** Where CPU is the limit the bottleneck law says what another machine for the generator would bring. */
const OF_CPU = new Set(['workers', 'machine', 'component', 'gil']);

/** @param {StudyLimitFacts} facts @param {StudyLimit['id']} id @returns {StudyLimit['evidence']} */
function listEvidence(facts, id) {
  const { saturation, point, host, components, generatorCores, stages, stageStep } = facts;
  const { siblings, served, stuckInFlight, own, errorRate, skippedRate, aloneBoundPerSec, uneven } =
    facts;
  const evidence = [
    { label: 'throughput', value: saturation.text },
    point && { label: 'judged at step', value: formatCount(point.step) },
    host && {
      label: 'machine',
      value: `${formatCores(host.cores)} of ${host.cpus} cores in use: ${listParts(facts)
        .map(({ label, cores }) => `${label} ${formatCores(cores)}`)
        .join(', ')}`,
    },
    ...components
      .filter(({ processes, mostCores }) => processes >= 1.5 || mostCores !== null)
      .map(component => ({
        label: countComponent(component, facts),
        value: [
          `${formatCores(component.cores)} cores${component.mostCores === null ? '' : `, of ${component.mostCores} at most`}`,
          component.processes >= 1.5 &&
            `the busiest of ${formatCount(component.processes)} processes ${formatCores(component.busiestCores)}`,
        ]
          .filter(Boolean)
          .join(', '),
      })),
    generatorCores !== null &&
      host && {
        label: 'load generator on the same machine',
        value: `${formatCores(generatorCores)} cores (${formatPercent(generatorCores / host.cpus)} of it)`,
      },
    aloneBoundPerSec !== null &&
      OF_CPU.has(id) && {
        label: 'with the generator elsewhere',
        value: `at most ${formatRate(aloneBoundPerSec)} (bottleneck law)`,
      },
    ...stages.map(({ name, meanBacklog, growthPerSec, servers }) => ({
      label: `waiting before ${name}${stageStep === null ? '' : `, step ${formatCount(stageStep)}`}`,
      value: `${formatCount(meanBacklog)} on average${growthPerSec ? `, ${growthPerSec.value < 0 ? '−' : '+'}${formatRate(Math.abs(growthPerSec.value))}` : ''}${servers === null ? '' : `, ${servers} at work at a time`}`,
    })),
    ...siblings.map(({ label, throughputPerSec }) => ({
      label,
      value: formatRate(throughputPerSec),
    })),
    uneven && {
      label: `work per ${uneven.of === 'workers' ? 'worker' : 'backend'}`,
      value: uneven.counts.map(formatCount).join(', '),
    },
    served !== null && {
      label: 'served at a time (X·R without waiting)',
      value: served.toFixed(1),
    },
    stuckInFlight !== null && {
      label: 'under way, with more users the same',
      value: stuckInFlight.toFixed(1),
    },
    errorRate > WORTH_TELLING && { label: 'failed requests', value: formatPercent(errorRate) },
    skippedRate > WORTH_TELLING && { label: 'skipped arrivals', value: formatPercent(skippedRate) },
    own && { label: 'the run with a profile', value: own.text },
  ];
  return evidence.filter(item => item !== null && item !== false);
}
