/** Resources that requests hold and wait for, their holders, and the throughput without the bottleneck. */
import { formatPercent, formatRate } from '../base/format.js';
import { nameWait } from './waits.js';

/** @import { Bottleneck, BottleneckId, Fix, PathGain, Resource } from '../run/facts/bottleneck.d.ts' */
/** @import { PoolUse } from '../run/facts/load-report.d.ts' */
/** @import { Holders, RequestState } from '../run/facts/profile-report.d.ts' */

/** @type {Partial<Record<BottleneckId, string>>} */
const NAMES = {
  slots: 'threads for requests',
  loop: 'event loop',
  lock: 'lock',
  pool: 'connections of a pool',
  database: 'database',
  'external-call': 'other services',
  'child-process': 'child processes',
  workers: 'cores of the workers',
  gil: 'cores of the workers (GIL)',
  quota: 'cores of the quota',
  component: 'cores, by services here that it calls',
  machine: 'cores of the machine',
};

/** Of counted pools. @type {Record<PoolUse['kind'], string>} */
export const POOLS = {
  gthread: 'threads for requests',
  anyio: "threads under anyio's limiter",
  to_thread: "threads of the loop's executor (`asyncio.to_thread`)",
  executor: 'threads of an executor',
  processes: 'processes of a pool',
  semaphore: 'places of a semaphore',
  connections: 'connections of a pool',
};

/** @type {Partial<Record<RequestState, string>>} */
const DOES = {
  cpu: 'calculates',
  sleep: 'sleeps',
  'external-call': 'calls another service',
  'child-process': 'waits for a child process',
  other: 'works there',
};

/** Several pools of one kind have numbers, in the order of the table. @param {Resource} resource @param {Resource[]} all */
export function sayResource(resource, all) {
  const { id, of, holders } = resource;
  const alike = all.filter(one => of && one.of === of);
  const number = alike.length > 1 ? `, ${alike.indexOf(resource) + 1} of ${alike.length}` : '';
  const name = (of ? POOLS[of] : (NAMES[id] ?? id)) + number;
  return { name, holders: holders && sayHolders(holders) };
}

/** The resource with the highest utilisation. @param {Resource[]} resources @returns {string | null} */
export function sayFullest(resources) {
  const [fullest] = resources
    .filter(({ mostPerSec }) => mostPerSec !== null)
    .sort((a, b) => (b.utilisation ?? 0) - (a.utilisation ?? 0));
  if (!fullest) return null;
  const { id, utilisation, mostPerSec } = fullest;
  return `Most in use: ${NAMES[id] ?? id}, ${formatPercent(utilisation)}. With the same mix of requests, about ${formatRate(mostPerSec)} would saturate it.`;
}

/** Why it may be either of two, and the throughput that each allows. @param {Pick<Bottleneck, 'id' | 'orElse' | 'resources'>} bottleneck */
export function sayBetween({ id, orElse, resources }) {
  const bounds = resources.flatMap(resource =>
    [id, orElse].includes(resource.id) && resource.mostPerSec !== null
      ? [`${NAMES[resource.id]}: at most ${formatRate(resource.mostPerSec)}`]
      : [],
  );
  const both = bounds.length > 1 ? ` (${bounds.join('; ')})` : '';
  return `The samples of waiting requests do not show which of the two it is${both}; a longer run does.`;
}

/** "reserve (shop.py) has it and sleeps" @param {Holders} holders */
export function sayHolders({ function: name, file, doing: { id, share } }) {
  const does = DOES[id] ?? `waits for ${nameWait(id)}`;
  const part = share > 0.95 ? '' : ` ${formatPercent(share)} of the time`;
  return `${name} (${file}) holds it and ${does}${part}`;
}

/** The next limit. @type {Partial<Record<BottleneckId, string>>} */
const NEXT = {
  none: 'the number of users',
  slots: 'the number of threads',
  workers: 'the CPU of the workers',
  gil: 'the CPU of the workers',
  quota: 'the CPU quota',
  machine: 'the CPU of the machine',
  lock: 'the lock or the pool around it',
};

