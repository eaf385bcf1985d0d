/** Clauses about CPU use, for the bottleneck of a run or a variant. */
import { formatCores, formatCount, formatPercent } from '../format.js';
import { countComponent, labelComponent, STEAL } from './components.js';

/** @import { BottleneckFacts, Part } from '../facts/bottleneck.d.ts' */

/** @param {{processes: number}} part */
export function isOne({ processes }) {
  return Math.round(processes) === 1;
}

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
export function describeOthers({ leastCores, cores, busiestCores, processes }) {
  return leastCores === null
    ? `the other ${formatCount(processes - 1)} together ${formatCores(cores - busiestCores)}`
    : `another ${formatCores(leastCores)}`;
}

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
export function describeMost(cores) {
  return cores === 1 ? 'one core' : `${cores} cores`;
}

/** @param {{cores: number, cpus: number}} host */
export function describeHost({ cores, cpus }) {
  return `${formatCores(cores)} of ${cpus} cores`;
}

/** "the CPU is saturated, 1.98 of 2 cores: 2 workers 1.42, load generator 0.31" @param {BottleneckFacts} facts */
export function describeMachine(facts) {
  const { host, hasBackgroundLoad, study } = facts;
  const what = study ? 'study' : 'run';
  const doubt = hasBackgroundLoad
    ? ` (background load: not part of this ${what}, or not named in it)`
    : '';
  return `the CPU is saturated${host ? `, ${describeHost(host)}` : ''}: ${describeUsers(facts)}${doubt}`;
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
    { label: STEAL, cores: stealCores ?? 0 },
  ].sort((a, b) => b.cores - a.cores);
  const small = named.reduce((sum, { cores }) => sum + (cores < WORTH_NAMING ? cores : 0), 0);
  const label = facts.hasBackgroundLoad ? 'background load' : 'everything else';
  return [...named, { label, cores: (restCores ?? 0) + small }]
    .filter(({ cores }) => cores >= WORTH_NAMING)
    .map(user => `${user.label} ${formatCores(user.cores)}`)
    .join(', ');
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

/** The component closest to its limit. @param {BottleneckFacts} facts @param {string} lead */
export function describeFullest({ parts, host }, lead) {
  const all = parts.map(({ name, cores, busiestCores, mostCores }) => ({
    use: mostCores ? cores / mostCores : Math.min(busiestCores, cores),
    text: mostCores
      ? `${labelComponent(name)} with ${formatCores(cores)} of the ${describeMost(mostCores)}`
      : `${labelComponent(name)} with ${formatCores(busiestCores)} of a core in its busiest process`,
  }));
  if (host)
    all.push({ use: host.cores / host.cpus, text: `the machine with ${describeHost(host)}` });
  const [fullest] = all.sort((a, b) => b.use - a.use);
  return fullest ? `${lead}${fullest.text}` : '';
}
