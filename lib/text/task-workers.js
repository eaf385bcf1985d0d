/** Task workers beside the API, in sentences. */
import { formatCores, formatMs, formatNumberOf, formatPercent } from '../format.js';
import { labelComponent } from './components.js';
import { capitalize } from './words.js';

/** @import { TaskWorkers } from '../facts/profile-report.d.ts' */

/** With a smaller part of the CPU time in samples, their shares may be of other tasks than most. */
const FEW_SEEN = 0.7;

/** @param {TaskWorkers} workers @returns {{title: string, sentences: string[]}} */
export function describeTaskWorkers(workers) {
  const { name, rootPids, ended, cpu, samples, samplesToCpu } = workers;
  const label = capitalize(labelComponent(name));
  return {
    title: `Beside the API: ${labelComponent(name)} workers`,
    sentences: [
      cpu ? describeCpu(cpu, label) : `${label}: CPU time was not recorded.`,
      ...describePer(workers, cpu?.isFull ?? false),
      ...(cpu?.isFull
        ? ['They are full: tasks may wait in the queue, however fast the API responds.']
        : []),
      samples && samples.active > 0
        ? `Shares are of ${formatNumberOf(samples.active, 'active sample')} of theirs; nothing of them is in the figures of the API.`
        : 'No sample shows one of them at work.',
      ...(samplesToCpu !== null && samplesToCpu < FEW_SEEN
        ? [
            `The samples represent ${formatPercent(samplesToCpu)} of their CPU time. A process that lives less than about 0.1 s may not be seen; RQ starts one for each job.`,
          ]
        : []),
      ...(ended > 0
        ? [
            `${ended} of ${formatNumberOf(rootPids.length, 'first process', 'first processes')} ended during the run.`,
          ]
        : []),
    ],
  };
}

/** @param {NonNullable<TaskWorkers['cpu']>} cpu @param {string} label */
function describeCpu({ cores, running, areBelow, coresEach }, label) {
  const who = formatNumberOf(Math.round(running), 'process', 'processes');
  const over = areBelow ? '; a first one hands them out' : '';
  return `${label}: ${formatCores(cores)} cores. Tasks run in ${who} at a time, which use ${formatCores(coresEach)} of a core each${over}.`;
}

/** @param {TaskWorkers} workers @param {boolean} isFull */
function describePer({ perRequest }, isFull) {
  if (!perRequest) return [];
  const { cpuMs, requests } = perRequest;
  const cost = `${isFull ? 'at least ' : ''}${formatMs(cpuMs)} of their CPU in that time`;
  return [
    `That is ${cost} per request of the whole API (${formatNumberOf(requests, 'request')}). Tasks that still waited at its end are not in it.`,
  ];
}