/** Other programs, which may have room. @type {BottleneckId[]} */
export const OUTSIDE = ['database', 'external-call', 'child-process'];

const LEFT = 'how much CPU other programs leave';
const OTHERS = `${LEFT}, and how connections spread over the workers`;

/** What would have to be known of a fix that may gain nothing. @type {Partial<Record<string, string>>} */
const UNKNOWN = {
  database: 'how many requests the database can serve at a time',
  'external-call': 'how many requests the service can serve at a time',
  'child-process': 'how long the program takes, and on how many cores',
  consumer: 'how many work for the requests, and how long each piece of work takes',
  wait: 'how much of this waiting a fix removes',
  sleep: 'whether it spaces requests out: then a run with twice as many users gets no more',
  workers: OTHERS,
};

/** How much larger it will be is not known. @type {Partial<Record<BottleneckId, string>>} */
const SIZED = { pool: 'place', slots: 'thread' };

/** What the prediction assumes, by bottleneck or rule. @type {Record<string, string>} */
const FIXED = {
  workers: 'With a worker process for each core',
  pool: 'With a larger pool',
  slots: 'With more threads',
  opening: 'With connections that stay open',
  wait: 'If no request had to wait there,',
  turns: 'If the service worked for all calls at once,',
};

/** @param {Bottleneck & {fix: Fix}} bottleneck */
export function sayFix({ component, facts, fix, resources, ...bottleneck }) {
  const id = bottleneck.id === 'gil' ? 'workers' : bottleneck.id;
  const { nowPerSec, afterPerSec, next, isMost, dependsOnSpread, isVague } = fix;
  const { value, low, high } = afterPerSec;
  const fixed = FIXED[facts.why ?? ''] ?? FIXED[id] ?? 'Without this bottleneck';
  const unit = facts.why !== 'opening' && SIZED[id];
  const { demandMs } = (unit && resources?.find(one => one.id === id && one.utilisation)) || {};
  const each = demandMs ? `, about ${formatRate(1000 / demandMs)} for each ${unit},` : '';
  const would = `${fixed}${each} ${isMost ? 'the target would serve' : 'the same users would get'}`;
  // Beside other programs, the model has the time in which workers wait for a core.
  const isBeside = facts.isMachineFull && facts.hasBackgroundLoad;
  const isShared = isBeside && NEXT[next] === NEXT.workers;
  const limit = isShared ? 'the CPU that other programs leave to the workers' : NEXT[next];
  const than = `instead of ${formatRate(nowPerSec)}; then ${limit} sets the limit.`;
  if (isVague || (low !== null && low <= nowPerSec)) {
    const known =
      facts.why !== 'turns' && UNKNOWN[component === 'partner' ? 'consumer' : (component ?? id)];
    const needed = dependsOnSpread
      ? 'how connections spread over the workers after a restart'
      : 'how much CPU a request takes once its worker is busy, and what it waits for can serve';
    const on = `it depends on ${known || needed}${isBeside && known !== OTHERS ? `, and on ${LEFT}` : ''}.`;
    if (isVague)
      return `What a fix brings is not known, from nothing to several times the rate: ${on}`;
    return `${would} at most ${formatRate(high)} ${than} The gain may be none: ${on}`;
  }
  const causes = [
    dependsOnSpread && 'how evenly connections spread over the workers',
    isBeside && LEFT,
  ].filter(Boolean);
  const why = causes.length > 0 ? `, by ${causes.join(' and ')}` : '';
  const range = high === null ? '' : ` (${formatRate(low)} to ${formatRate(high)}${why})`;
  return `${would}${isMost || each ? ' up to' : ''} about ${formatRate(value)}${range} ${than}`;
}

/** @param {PathGain} path */
export const sayPath = ({ kind, function: name, file }) => ({
  name,
  file,
  does: kind === 'cpu' ? 'CPU' : nameWait(kind),
});
