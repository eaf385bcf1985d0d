/** Names of bottlenecks, their evidence, and advice. */
import {
  formatCores,
  formatCount,
  formatMs,
  formatNumberOf,
  formatPercent,
  formatRate,
  formatRoughShare,
} from '../format.js';
import {
  describeFullest,
  describeHost,
  describeIdle,
  describeMachine,
  describeMean,
  describeMost,
  describeOthers,
  describePart,
  describeUsers,
  describeWorkers,
  isOne,
} from './bottleneck-cpu.js';
import {
  compareSizes,
  describeNothingFull,
  describeStage,
  listStudyEvidence,
} from './bottleneck-study.js';
import { countComponent, labelComponent } from './components.js';
import { describeSign } from './generator-sign.js';
import { sayBetween, sayFix, sayFullest, sayHolders } from './resources.js';
import { say } from './say.js';
import { nameWait } from './waits.js';
import { capitalize, formatFew, joinWords, listEvidence, pair } from './words.js';

/** @import { Bottleneck, BottleneckFacts, BottleneckId, BottleneckTable, GeneratorLimit, Pressure, PressureTable } from '../facts/bottleneck.d.ts' */
/** @import { BottleneckText, Catalogue } from './text.d.ts' */

/** @type {Record<BottleneckId, (component: string | null) => string | null>} */
const NAMES = {
  workers: () => 'the CPU of its workers',
  gil: () => 'the GIL of its workers',
  machine: () => 'the CPU of the machine',
  component: component => `the CPU of ${labelComponent(component ?? 'a component')}`,
  stage: component => `the stage ${component}`,
  database: () => 'the database',
  'external-call': () => 'calls to other services',
  'child-process': () => 'child processes',
  slots: () => 'the number of its threads',
  pool: () => 'a pool of connections',
  lock: () => 'a lock',
  loop: () => 'a blocked event loop',
  consumer: () => 'the work of another thread',
  imbalance: () => 'the uneven spread of the work',
  quota: () => 'its CPU quota',
  connections: () => 'the number of connections',
  generator: () => 'the load generator',
  none: () => null,
  unknown: () => null,
};

/**
 * In the middle of a sentence: "the CPU of Redis", "a lock, or the number of its threads".
 * @param {Pick<Bottleneck, 'id' | 'component' | 'orElse'>} bottleneck
 * @returns {string | null} null if there is none, or it is not known
 */
export function nameBottleneck({ id, component, orElse }) {
  const name = NAMES[id](component);
  return name && orElse ? `${name}, or ${NAMES[orElse](null)}` : name;
}

/**
 * @param {Bottleneck} bottleneck
 * @returns {BottleneckText}
 */
export function sayBottleneck(bottleneck) {
  return {
    name: nameBottleneck(bottleneck) ?? (bottleneck.id === 'none' ? 'none reached' : 'not known'),
    title: sayTitle(bottleneck),
    detail: sayDetail(bottleneck),
    evidence: listEvidence(listFacts(bottleneck)),
    advice: ADVICE[bottleneck.id] ?? null,
  };
}

/** @param {Bottleneck} bottleneck @returns {string | null} */
function sayDetail(bottleneck) {
  const { id, facts, fix, resources, orElse } = bottleneck;
  if (id === 'none' && facts.isSaturated === false) return sayFullest(resources);
  if (id === 'unknown' && facts.why === 'queue')
    return 'A pool may need more items. Otherwise, let more threads fill the queue.';
  const parts = [orElse && sayBetween(bottleneck), fix && sayFix({ ...bottleneck, fix })];
  return parts.filter(Boolean).join(' ') || null;
}

/** @param {Pick<Bottleneck, 'id' | 'facts'>} bottleneck @returns {string} */
function sayTitle({ id, facts }) {
  const { why, study, host } = facts;
  if (why !== 'own' || !study?.own) return TITLES[id](facts);
  const used = host ? ` The machine used ${describeHost(host)}.` : '';
  return `The run with a profile shows: ${sayTitle(study.own)}${used}`;
}

