/** Task workers beside the API, in sentences. */
import { listPresent } from '../base/files/maps.js';
import { formatCores, formatMs, formatNumberOf, formatPercent } from '../base/format.js';
import { labelComponent } from './components.js';
import { capitalize } from './words.js';

/** @import { TaskWorkers } from '../run/facts/profile-report.d.ts' */

/** If samples cover a smaller part of the CPU time, they may show other tasks than most. */
const FEW_SEEN = 0.7;

/** @param {TaskWorkers} workers @returns {{title: string, sentences: string[]}} */
export function describeTaskWorkers({ name, cpu, perRequest, samples, samplesToCpu }) {
  const label = labelComponent(name);
  const { cores = null, running = 0, coresEach = null, isFull = false } = cpu ?? {};
  const who = formatNumberOf(Math.round(running), 'process', 'processes');
  const sentences = listPresent(
    cpu
      ? `${capitalize(label)}: ${formatCores(cores)} cores. Tasks run in ${who} at a time, which use ${formatCores(coresEach)} of a core each.`
      : `${capitalize(label)}: CPU time was not recorded.`,
    perRequest &&
      `That is ${isFull ? 'at least ' : ''}${formatMs(perRequest.cpuMs)} of their CPU in that time per request of the whole API (${formatNumberOf(perRequest.requests, 'request')}). Tasks that were still waiting at its end are not included.`,
    isFull && 'They are full: tasks may wait in the queue, however fast the API responds.',
    samples && samples.active > 0
      ? `Shares are of ${formatNumberOf(samples.active, 'active sample')} of theirs; the figures of the API do not include them.`
      : 'No sample shows one of them at work.',
    samplesToCpu !== null &&
      samplesToCpu < FEW_SEEN &&
      `The samples represent ${formatPercent(samplesToCpu)} of their CPU time. A process that lives for less than about 0.1 s may be missing; RQ starts one for each job.`,
  );
  return { title: `Beside the API: ${label} workers`, sentences };
}
