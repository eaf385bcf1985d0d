/** Findings about the machine, the load generator, and what changed over the run. */
import { listPresent } from '../base/files/maps.js';
import {
  formatBytes,
  formatClock,
  formatCores,
  formatDuration,
  formatMs,
  formatNumberOf,
  formatPercent,
  formatRate,
  formatRoughShare,
} from '../base/format.js';
import { describeRequestCpu } from './bottleneck-cpu.js';
import { labelComponent, STEAL } from './components.js';
import { sayLimit } from './generator-sign.js';
import { nameWait } from './waits.js';
import { capitalize } from './words.js';

/** @import { FindingTable } from '../run/facts/findings.d.ts' */
/** @import { Catalogue, StatementWords } from './text.d.ts' */

/**
 * @type {Catalogue<Pick<FindingTable, 'generator-limit' | 'full-machine' | 'cpu-throttled' | 'child-processes' | 'task-workers-full' | 'spike' |
 *   'stall' | 'memory-growth' | 'worker-restarts'>, StatementWords>}
 */
export const MACHINE_FINDINGS = {
  'generator-limit': ({ sign, lagP99Ms, workers, hasRoom }) => ({
    title: `${capitalize(sayLimit(sign))}.`,
    detail:
      'It sent later or less than the script says, and its own delays are part of the latencies. A target that looks slow or full in such a run may be neither.',
    evidence: [
      ['users started late (p99)', lagP99Ms !== null && formatMs(lagP99Ms)],
      ...workers.map(({ worker, utilization, cores, gcMaxMs }) => [
        `worker ${worker}`,
        `${formatPercent(utilization)} busy, ${formatCores(cores)} of a core, longest garbage collection ${formatMs(gcMaxMs)}`,
      ]),
    ],
    advice:
      sign.id === 'starved'
        ? 'Run loadflame on another machine than the target, lower the rate, or let hooks of the script wait without blocking.'
        : sign.id === 'busy' && hasRoom
          ? `Give it more workers (\`--workers ${workers.length + 1}\`), lower the rate, or run it on another machine.`
          : 'Lower the rate, make hooks and captures of the script cheaper, or run loadflame on a larger machine of its own.',
  }),
  spike: ({ endpoint, perSec, lengthMs, afterMs, others, victims, first, wait }) => ({
    title: `A spike of ${endpoint} made ${victims} of ${formatNumberOf(others, 'other endpoint')} slower${first[0] ? `: p95 of ${first[0].endpoint} ${formatMs(first[0].p95Ms.outside)} → ${formatMs(first[0].p95Ms.during)}` : ''}.`,
    detail: `${formatDuration(afterMs)} after the start it got ${formatRate(perSec.spike)} for ${formatDuration(lengthMs)}, and ${formatRate(perSec.usual)} otherwise. The others got no more requests than before, and waited for what they share with it: slots of the workers, CPU, connections.`,
    evidence: [
      ...first.map(({ endpoint: name, p95Ms }) => [
        name,
        `p95 ${formatMs(p95Ms.outside)} → ${formatMs(p95Ms.during)}`,
      ]),
      [
        `time of requests in the whole run: ${wait && nameWait(wait.id)}`,
        wait &&
          `${formatRoughShare(wait.share)}${wait.where ? `, most of it in ${wait.where.function} (${wait.where.file})` : ''}`,
      ],
    ],
    advice: `Move what ${endpoint} waits for out of the request (a queue), or give it workers of its own.`,
  }),
  'full-machine': facts => {
    const { workerCores, generatorCores, pySpyCores, taskCores, childCores } = facts;
    const cores = (/** @type {number | null} */ own) => `${formatCores(own)} cores`;
    return {
      title: `${capitalize(describeFullMachine(facts))}.`,
      detail:
        facts.isDoubt === false
          ? 'Requests spent little of their time on the CPU or waiting for it, so this is not what limits them.'
          : 'Latency and throughput of this run are those of an overloaded machine. CPU time per request contains no waiting, but can be twice that of an idle machine: programs share its caches. What the API could serve alone does not follow from it.',
      evidence: [
        ['time of a request on the CPU', describeRequestCpu(facts.requestCpu)],
        ['API workers', cores(workerCores)],
        ['load generator', cores(generatorCores)],
        ['profiler', !!pySpyCores && cores(pySpyCores)],
        ['task workers', !!taskCores && cores(taskCores)],
        ['child processes of the workers', !!childCores && cores(childCores)],
        ['services here that it calls', !!facts.serviceCores && cores(facts.serviceCores)],
        ['background load', cores(facts.backgroundCores)],
        [STEAL, !!facts.stealCores && cores(facts.stealCores)],
      ],
      advice: isOutside(facts)
        ? isStolen(facts)
          ? 'Measure again on a machine with dedicated cores, or when its host is quiet.'
          : facts.mayServe?.length
            ? 'Stop programs here that do not work for the API, and measure again. What its database or another service uses belongs to the result.'
            : 'Stop other programs here and measure again.'
        : `${facts.isClosed ? 'Start fewer users' : 'Lower ARRIVAL_RATE'}, or run the API on another machine.`,
    };
  },
  'cpu-throttled': ({ quotaCores, share, throttledMs, pods }) => ({
    title: `${pods ? `Pod ${pods.most.name}` : 'The API'} ran into its CPU quota of ${formatCores(quotaCores)} cores in ${formatPercent(pods?.most.share ?? share)} of the scheduling periods.`,
    detail:
      'In such a period (usually 100 ms) the kernel paused it until the next one, in the middle of requests. Latency rises in steps of tens of milliseconds while CPU looks idle.',
    evidence: [
      [
        `periods with the quota used up${pods ? `, ${formatNumberOf(pods.of, 'pod')} together` : ''}`,
        formatPercent(share),
      ],
      ['paused in all', formatMs(throttledMs)],
    ],
    advice:
      'Raise the CPU limit of the container, or give it fewer workers; then lower the CPU per request.',
  }),
  'child-processes': ({ cores, workerCores, perRequestMs }) => ({
    title: `Processes that the workers start use ${formatCores(cores)} cores${perRequestMs === null ? '' : `, ${formatMs(perRequestMs)} of CPU per request`}. The workers themselves use ${formatCores(workerCores)}.`,
    detail:
      'These are programs that requests run, or process pools. The CPU time of workers, endpoints and hot paths does not include them.',
    advice:
      'The waits show which functions run them. If the program is the same each time, call a library in the process instead, or keep one process running.',
  }),
  'task-workers-full': ({ name, running, coresEach }) => ({
    title: `The ${labelComponent(name)} workers are full: ${formatCores(coresEach)} of a core each.`,
    detail:
      'Tasks may wait in the queue. Requests do not wait for them, so neither latency nor throughput of the API shows it.',
    evidence: [['processes that run tasks', running.toFixed(1)]],
    advice:
      'Make tasks cheaper (their hot paths show where), or add processes where cores are idle; look at the length of the queue.',
  }),
  stall: ({ startMs, endMs, afterMs, waited, p99Ms }) => ({
    title: `The target gave no response for ${formatDuration(endMs - startMs)} or more, ${formatDuration(afterMs)} after the start, while ${formatNumberOf(waited, 'request')} waited: p99 is ${formatMs(p99Ms.all)}, and ${formatMs(p99Ms.outside)} without it.`,
    detail: 'It was stopped, swapped out, or stuck in a call that did not return.',
    evidence: [['from, to (UTC)', `${formatClock(startMs)}–${formatClock(endMs)}`]],
    advice:
      'Look at the log and the machine of the API at that time: swapping, a paused container or virtual machine, a call without a timeout.',
  }),
  'memory-growth': facts => {
    const { workers, growing, lengthMs, bytesPerHour, bytesPerRequest, requested } = facts;
    const [worst] = workers;
    const { start = null, end = null } = worst?.rssBytes ?? {};
    const left =
      bytesPerRequest === null
        ? ''
        : `A request leaves ${formatBytes(bytesPerRequest)} behind on average. `;
    return {
      title: `The memory of ${formatNumberOf(growing, 'worker')} keeps growing: ${formatBytes(worst?.bytesPerMin ?? null)} a minute, from ${formatBytes(start)} to ${formatBytes(end)} in ${formatDuration(lengthMs)}.`,
      detail: `${left}The last third grows like the rest; a cache that is still filling would do the same. At this pace ${growing === 1 ? 'it' : 'they'} would need ${formatBytes(bytesPerHour)} more in an hour under this load.`,
      evidence: workers.map(({ pid, bytesPerMin, rssBytes }) => [
        `worker ${pid}`,
        `${formatBytes(rssBytes.start)} → ${formatBytes(rssBytes.end)}, ${formatBytes(bytesPerMin)} a minute`,
      ]),
      advice: `${requested > 1 ? 'To find the endpoint, request each alone (`loadflame test <address>`). ' : ''}Look for what is kept per request (module-level lists and dictionaries, unbounded caches); \`tracemalloc\` shows where it was allocated.${facts.isRecycled ? '' : ' Until then `--max-requests` with jitter limits the harm.'}`,
    };
  },
  'worker-restarts': ({ restarts, lost, reason, line, workers, startUp }) => ({
    title: `${describeRestarts(restarts, lost)} during the recording${reason ? `: ${RESTARTS[reason].why}` : ''}.`,
    detail: `${restarts === 0 ? 'Fewer workers served the rest of the load' : 'A new worker imports the application and warms its caches again'}; requests in the old one may have failed.`,
    evidence: [
      ["the API's log", line],
      ['loading the application', startUp && `${formatRoughShare(startUp)} of the CPU`],
      ...workers.map(({ pid, startedInRun, endedInRun }) => [
        `worker ${pid}`,
        [startedInRun && 'started', endedInRun && 'ended'].filter(Boolean).join(' and '),
      ]),
    ],
    advice: reason
      ? RESTARTS[reason].advice
      : "Check the server's log for a timeout (gunicorn: WORKER TIMEOUT) or a signal (memory). A limit of requests per worker restarts them on purpose (gunicorn: --max-requests).",
  }),
};

