/** What stops a variant from giving more: rules in order, the first that holds is told. */
import { formatCores, formatCount, formatPercent, formatRate } from '../../../format.js';
import { labelComponent } from '../component-labels.js';
import { capitalize } from '../words.js';
import {
  findFullComponent,
  hasRoom,
  idleCores,
  isFull,
  isFullOfOthers,
  isOneWorkerFull,
  isWanting,
  isWorkersFull,
} from './limit-tests.js';
import {
  addUneven,
  describeFull,
  describeIdle,
  describeMachineIdle,
  describeWorkers,
  findNearest,
  listRoles,
  tellUneven,
} from './limit-words.js';
import { decomposeMachine, describeNextWorker, hasOthers } from './machine-words.js';
import { findServedAtATime, tellServed } from './served-rule.js';
import { findChoke, isChokeBehindFullMachine, tellStage } from './stage-rule.js';

/** @typedef {import('./limit-facts.d.ts').StudyLimitFacts} StudyLimitFacts */
/** @typedef {import('../../study-report.d.ts').StudyLimit} StudyLimit */

/** Where throughput still rose, only what has next to nothing left is called the limit. */
const FULL_WHILE_RISING = 0.95;
/** Workers that have a core to themselves. */
const OWN_CORE = 0.9;
/** So much of a core must be idle before one can say that another thread would use it. */
const IDLE_CORES = 0.5;
/** Share of its periods in which a container was held back. */
const THROTTLED = 0.25;

/** What a run's own report can know better than CPU times: what its requests wait for. */
const WAITS = new Set(['database', 'external-call', 'pool', 'lock', 'slots']);

/**
 * @type {{
 *   id: StudyLimit['id'],
 *   holds: (facts: StudyLimitFacts) => boolean,
 *   tell: (facts: StudyLimitFacts) => string,
 *   names?: (facts: StudyLimitFacts) => string | null,
 * }[]}
 */