/** @type {Partial<Record<BottleneckId, string>>} */
const ADVICE = {
  workers:
    'Make requests cheaper: the hot paths of a profile show where. Or add workers if the machine has idle cores, otherwise machines or pods.',
  gil: 'Add workers, not threads: `--workers` up to the number of idle cores.',
  database:
    'Find the slow queries (log_min_duration_statement, EXPLAIN, missing indexes), ask for less in each request, or cache results. More workers only send more queries at once.',
  'external-call':
    'Keep connections open, cache responses that rarely change, make independent calls at the same time, and set timeouts.',
  'child-process':
    'Call a library in the process instead of a program, or leave the work to a task queue. More workers only run more programs at once.',
  slots:
    'Add threads (`--threads`) or workers if what the threads wait for can serve more at once; a database on a machine without idle CPU cannot. Or shorten the waits.',
  pool: 'Make the pool as large as the number of threads, if the database or service allows that many connections. SQLAlchemy: `pool_size`; a queue: put more into it at the start. Return each connection earlier.',
  lock: 'Hold the lock for less of the work, or give each thread its own copy of the data. A semaphore may need a higher limit.',
  loop: 'Await the asynchronous counterpart of the call, or give it to a thread: `await asyncio.to_thread(…)`, or an endpoint of plain `def`.',
  connections:
    'Raise the number of connections that a worker serves at a time (`worker_connections`, `limit_concurrency`, `backlog`), or find out what keeps workers from starting requests.',
  consumer: 'Let more threads take work from the queue, or make each piece of work shorter.',
  imbalance:
    'Check how connections are spread over workers and instances: long ones stay where they were opened.',
};

/** @type {Catalogue<BottleneckTable, string>} */
const TITLES = {
  generator: facts => {
    const { generator, study, workers } = facts;
    const why = generator ? describeGenerator(generator) : '';
    if (study)
      return `The load generator was the bottleneck at step ${formatCount(generator?.step ?? null)} (${why}): the target takes at least ${formatRate(study.seenPerSec)}, and this study does not show how much more.`;
    const used = workers ? ` ${describeWorkers(facts)}.` : '';
    return `The load generator could not send more (${why}): this run does not show what the target can serve.${used}`;
  },
  workers: facts => {
    const cpu = facts.workers && isOne(facts.workers) ? 'its CPU' : 'their CPU';
    const machine = facts.isMachineFull
      ? `. No core is left for another worker: ${describeMachine(facts)}`
      : describeIdle(facts);
    return `${describeWorkers(facts)}: ${cpu} is the bottleneck${machine}.`;
  },
  gil: facts =>
    `${describeWorkers(facts)}, with ${Math.round(facts.workers?.threads ?? 0)} threads: Python runs one of them at a time (GIL)${describeIdle(facts)}.`,
  machine: facts => {
    const { workers, study, hasBackgroundLoad, choke } = facts;
    // in a pipeline workers only accept work
    const isAsked = workers !== null && !study?.stages.length && !hasBackgroundLoad;
    const next = isAsked ? '; no core is left for another worker' : '';
    const before = choke ? `; work piles up before the stage ${choke.name}` : '';
    return `${capitalize(describeMachine(facts))}${next}${before}${addUneven(facts)}.`;
  },
  component: facts => {
    const { name = '', cores = 0, mostCores, processes = 1 } = facts.fullPart ?? {};
    const used = mostCores
      ? `${formatCores(cores)} of the ${describeMost(mostCores)} that it can use`
      : `${formatCores(cores / processes)} of a core in ${processes < 1.5 ? 'its one process' : `each of its ${formatCount(processes)} processes`}`;
    return `${labelComponent(name)} used ${used}: its CPU is the bottleneck${describeIdle(facts)}.`;
  },
  stage: ({ choke, study }) => {
    if (!choke || !study) return '';
    const { stages, throughputPerSec } = study;
    const behind = stages
      .slice(stages.indexOf(choke) + 1)
      .map(stage => `${stage.name}: ${describeStage(stage)}`);
    const empty = behind.length > 0 ? `, almost nothing behind it (${behind.join(', ')})` : '';
    const piles =
      choke.isGrowing && choke.growthPerSec
        ? `+${formatRate(choke.growthPerSec.value)}`
        : `${formatCount(choke.meanBacklog)} wait all the time`;
    const servers = choke.servers === null ? '' : `, ${choke.servers} at a time`;
    return `Work piles up before the stage ${choke.name} (${piles})${empty}: it lets ${formatRate(throughputPerSec)} through${servers}${compareSizes(choke, study)}.`;
  },
  database: describeWaits,
  'external-call': describeWaits,
  'child-process': describeWaits,
  pool: facts => {
    const { of, threads = 0 } = facts.waits?.holders ?? {};
    const size = of === 'pool' ? `about ${formatBusy(threads)}` : 'not known; see where it is made';
    return `${describeWaits(facts)} Size of the pool, all workers together: ${size}.`;
  },
  lock: describeWaits,
  loop: ({ loopWaits, workers }) => {
    const [place] = loopWaits?.where ?? [];
    const where = place ? `: ${place.function} (${place.file}) waits there without \`await\`` : '';
    const whose = workers && isOne(workers) ? 'The event loop is' : 'The event loops are';
    const share = loopWaits ? formatRoughShare(loopWaits.share) : 'part';
    return `${whose} blocked ${share} of the time${where}, and all other requests of the worker wait.`;
  },
  consumer: facts =>
    `Requests wait ${describeWait(facts)}, but no request holds one: they wait for the work of another thread${describeBackground(facts, '. Busiest of these: ')}.`,
  slots: facts => {
    if (facts.why === 'served') return describeServed(facts);
    const { busySlots = 0, slots } = facts.waits ?? {};
    const taken =
      slots === 1 ? 'The only thread was' : `${formatBusy(busySlots)} of ${slots} threads were`;
    return `${taken} taken${describeMean(facts, ' while ')}: requests queue for a thread, and threads wait ${describeWait(facts)}.`;
  },
  connections: describeServed,
  imbalance: facts => {
    const { why, workers, waits } = facts;
    if (why === 'slots')
      return `All ${workers?.threads} threads of one worker were taken, but only ${formatBusy(waits?.busySlots ?? 0)} of the ${waits?.slots} threads of all ${formatCount(workers?.processes ?? 0)}. Connections stay with the worker that accepted them, and wait there while others are idle.`;
    if (why === 'busiest-worker' && workers)
      return `One worker used ${formatCores(workers.busiestCores)} of a core and ${describeOthers(workers)}: requests that wait for the busy one are not served by the idle ones.`;
    return `${capitalize(describeUneven(facts))}: the capacity of the others was unused.`;
  },
  quota: ({ quota, isSaturated }) => {
    const { roles = [], quotaCores = 0, share = 0 } = quota ?? {};
    const whose = roles.length > 0 ? joinWords(roles.map(labelComponent)) : 'the API';
    return `The CPU quota of ${whose}, ${describeMost(quotaCores)}, ran out in ${formatPercent(share)} of the scheduling periods${isSaturated ? ': it is the bottleneck' : ''}.`;
  },
  none: facts => {
    const { why, workers, waits, study, pressure } = facts;
    if (why === 'more-users')
      return `${describeWorkers(facts)}: worker CPU is not the bottleneck at this load; ${pressure ? sayPressure(pressure) : ''}, so more users would get more throughput.`;
    if (study)
      return `No bottleneck up to step ${formatCount(study.step)}, the highest: throughput still rose${describeFullest(facts, '; fullest: ')}.`;
    const parts = [
      workers && describeWorkers(facts),
      waits?.slots && `${formatFew(waits.busySlots)} of ${waits.slots} threads were taken`,
      'no queue grew',
    ];
    return `No bottleneck at this load: ${parts.filter(part => part).join(', ')}.`;
  },
  unknown: facts => {
    const { why, study, workers, isSaturated, waits, pressure } = facts;
    if (why === 'background-load')
      return `Background load saturated the CPU, so the bottleneck of the target is not known: ${describeMachine(facts)}${addUneven(facts)}.`;
    if (study) return describeNothingFull(facts, study);
    if (why === 'queue')
      return `Requests wait ${describeWait(facts)}. The samples do not show whether the queue is a pool, into which requests put back what they take, or another thread fills it${describeBackground(facts, ': ')}.`;
    const cpu = workers
      ? `${describeWorkers(facts)}: worker CPU is not the bottleneck at this load`
      : "Not enough data to name the bottleneck: the CPU time of the API's workers is not known";
    if (isSaturated === null)
      return `${cpu}; it is not known whether there is one (${pressure ? sayPressure(pressure) : ''}).`;
    const seen = waits
      ? ', and no wait of requests stands out'
      : '; waits of requests were not recorded';
    const but = pressure && isSaturated ? `. But ${sayPressure(pressure)}` : '';
    return `${cpu}${seen}${but}.`;
  },
};