/** @param {number | null} restarts @param {number} lost */
function describeRestarts(restarts, lost) {
  if (restarts === null) return 'Workers were restarted';
  return listPresent(
    restarts > 0 && `${formatNumberOf(restarts, 'worker was', 'workers were')} restarted`,
    lost > 0 && `${formatNumberOf(lost, 'worker')} ended without a replacement`,
  ).join(' and ');
}

/** @param {FindingTable['full-machine']} facts */
const isStolen = ({ stealCores, backgroundCores }) => (stealCores ?? 0) > backgroundCores;

/** Other programs took more CPU than the load generator. @param {FindingTable['full-machine']} facts */
const isOutside = ({ backgroundCores, stealCores, generatorCores }) =>
  backgroundCores + (stealCores ?? 0) > generatorCores;

const SERVING = { database: 'the database', service: 'a service that the API calls' };

/** @param {FindingTable['full-machine']} facts */
function nameOthers(facts) {
  if (facts.mayServe?.length && !isStolen(facts))
    return `other programs, perhaps ${facts.mayServe.map(id => SERVING[id]).join(' or ')},`;
  return `${isStolen(facts) ? STEAL : 'background load'}, not part of this run,`;
}

/** @param {FindingTable['full-machine']} facts @returns {string} a clause */
export function describeFullMachine(facts) {
  const { hostCores, cpus, isBackground } = facts;
  const outside = nameOthers(facts);
  const why = isBackground
    ? `${outside} took most of it`
    : `${isOutside(facts) ? outside : 'the load generator'} and the API competed for CPU`;
  return `the CPU was saturated (${hostCores.toFixed(1)} of ${cpus} cores): ${why}`;
}

/** @type {Record<NonNullable<FindingTable['worker-restarts']['reason']>, {why: string, advice: string}>} */
const RESTARTS = {
  timeout: {
    why: 'it did not respond to its master within --timeout',
    advice:
      'Find what takes so long: a request of a sync worker may last --timeout (30 s) at most; threads (gthread) keep the worker responsive meanwhile.',
  },
  reload: {
    why: 'the server was reloaded',
    advice:
      'Find out who reloads it (a HUP to the master, a deployment, log rotation, --reload), and measure without that. If users must not notice it, load the application first (gunicorn: --preload), or replace instances one by one.',
  },
  killed: {
    why: 'it was killed, perhaps for its memory',
    advice: "Look at the memory of the workers over time, and at the container's limit.",
  },
  'max-requests': {
    why: '--max-requests ends workers on purpose',
    advice:
      'Give --max-requests a jitter, so that workers do not end at the same time, or leave it out here.',
  },
};