export const STUDY_LIMIT_RULES = [
  {
    id: 'generator',
    holds: ({ sign }) => sign !== null,
    tell: ({ sign, seenPerSec }) =>
      `The load generator was the limit at step ${formatCount(sign?.step ?? null)} (${sign?.text}): the target takes at least ${formatRate(seenPerSec)}, and what it can take does not follow from this study.`,
  },
  {
    id: 'unknown',
    holds: ({ point }) => point === null,
    tell: ({ errors }) =>
      `Nothing was answered well at any step${errors[0] ? ` (${formatCount(errors[0].count)} × ${errors[0].name})` : ''}: what limits it can not be told.`,
  },
  {
    id: 'stage',
    holds: facts => findChoke(facts) !== null && !isChokeBehindFullMachine(facts),
    tell: tellStage,
    names: facts => findChoke(facts)?.name ?? null,
  },
  {
    id: 'quota',
    holds: ({ quota, isPressed }) =>
      quota !== null && quota.share >= THROTTLED && isPressed !== false,
    tell: ({ quota, isPressed }) =>
      `${listRoles(quota)} may use ${quota?.quotaCores} cores and were held back at that in ${formatPercent(quota?.share ?? null)} of the time${isPressed ? ': the quota limits the throughput' : ''}.`,
    names: ({ quota }) => quota?.roles[0] ?? null,
  },
  {
    id: 'imbalance',
    holds: facts => facts.uneven?.of === 'backends' && isWanting(facts) && hasRoom(facts),
    tell: tellUneven,
  },
  {
    id: 'connections',
    holds: facts => facts.stuckInFlight !== null && findServedAtATime(facts) !== null,
    tell: tellServed,
  },
  {
    id: 'component',
    holds: facts => findFullComponent(facts) !== null,
    tell: facts => {
      const full = findFullComponent(facts);
      if (!full) return '';
      return `${labelComponent(full.name)} used ${describeFull(full)}: its CPU limits the throughput${describeIdle(facts)}.`;
    },
    names: facts => findFullComponent(facts)?.name ?? null,
  },
  {
    id: 'gil',
    holds: facts =>
      isWorkersFull(facts) && (facts.workers?.threads ?? 1) >= 2 && idleCores(facts) >= IDLE_CORES,
    tell: facts =>
      `${describeWorkers(facts)} though ${(facts.workers?.processes ?? 1) < 1.5 ? 'it' : 'each'} has ${Math.round(facts.workers?.threads ?? 0)} threads: Python runs one of them at a time (GIL)${describeIdle(facts)}.`,
    names: () => 'workers',
  },
  {
    id: 'workers',
    holds: facts => {
      const { workers, host } = facts;
      if (!workers || !isWorkersFull(facts)) return false;
      if (!isFull(facts)) return true;
      // each has its core to itself, and there are fewer of them than cores
      return workers.cores / workers.processes >= OWN_CORE && workers.processes < (host?.cpus ?? 0);
    },
    tell: facts =>
      isFull(facts)
        ? `${describeWorkers(facts)}: that limits the throughput, and ${hasOthers(facts) ? '' : `${describeNextWorker(facts)} either: `}${decomposeMachine(facts)}.`
        : `${describeWorkers(facts)}: that limits the throughput${describeIdle(facts)}.`,
    names: () => 'workers',
  },
  {
    id: 'unknown',
    holds: facts => isFull(facts) && isFullOfOthers(facts),
    tell: facts =>
      `The machine was full, and most of it was used by others than the target and the generator: what limits the target can not be told. ${decomposeMachine(facts, { isSentence: true })}${addUneven(facts)}.`,
  },
  {
    id: 'machine',
    holds: facts =>
      isFull(facts) &&
      (facts.isPressed !== false ||
        (facts.host?.cores ?? 0) >= FULL_WHILE_RISING * (facts.host?.cpus ?? 0)),
    tell: facts => {
      const choke = findChoke(facts);
      // in a pipeline they only take work in
      const isAsked = facts.workers !== null && facts.stages.length === 0 && !hasOthers(facts);
      const next = isAsked ? `: ${describeNextWorker(facts)}` : '';
      return `${decomposeMachine(facts, { isSentence: true })}${next}${choke ? `; what waits piles up before the stage ${choke.name}` : ''}${addUneven(facts)}.`;
    },
  },
  {
    id: 'imbalance',
    holds: facts =>
      (facts.uneven?.of === 'workers' && isWanting(facts)) ||
      (facts.isPressed !== false && isOneWorkerFull(facts)),
    tell: facts =>
      isOneWorkerFull(facts)
        ? `One worker used ${formatCores(facts.workers?.busiestCores ?? null)} of a core and the other ${formatCount((facts.workers?.processes ?? 1) - 1)} together ${formatCores((facts.workers?.cores ?? 0) - (facts.workers?.busiestCores ?? 0))}: what waits for the busy one is not served by the idle ones.`
        : tellUneven(facts),
    names: () => 'workers',
  },
  ...[...WAITS].map(id => ({
    id: /** @type {StudyLimit['id']} */ (id),
    holds: (/** @type {StudyLimitFacts} */ { own, isPressed }) =>
      isPressed !== false && own?.id === id,
    tell: (/** @type {StudyLimitFacts} */ facts) =>
      `The run with a profile says: ${facts.own?.text}${describeMachineIdle(facts)}`,
  })),
  {
    id: 'slots',
    holds: facts => findServedAtATime(facts)?.id === 'slots',
    tell: tellServed,
    names: () => 'workers',
  },
  {
    id: 'connections',
    holds: facts => findServedAtATime(facts)?.id === 'connections',
    tell: tellServed,
  },
  {
    id: 'none',
    holds: ({ isPressed }) => isPressed === false,
    tell: facts => {
      const nearest = findNearest(facts);
      return `Nothing limits it up to step ${formatCount(facts.point?.step ?? null)}, the highest: throughput still rose${nearest ? `; nearest to its end ${nearest}` : ''}.`;
    },
  },
  {
    id: 'unknown',
    holds: () => true,
    tell: facts => {
      const { isPressed, saturation, missing, served } = facts;
      const nearest = findNearest(facts);
      const fullest = nearest ? ` (fullest: ${nearest})` : '';
      const seen = isPressed
        ? `Throughput levels off, and no part that was recorded is full${fullest}${served ? `; about ${served.toFixed(1)} are served at a time` : ''}`
        : `${saturation.state === 'unknown' ? capitalize(saturation.text) : `Whether anything limits it is not known: ${saturation.text}`}${fullest}`;
      return `${seen}.${missing.length > 0 ? ` To find out: ${missing.join('; ')}.` : ''}`;
    },
  },
];
