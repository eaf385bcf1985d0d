/** Clauses about the bottleneck that need several steps of a study: stages, siblings, missing data. */
import { formatCount, formatNumberOf, formatPercent, formatRate } from '../base/format.js';
import { describeFullest } from './bottleneck-cpu.js';
import { describeSaturation } from './saturation.js';
import { joinWords } from './words.js';

/** @import { Entry } from './text.d.ts' */
/** @import { BottleneckFacts, Missing, StageFacts, StudyFacts } from '../run/facts/bottleneck.d.ts' */

/** @type {Record<Missing, string>} */
const TO_FIND_OUT = {
  components: 'name the processes of the target below `record: processes:`',
  host: 'the CPU time of the machine was not recorded',
  profile: '`record: {profile: plateau}` shows what requests wait for',
  'profiled-cell': 'the cell with a profile was not measured',
  'more-steps': 'measure more steps, at least three',
  'more-load': 'continue with more load',
};

/** Errors or dropped arrivals above this share are mentioned. */
const WORTH_SAYING = 0.01;

/**
 * @param {StudyFacts} study
 * @param {string | null} ownTitle of the run with a profile
 * @returns {Entry[]}
 */
export function listStudyEvidence(study, ownTitle) {
  const { step, stageStep, kneeInFlight, stuckInFlight } = study;
  return [
    ['throughput', describeSaturation(study.saturation)],
    ['judged at step', step !== null && formatCount(step)],
    ...study.stages.map(stage => [
      `waiting before ${stage.name}, step ${formatCount(stageStep)}`,
      describeStage(stage),
    ]),
    ...study.siblings.map(({ label, throughputPerSec }) => [label, formatRate(throughputPerSec)]),
    ['served at a time (X·R without waiting)', kneeInFlight?.toFixed(1)],
    ['in progress, however many users', stuckInFlight?.toFixed(1)],
    ['failed requests', study.errorRate > WORTH_SAYING && formatPercent(study.errorRate)],
    ['dropped arrivals', study.droppedRate > WORTH_SAYING && formatPercent(study.droppedRate)],
    ['the run with a profile', ownTitle],
  ];
}

/** @param {BottleneckFacts} facts @param {StudyFacts} study */
export function describeNothingFull(
  facts,
  { step, errors: [error], saturation, missing, kneeInFlight },
) {
  if (step === null)
    return `No step had good responses${error ? ` (${formatCount(error.count)} × ${error.name})` : ''}: the bottleneck is not known.`;
  const fullest = describeFullest(facts);
  const served = kneeInFlight ? `; about ${kneeInFlight.toFixed(1)} are served at a time` : '';
  const remedies = missing.map(id => TO_FIND_OUT[id]).join('; ');
  const seen = facts.isSaturated
    ? `Throughput levels off, but no recorded part is full${served}`
    : `The bottleneck is not known: ${describeSaturation(saturation)}`;
  return `${seen}${fullest}.${remedies ? ` To find out: ${remedies}.` : ''}`;
}

/** @param {StageFacts} stage */
export function describeStage({ isKnown, meanBacklog, growthPerSec, servers }) {
  if (!isKnown) return 'not known';
  const { value = 0 } = growthPerSec ?? {};
  const growth = value ? `, ${value < 0 ? '−' : '+'}${formatRate(Math.abs(value))}` : '';
  const at = servers === null ? '' : `, ${formatNumberOf(servers, 'server')}`;
  return `${formatCount(meanBacklog)} on average${growth}${at}`;
}

/**
 * If more servers bring no more throughput, their number is not the limit.
 * @param {StageFacts} choke @param {StudyFacts} study
 */
export function compareSizes({ servers }, { siblings, throughputPerSec }) {
  const more = siblings.filter(({ isMore }) => isMore);
  const isCeiling =
    (servers ?? 1) > 1 &&
    more.length > 0 &&
    more.every(one => one.isAlike || one.throughputPerSec < (throughputPerSec ?? 0));
  if (isCeiling)
    return `, and no more with ${joinWords(more.map(({ label }) => label))}: the limit is a shared resource, not their number`;
  const alike = siblings.flatMap(({ label, isAlike }) => (isAlike ? label : []));
  return alike.length > 0 ? `, as many as with ${joinWords(alike)}` : '';
}
