/** Clauses about CPU use, for the bottleneck of a run or a variant. */
import { formatCores, formatCount, formatMs, formatPercent } from '../base/format.js';
import { countComponent, labelComponent, STEAL } from './components.js';

/** @import { BottleneckFacts, Part } from '../run/facts/bottleneck.d.ts' */

/** @param {{processes: number}} part */
export const isOne = ({ processes }) => Math.round(processes) === 1;

/** Smaller shares of time without a core are not mentioned. */
const WORTH_QUEUED = 0.05;

/** "2 workers used 0.97 of a core each (the busiest 0.98)" @param {BottleneckFacts} facts */
export function describeWorkers({ workers, study }) {
  if (!workers) return 'Workers';
  const each = formatCores(workers.cores / workers.processes);
  const count = countComponent(workers, study);
  const used = isOne(workers)
    ? `${count} used ${each} of a core`
    : `${count} used ${each} of a core each (the busiest ${formatCores(workers.busiestCores)})`;
  const { queuedShare = 0 } = workers.wanting ?? {};
  return queuedShare < WORTH_QUEUED
    ? used
    : `${used} and waited for one at least ${formatPercent(queuedShare)} of the time`;
}

/** @param {Part} workers */
export const describeOthers = ({ leastCores, cores, busiestCores, processes }) =>
  leastCores === null
    ? `the other ${formatCount(processes - 1)} together ${formatCores(cores - busiestCores)}`
    : `another ${formatCores(leastCores)}`;

/** " while workers used 0.31 of a core each" @param {BottleneckFacts} facts @param {string} lead */
export function describeMean({ workers }, lead) {
  if (!workers) return '';
  return `${lead}workers used ${formatCores(workers.cores / workers.processes)} of a core each`;
}

/** ", while 1.20 of 4 cores were idle" @param {BottleneckFacts} facts */
export function describeIdle({ host }) {
  const idle = host ? host.cpus - host.cores : 0;
  return idle >= 0.2 ? `, while ${formatCores(idle)} of ${host?.cpus} cores were idle` : '';
}

/** @param {number} cores */
export const describeMost = cores => (cores === 1 ? 'one core' : `${cores} cores`);

/** @param {{cores: number, cpus: number}} host */
export const describeHost = ({ cores, cpus }) => `${formatCores(cores)} of ${cpus} cores`;

/** "the CPU is saturated, 1.98 of 2 cores: 2 workers 1.42, load generator 0.31" @param {BottleneckFacts} facts */
export function describeMachine(facts) {
  const { host, hasBackgroundLoad, study } = facts;
  const what = study ? 'study' : 'run';
  const doubt = hasBackgroundLoad
    ? ` (background load: not part of this ${what}, or not named in it)`
    : '';
  return `the CPU is saturated${host ? `, ${describeHost(host)}` : ''}: ${describeUsers(facts)}${doubt}`;
}

/**
 * "344 ms of 418 ms inside the server: 120 ms CPU, 224 ms waiting for a core"
 * @param {BottleneckFacts['requestCpu']} requestCpu
 */
export function describeRequestCpu(requestCpu) {
  if (!requestCpu) return null;
  const { cpuMs, queuedMs, responseMs, isInside } = requestCpu;
  // Threads also wait between requests, and others run beside one.
  const of = `${cpuMs + (queuedMs ?? 0) > responseMs ? ', partly outside of its' : ' of'} ${formatMs(responseMs)}${isInside ? ' inside the server' : ''}`;
  return queuedMs === null
    ? `${formatMs(cpuMs)} CPU${of}; how long it waited for a core is not known`
    : `${formatMs(cpuMs + queuedMs)}${of}: ${formatMs(cpuMs)} CPU, ${formatMs(queuedMs)} waiting for a core`;
}

/** Cores; components that use less are summed up. */
const WORTH_NAMING = 0.03;

/** Cores by component, largest first, the rest last. @param {BottleneckFacts} facts */
export function describeUsers(facts) {
  const { parts, study, generatorCores, profilerCores, childCores, restCores, stealCores } = facts;
  const named = [
    ...parts.map(part => ({ label: countComponent(part, study), cores: part.cores })),
    { label: 'load generator', cores: generatorCores ?? 0 },
    { label: 'profiler', cores: profilerCores ?? 0 },
    { label: 'child processes of the workers', cores: childCores ?? 0 },
    { label: 'services here that it calls', cores: facts.serviceCores ?? 0 },
    { label: STEAL, cores: stealCores ?? 0 },
  ].sort((a, b) => b.cores - a.cores);
  const small = named.reduce((sum, { cores }) => sum + (cores < WORTH_NAMING ? cores : 0), 0);
  const rest = restCores ?? 0;
  // The background is one figure wherever it is said: what is too small to be named is no part of it.
  const others = facts.hasBackgroundLoad
    ? [
        { label: `others of this ${study ? 'study' : 'run'}`, cores: small },
        { label: 'background load', cores: rest },
      ]
    : [{ label: 'everything else', cores: rest + small }];
  return [...named, ...others]
    .filter(({ cores }) => cores >= WORTH_NAMING)
    .map(user => `${user.label} ${formatCores(user.cores)}`)
    .join(', ');
}

/** @param {BottleneckFacts} facts */
export const addMachine = facts =>
  facts.isMachineFull
    ? `. No core is left for another worker: ${describeMachine(facts)}`
    : describeIdle(facts);

/** @param {BottleneckFacts} facts */
export function addRequestCpu({ requestCpu, cpuShare, waits }) {
  if (!requestCpu) return '';
  const { cpuMs, queuedMs, responseMs } = requestCpu;
  const isTurn = cpuShare === 1 && cpuMs + (queuedMs ?? Infinity) < responseMs / 2;
  const ofTurn = isTurn
    ? ` It mostly waited for its turn, which one request at a time has: the GIL, a lock, or a place in a pool${waits?.kinds.some(own => own.isBound) ? '; or for what it calls, which samples do not distinguish here' : ''}.`
    : '';
  return ` A request spent on it ${describeRequestCpu(requestCpu)}.${ofTurn}`;
}

/** @param {Part} part */
export function describePart({ cores, mostCores, processes, busiestCores, leastCores }) {
  const most = mostCores === null ? '' : `, of ${mostCores} at most`;
  const busiest =
    processes < 1.5
      ? ''
      : `, the busiest of ${formatCount(processes)} processes ${formatCores(busiestCores)}`;
  const least = leastCores === null ? '' : `, the least ${formatCores(leastCores)}`;
  return `${formatCores(cores)} cores${most}${busiest}${least}`;
}

/** "; fullest: the machine with 1.98 of 2 cores", closest to its limit @param {BottleneckFacts} facts */
export function describeFullest({ parts, host }) {
  const all = parts.map(({ name, cores, busiestCores, mostCores }) => ({
    use: mostCores ? cores / mostCores : Math.min(busiestCores, cores),
    text: mostCores
      ? `${labelComponent(name)} with ${formatCores(cores)} of the ${describeMost(mostCores)}`
      : `${labelComponent(name)} with ${formatCores(busiestCores)} of a core in its busiest process`,
  }));
  if (host)
    all.push({ use: host.cores / host.cpus, text: `the machine with ${describeHost(host)}` });
  const [fullest] = all.sort((a, b) => b.use - a.use);
  return fullest ? `; fullest: ${fullest.text}` : '';
}
