/** A pipeline's choke point: work piles up before it, and nothing waits behind it. */
import { formatCount, formatRate } from '../../../format.js';
import { findLimitingStage } from '../../model/find-limiting-stage.js';
import { isMachineFull } from '../generator-limit.js';
import { joinWords } from '../words.js';

/** @import { StageFact, StudyLimitFacts } from './limit-facts.d.ts' */

/** A stage whose own process has a core to itself needs no more of the machine. */
const OWN_CORE = 0.9;
/** And one whose processes use less of a core together sleeps more than it waits for CPU. */
const HARDLY_ANY = 0.3;
/** Processes of the API, which may be called as a stage is. */
const OF_GUNICORN = new Set(['workers', 'master']);
/** Rates of variants that are this near to each other are one rate. */
const ALIKE = 0.15;

/**
 * What stands before a stage says that the stage is at its end only where more load brings no more:
 * a few wait at times below that, too. What grows says it always.
 * @param {Pick<StudyLimitFacts, 'stages' | 'isPressed'>} facts @returns {StageFact | null}
 */
export function findChoke({ stages, isPressed }) {
  const limiting = findLimitingStage(stages);
  if (limiting?.kind === 'standing' && isPressed !== true) return null;
  return stages.find(({ name }) => name === limiting?.name) ?? null;
}

/**
 * On a full machine a stage may be slow only because others take its CPU; not so where it uses all that
 * one thread can, or hardly any.
 * @param {StudyLimitFacts} facts
 */
export function isChokeBehindFullMachine(facts) {
  if (!isMachineFull(facts.host)) return false;
  const stage = findChoke(facts)?.name ?? '';
  const own = facts.components.find(
    ({ name }) => !OF_GUNICORN.has(name) && (name === stage || name.endsWith(`-${stage}`)),
  );
  if (!own) return true;
  const hasItsCore = own.processes < 1.5 && own.busiestCores >= OWN_CORE;
  return !hasItsCore && own.cores >= HARDLY_ANY;
}

/** @param {StudyLimitFacts} facts */
export function tellStage(facts) {
  const choke = findChoke(facts);
  if (!choke || !facts.point) return '';
  const rate = facts.point.throughputPerSec.value;
  const behind = facts.stages.slice(facts.stages.indexOf(choke) + 1);
  const empty =
    behind.length > 0
      ? `, and next to nothing waits behind it (${behind.map(describeLevel).join(', ')})`
      : '';
  const servers =
    choke.servers === null
      ? ''
      : choke.servers === 1
        ? ', one at a time'
        : `, ${choke.servers} at a time`;
  return `Work piles up before the stage ${choke.name} (${describeGrowth(choke)})${empty}: it lets ${formatRate(rate)} through${servers}${describeSiblings(facts, rate)}.`;
}

/** @param {StageFact} stage */
function describeGrowth({ slope, meanBacklog }) {
  return slope && (slope.low ?? 0) > 0
    ? `+${formatRate(slope.value)}`
    : `${formatCount(meanBacklog)} wait all the time`;
}

/** @param {StageFact} stage */
function describeLevel({ name, meanBacklog, isKnown }) {
  if (!isKnown) return `${name}: not known`;
  return `${name}: ${meanBacklog < 9.95 ? meanBacklog.toFixed(1) : formatCount(meanBacklog)} on average`;
}

/** That the rate is the same however many work behind it. @param {StudyLimitFacts} facts @param {number} rate */
function describeSiblings({ siblings }, rate) {
  const alike = siblings.filter(
    ({ throughputPerSec }) => Math.abs(throughputPerSec / rate - 1) <= ALIKE,
  );
  return alike.length > 0 ? `, and as many with ${joinWords(alike.map(({ label }) => label))}` : '';
}
