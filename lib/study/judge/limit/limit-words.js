/** Parts of the sentences that tell a limit. */
import { formatCores, formatCount, formatPercent } from '../../../format.js';
import { countComponent, labelComponent } from '../component-labels.js';
import { capitalize } from '../words.js';
import { idleCores } from './limit-tests.js';

/** @import { ComponentFact, StudyLimitFacts } from './limit-facts.d.ts' */

/** @param {number} cores */
function describeMost(cores) {
  return cores === 1 ? 'one core' : `${cores} cores`;
}

/** @param {ComponentFact} component */
export function describeFull({ cores, mostCores, processes }) {
  if (mostCores !== null)
    return `${formatCores(cores)} of the ${describeMost(mostCores)} that it can use`;
  const each = formatCores(cores / processes);
  return processes < 1.5
    ? `${each} of a core in its one process`
    : `${each} of a core in each of its ${formatCount(processes)} processes`;
}

/** @param {StudyLimitFacts} facts */
export function describeWorkers({ workers, stages }) {
  if (!workers) return 'Workers';
  const each = formatCores(workers.cores / workers.processes);
  const busiest = formatCores(workers.busiestCores);
  return Math.round(workers.processes) === 1
    ? `The one ${stages.length > 0 ? 'API worker' : 'worker'} used ${each} of a core`
    : `${countComponent(workers, { stages })} used ${each} of a core each (the busiest ${busiest})`;
}

/** " while 1.2 of 4 cores are idle" @param {StudyLimitFacts} facts */
export function describeIdle(facts) {
  const idle = idleCores(facts);
  return facts.host && idle >= 0.2
    ? `, while ${formatCores(idle)} of ${facts.host.cpus} cores are idle`
    : '';
}

/** @param {StudyLimitFacts} facts */
export function describeMachineIdle(facts) {
  const { host } = facts;
  if (!host) return '';
  return ` The machine used ${formatCores(host.cores)} of ${host.cpus} cores.`;
}

/** "; one backend of 3 got all the work" @param {StudyLimitFacts} facts */
export function addUneven(facts) {
  if (facts.uneven?.of !== 'backends') return '';
  return `; and ${tellUneven(facts).replace(/^O(.*):.*$/, 'o$1')}`;
}

/** @param {StudyLimitFacts} facts */
export function tellUneven({ uneven }) {
  const counts = uneven?.counts ?? [];
  const sum = counts.reduce((total, count) => total + count, 0);
  const most = Math.max(0, ...counts);
  const amount = most >= sum * 0.995 ? 'all' : formatPercent(most / Math.max(1, sum));
  const kind = uneven?.of === 'workers' ? 'worker' : 'backend';
  return `One ${kind} of ${counts.length} got ${amount === 'all' ? 'all' : `${amount} of`} the work: what the others could serve was not used.`;
}

/** @param {StudyLimitFacts['quota']} quota */
export function listRoles(quota) {
  return capitalize((quota?.roles ?? []).map(labelComponent).join(' and '));
}

/** The part with the least left, in words. @param {StudyLimitFacts} facts */
export function findNearest({ components, host }) {
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
