/** What stops a variant from giving more: rules in order, the first that holds is told. */
import { formatCores, formatCount, formatPercent, formatRate } from '../../../format.js';
import { countComponent, labelComponent } from '../component-labels.js';
import { MACHINE_FULL } from '../generator-limit.js';
import { decomposeMachine, describeNextWorker } from './machine-words.js';
import { findServedAtATime, tellServed } from './served-rule.js';
import { findChoke, isChokeBehindFullMachine, tellStage } from './stage-rule.js';

/** @typedef {import('./limit-facts.d.ts').StudyLimitFacts} StudyLimitFacts */
/** @typedef {import('./limit-facts.d.ts').ComponentFact} ComponentFact */
/** @typedef {import('../../study-report.d.ts').StudyLimit} StudyLimit */

/** A component with a known number of cores is full; queueing grows with 1 ÷ (1 − utilisation). */
const FULL = 0.9;
/** Where throughput still rose, only what has next to nothing left is called the limit. */
const FULL_WHILE_RISING = 0.95;
/** Workers that use more than this of a core each are CPU-bound (design.md, what-if). */
const CPU_BOUND_CORES = 0.8;
/** So much of a core must be idle before one can say that another thread or worker would use it. */
const IDLE_CORES = 0.5;
/** Share of its periods in which a container was held back. */
const THROTTLED = 0.25;
/** One worker is full and the others have half of its work at most. */
const FULL_WORKER = 0.85;
/** A process with one thread is full from here on; with more, only where it uses a core and nothing else. */
const ONE_THREAD = [0.9, 1.05];
const ONE_OF_MANY = [0.95, 1.03];

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
      `${describeWorkers(facts)} though each has ${Math.round(facts.workers?.threads ?? 0)} threads: Python runs one of them at a time (GIL)${describeIdle(facts)}.`,
    names: () => 'workers',
  },
  {
    id: 'workers',
    holds: facts => {
      const { workers, host } = facts;
      if (!workers || !isWorkersFull(facts)) return false;
      if (!isFull(facts)) return true;
      // each has its core to itself, and there are fewer of them than cores
      return workers.cores / workers.processes >= FULL && workers.processes < (host?.cpus ?? 0);
    },
    tell: facts =>
      isFull(facts)
        ? `${describeWorkers(facts)}: that limits the throughput, and ${describeNextWorker(facts)} either: ${decomposeMachine(facts)}.`
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
      const isAsked = facts.workers !== null && facts.stages.length === 0;
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
        : `Whether anything limits it is not known: ${saturation.text}${fullest}`;
      return `${seen}.${missing.length > 0 ? ` To find out: ${missing.join('; ')}.` : ''}`;
    },
  },
];

/** @param {StudyLimitFacts} facts */
function isFull({ host }) {
  return host !== null && host.cores >= host.cpus * MACHINE_FULL;
}

/**
 * The load wants more than it gets; or, with too few steps to see that, a process of the target is full.
 * @param {StudyLimitFacts} facts
 */
function isWanting({ isPressed, components }) {
  return isPressed ?? components.some(({ busiestCores }) => busiestCores >= FULL_WORKER);
}

/** Of the cores in use, more were used by nobody in the study. @param {StudyLimitFacts} facts */
function isFullOfOthers({ components, otherCores, host }) {
  return components.length > 0 && host !== null && (otherCores ?? 0) > host.cores / 2;
}

/** On a full machine nothing is won by spreading work. @param {StudyLimitFacts} facts */
function hasRoom(facts) {
  return !isFull(facts);
}

/** @param {StudyLimitFacts} facts */
function idleCores({ host }) {
  return host ? Math.max(0, host.cpus - host.cores) : 0;
}

/** @param {StudyLimitFacts} facts @returns {ComponentFact | null} */
function findFullComponent({ components, isPressed, host }) {
  const full = isPressed === false ? FULL_WHILE_RISING : FULL;
  const capped = components.filter(({ mostCores }) => mostCores !== null && mostCores > 0);
  const fullest = capped
    .filter(({ cores, mostCores }) => cores >= full * (mostCores ?? 0))
    .sort((a, b) => b.cores / (b.mostCores ?? 1) - a.cores / (a.mostCores ?? 1))[0];
  if (fullest) return fullest;
  if (isPressed === false) return null;
  return components.find(component => isOneCoreEach(component, host)) ?? null;
}