/** Each a clause. @type {Catalogue<PressureTable, string>} */
const PRESSURES = {
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
  steady: () => 'responses did not get slower, and no user waited for long',
};

/** @param {Pressure} pressure */
function sayPressure(pressure) {
  return say(PRESSURES, pressure);
}

/** @param {Bottleneck} bottleneck @returns {Parameters<typeof listEvidence>[0]} */
function listFacts({ facts }) {
  const { pressure, host, parts, uneven, study, generator, workers, inFlight } = facts;
  return [
    ['load', pressure && sayPressure(pressure)],
    ['machine', host && `${describeHost(host)} in use: ${describeUsers(facts)}`],
    [
      'CPU pressure (some)',
      facts.crowdedShare != null && `${formatPercent(facts.crowdedShare)} of the time`,
    ],
    [
      'workers waited for a CPU, each',
      workers?.wanting &&
        workers.wanting.queuedShare >= 0.005 &&
        `at least ${formatPercent(workers.wanting.queuedShare)} of the time`,
    ],
    ...parts
      .filter(({ processes, mostCores }) => processes >= 1.5 || mostCores !== null)
      .map(part => pair(countComponent(part, study), describePart(part))),
    ...(study ? listStudyEvidence(study, study.own && sayTitle(study.own)) : []),
    ['requests under way for the clients', inFlight && describeInFlight(inFlight)],
    [
      `${uneven?.unit === 'cpuMs' ? 'CPU-ms' : 'requests'} per ${nameMember(facts)}`,
      uneven?.counts.map(formatCount).join(', '),
    ],
    ['generator', !study && generator && describeGenerator(generator)],
  ];
}

