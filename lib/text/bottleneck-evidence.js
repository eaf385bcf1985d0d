/** The evidence for a bottleneck. */
import {
  formatCores,
  formatCount,
  formatMs,
  formatNumberOf,
  formatPercent,
  formatRate,
} from '../base/format.js';
import { describeHost, describePart, describeRequestCpu, describeUsers } from './bottleneck-cpu.js';
import { listStudyEvidence } from './bottleneck-study.js';
import { countComponent } from './components.js';
import { describeSign } from './generator-sign.js';
import { say } from './say.js';
import { formatFew } from './words.js';

/** @import { BottleneckFacts, GeneratorLimit, PressureTable } from '../run/facts/bottleneck.d.ts' */
/** @import { Catalogue, Entry } from './text.d.ts' */

/**
 * @param {BottleneckFacts} facts
 * @param {string | null} title of the run with a profile, of a variant
 * @returns {Entry[]}
 */
export function listFacts(facts, title) {
  const { pressure, flat, host, parts, uneven, study, generator, workers, inFlight } = facts;
  return [
    ['load', pressure && say(PRESSURES, pressure)],
    [
      'with more users',
      flat && `${formatRate(flat.start.ratePerSec)} became ${formatRate(flat.end.ratePerSec)}`,
    ],
    ['machine', host && `${describeHost(host)} in use: ${describeUsers(facts)}`],
    [
      'CPU pressure (some)',
      facts.crowdedShare != null && `${formatPercent(facts.crowdedShare)} of the time`,
    ],
    ['time of a request on the CPU', facts.isMachineFull && describeRequestCpu(facts.requestCpu)],
    ['CPU of services here that it calls, per request', describeServices(facts)],
    [
      'workers waited for a CPU, each',
      workers?.wanting &&
        workers.wanting.queuedShare >= 0.005 &&
        `at least ${formatPercent(workers.wanting.queuedShare)} of the time`,
    ],
    ...parts
      .filter(({ processes, mostCores }) => processes >= 1.5 || mostCores !== null)
      .map(part => [countComponent(part, study), describePart(part)]),
    ...(study ? listStudyEvidence(study, title) : []),
    ['requests under way for the clients', inFlight && describeInFlight(inFlight)],
    [
      `${uneven?.unit === 'cpuMs' ? 'CPU-ms' : 'requests'} per ${nameMember(facts)}`,
      uneven?.counts.map(formatCount).join(', '),
    ],
    ['generator', !study && generator && describeGenerator(generator)],
  ];
}

/** Each a clause. @type {Catalogue<PressureTable, string>} */
export const PRESSURES = {
  messages: ({ replies }) =>
    `${formatNumberOf(replies, 'reply', 'replies')} to messages and no HTTP request: only request times show whether work queues`,
  short: ({ responses, seconds }) =>
    `${formatNumberOf(responses, 'response')} in ${formatNumberOf(seconds, 'second')} are too few`,
  waiting: ({ users, share }) =>
    `${formatNumberOf(users, 'user')} of a closed loop waited for a response ${formatPercent(share)} of the time`,
  dropped: ({ share }) =>
    `${formatPercent(share)} of the arrivals were dropped: maxVusers was reached`,
  timeouts: ({ count, tried }) =>
    `${formatCount(count)} of ${formatNumberOf(tried, 'request or message', 'requests and messages')} timed out`,
  slower: ({ startMs, endMs }) =>
    `the median response took ${formatMs(startMs)} at the start and ${formatMs(endMs)} at the end`,
  backlog: ({ start, end }) =>
    `${formatFew(start.inFlight)} requests in progress at ${formatRate(start.ratePerSec)} became ${formatFew(end.inFlight)} at ${formatRate(end.ratePerSec)}: a queue, or more expensive requests`,
  steady: () => 'responses did not get slower, and no user waited for long',
};

/** @param {NonNullable<BottleneckFacts['inFlight']>} inFlight */
function describeInFlight({ client, inside }) {
  const before = client - inside;
  if (before < 1) return formatFew(client);
  return `${formatFew(client)}, ${formatFew(before)} more than inside of workers: queued before the API (its listen backlog), or on the network`;
}

/** @param {GeneratorLimit} limit */
export function describeGenerator({ sign, generatorCores, targetCores }) {
  if (sign) return describeSign(sign);
  return generatorCores === null
    ? 'it could not send more'
    : `the CPU was saturated, and the generator took ${formatCores(generatorCores)} cores of it, the target ${formatCores(targetCores)}`;
}

/** @param {BottleneckFacts} facts */
const nameMember = ({ uneven }) => (uneven?.of === 'workers' ? 'worker' : 'instance');

/** "14 ms, 0.62 of 2 cores" @param {BottleneckFacts} facts */
function describeServices({ serviceCores, throughputPerSec, host }) {
  if (!serviceCores || !throughputPerSec) return null;
  return `${formatMs((1000 * serviceCores) / throughputPerSec)}, ${formatCores(serviceCores)}${host ? ` of ${host.cpus}` : ''} cores`;
}

/** "one instance of 3 got all the work" @param {BottleneckFacts} facts */
export function describeUneven(facts) {
  const { study, uneven } = facts;
  const { counts = [], unit } = uneven ?? {};
  const sum = counts.reduce((total, count) => total + count, 0);
  const most = Math.max(0, ...counts);
  const amount = most >= sum * 0.995 ? 'all' : `${formatPercent(most / Math.max(1, sum))} of`;
  const what = !study && unit === 'requests' ? `${formatCount(sum)} requests` : 'the work';
  return `one ${nameMember(facts)} of ${counts.length} got ${amount} ${what}`;
}