/**
 * A core for each process and no more: one thread of it does the work. Where there are as many of them
 * as cores, it is the machine that is full.
 * @param {ComponentFact} component @param {StudyLimitFacts['host']} host
 */
function isOneCoreEach({ name, mostCores, cores, processes, threads }, host) {
  if (name === 'workers' || mostCores !== null || (host && processes >= host.cpus)) return false;
  const [low = 0, high = 0] = threads < 1.5 ? ONE_THREAD : ONE_OF_MANY;
  const each = cores / processes;
  return each >= low && each <= high;
}

/** @param {number} cores */
function describeMost(cores) {
  return cores === 1 ? 'one core' : `${cores} cores`;
}

/** @param {ComponentFact} component */
function describeFull({ cores, mostCores, processes }) {
  if (mostCores !== null)
    return `${formatCores(cores)} of the ${describeMost(mostCores)} that it can use`;
  const each = formatCores(cores / processes);
  return processes < 1.5
    ? `${each} of a core in its one process`
    : `${each} of a core in each of its ${formatCount(processes)} processes`;
}

/** @param {StudyLimitFacts} facts */
function isWorkersFull({ workers, isPressed }) {
  if (!workers) return false;
  const each = workers.cores / workers.processes;
  return each > (isPressed === false ? FULL_WHILE_RISING : CPU_BOUND_CORES);
}

/** @param {StudyLimitFacts} facts */
function isOneWorkerFull({ workers }) {
  if (!workers || workers.processes < 2) return false;
  const others = (workers.cores - workers.busiestCores) / (workers.processes - 1);
  return workers.busiestCores >= FULL_WORKER && others <= workers.busiestCores / 2;
}

/** @param {StudyLimitFacts} facts */
function describeWorkers({ workers, stages }) {
  if (!workers) return 'Workers';
  const each = formatCores(workers.cores / workers.processes);
  const busiest = formatCores(workers.busiestCores);
  return Math.round(workers.processes) === 1
    ? `The one ${stages.length > 0 ? 'API worker' : 'worker'} used ${each} of a core`
    : `${countComponent(workers, { stages })} used ${each} of a core each (the busiest ${busiest})`;
}

/** " while 1.2 of 4 cores are idle" @param {StudyLimitFacts} facts */
function describeIdle(facts) {
  const idle = idleCores(facts);
  return facts.host && idle >= 0.2
    ? `, while ${formatCores(idle)} of ${facts.host.cpus} cores are idle`
    : '';
}

/** @param {StudyLimitFacts} facts */
function describeMachineIdle(facts) {
  const { host } = facts;
  if (!host) return '';
  return ` The machine used ${formatCores(host.cores)} of ${host.cpus} cores.`;
}

/** "; one backend of 3 got all the work" @param {StudyLimitFacts} facts */
function addUneven(facts) {
  if (facts.uneven?.of !== 'backends') return '';
  return `; and ${tellUneven(facts).replace(/^O(.*):.*$/, 'o$1')}`;
}

/** @param {StudyLimitFacts} facts */
function tellUneven({ uneven }) {
  const counts = uneven?.counts ?? [];
  const sum = counts.reduce((total, count) => total + count, 0);
  const most = Math.max(0, ...counts);
  const amount = most >= sum * 0.995 ? 'all' : formatPercent(most / Math.max(1, sum));
  const kind = uneven?.of === 'workers' ? 'worker' : 'backend';
  return `One ${kind} of ${counts.length} got ${amount === 'all' ? 'all' : `${amount} of`} the work: what the others could serve was not used.`;
}

/** @param {StudyLimitFacts['quota']} quota */
function listRoles(quota) {
  const words = (quota?.roles ?? []).map(labelComponent).join(' and ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The part with the least left, in words. @param {StudyLimitFacts} facts */
function findNearest({ components, host }) {
  const parts = components
    .filter(({ processes }) => processes > 0)
    .map(component => ({
      use: component.mostCores
        ? component.cores / component.mostCores
        : Math.min(component.busiestCores, component.cores),
      text: component.mostCores
        ? `${labelComponent(component.name)} with ${formatCores(component.cores)} of the ${describeMost(component.mostCores)}`
        : `${labelComponent(component.name)} with ${formatCores(component.busiestCores)} of a core in its busiest process`,
    }));
  if (host)
    parts.push({
      use: host.cores / host.cpus,
      text: `the machine with ${formatCores(host.cores)} of ${host.cpus} cores`,
    });
  return parts.sort((a, b) => b.use - a.use)[0]?.text ?? null;
}