/** @param {NonNullable<BottleneckFacts['inFlight']>} inFlight */
function describeInFlight({ client, inside }) {
  const before = client - inside;
  if (before < 1) return formatFew(client);
  return `${formatFew(client)}, ${formatFew(before)} more than inside of workers: queued before the API (its listen backlog), or on the network`;
}

/** @param {GeneratorLimit} limit */
function describeGenerator({ sign, generatorCores, targetCores }) {
  if (sign) return describeSign(sign);
  return generatorCores === null
    ? 'it could not send more'
    : `the CPU was saturated, and the generator took ${formatCores(generatorCores)} cores of it, the target ${formatCores(targetCores)}`;
}

/** @param {BottleneckFacts} facts */
function nameMember({ uneven }) {
  return uneven?.of === 'workers' ? 'worker' : 'instance';
}

/** "one instance of 3 got all the work" @param {BottleneckFacts} facts */
function describeUneven(facts) {
  const { study, uneven } = facts;
  const { counts = [], unit } = uneven ?? {};
  const sum = counts.reduce((total, count) => total + count, 0);
  const most = Math.max(0, ...counts);
  const amount = most >= sum * 0.995 ? 'all' : `${formatPercent(most / Math.max(1, sum))} of`;
  const what = !study && unit === 'requests' ? `${formatCount(sum)} requests` : 'the work';
  return `one ${nameMember(facts)} of ${counts.length} got ${amount} ${what}`;
}

/** @param {BottleneckFacts} facts */
function addUneven(facts) {
  return facts.uneven?.of === 'backends' ? `; and ${describeUneven(facts)}` : '';
}

/** @param {BottleneckFacts} facts */
function describeWaits(facts) {
  return `Requests wait ${describeWait(facts)}${describeMean(facts, ', while ')}: that is the bottleneck${facts.why === 'queued' ? ', and more threads would wait as well' : ''}${describeHolders(facts)}.`;
}

/** @param {BottleneckFacts} facts */
function describeHolders({ waits }) {
  const waitsFor = waits?.kinds.find(({ id }) => id !== 'cpu')?.id;
  return waits?.holders && waits.holders.of === waitsFor ? `; ${sayHolders(waits.holders)}` : '';
}

/** A place with less of a wait is not the place of it. */
const MOST_OF_WAITS = 0.5;

/** "for a lock 93 % ± 2 of their time, in take (shop.py:12)" @param {BottleneckFacts} facts */
function describeWait({ waits }) {
  const kind = waits?.kinds.find(({ id }) => id !== 'cpu');
  if (!kind) return 'none of their time';
  const [place] = kind.where;
  const isOne = place?.line && place.share > MOST_OF_WAITS;
  const where = isOne ? `, in ${place.function} (${place.file}:${place.line})` : '';
  return `for ${nameWait(kind.id)} ${formatRoughShare(kind.share)} of their time${where}`;
}

/** "consume (jobs.py), 98 % of the time" @param {BottleneckFacts} facts @param {string} lead */
function describeBackground({ waits, workers }, lead) {
  if (!waits?.background) return '';
  const { function: name, file, threads } = waits.background;
  return `${lead}${name} (${file}), ${formatPercent(Math.min(1, threads / (workers?.processes ?? 1)))} of the time`;
}

/** @param {number} n */
function formatBusy(n) {
  return n < 0.1 ? '< 0.1' : n.toFixed(1);
}

/** @param {BottleneckFacts} facts */
function describeServed(facts) {
  if (!facts.served) return '';
  const { by, count, name, value, instances } = facts.served;
  const each = instances > 1 ? ` in each of ${instances}` : '';
  const few = `about ${count.toFixed(1)} are served at a time, and the others wait`;
  const text = {
    stuck: `only ${count.toFixed(1)} requests are in progress however many users there are, up to ${formatCount(facts.study?.mostStep ?? null)}: the others are queued before the API${name === null ? '' : ` (${name} is ${value})`}`,
    refused: `${formatPercent(count)} of the requests found no connection (${name})`,
    named: `${few}: ${name} is ${value}${each}`,
    server: `${few}: the workers start the others later`,
    threads: `${few}: the workers have ${value} (workers × threads)`,
  }[by];
  return `${capitalize(text)}${facts.isMachineFull ? '' : describeIdle(facts)}.`;
}
