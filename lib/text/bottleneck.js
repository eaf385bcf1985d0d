/** Names of bottlenecks, their titles, and advice. */
import { listPresent } from '../base/files/maps.js';
import {
  formatCores,
  formatCount,
  formatPercent,
  formatPlace,
  formatRate,
  formatRoughShare,
} from '../base/format.js';
import {
  addMachine,
  addRequestCpu,
  describeFullest,
  describeHost,
  describeIdle,
  describeMachine,
  describeMean,
  describeMost,
  describeOthers,
  describeWorkers,
  isOne,
} from './bottleneck-cpu.js';
import { describeGenerator, describeUneven, listFacts, PRESSURES } from './bottleneck-evidence.js';
import { compareSizes, describeNothingFull, describeStage } from './bottleneck-study.js';
import {
  describeBackground,
  describePool,
  describeServed,
  describeWait,
  describeWaits,
  findAct,
  formatBusy,
  MOST_OF_WAITS,
  sayLocking,
  sayLockingToo,
  sayTurns,
  sayTurnsUnknown,
  sayWait,
  WORTH_SAYING,
} from './bottleneck-waits.js';
import { labelComponent } from './components.js';
import { OUTSIDE, POOLS, sayBetween, sayFix, sayFullest } from './resources.js';
import { listEvidence, say } from './say.js';
import { GREEN_ADVICE, sayHow } from './waits.js';
import { capitalize, formatFew, joinWords } from './words.js';

/** @import { Bottleneck, BottleneckFacts, BottleneckId, BottleneckTable, LockingStatement } from '../run/facts/bottleneck.d.ts' */
/** @import { PoolUse } from '../run/facts/load-report.d.ts' */
/** @import { ThreadPool } from '../run/facts/profile-report.d.ts' */
/** @import { WaitAct } from '../run/facts/rules.d.ts' */
/** @import { BottleneckText, Catalogue } from './text.d.ts' */

/** @type {Record<BottleneckId, (component: string | null) => string | null>} */
const NAMES = {
  workers: () => 'the CPU of its workers',
  gil: () => 'the GIL of its workers',
  machine: () => 'the CPU of the machine',
  component: component => `the CPU of ${labelComponent(component ?? 'a component')}`,
  stage: component => `the stage ${component}`,
  database: kind =>
    kind === 'partner'
      ? 'the work of another process'
      : `${kind ? 'connecting to ' : ''}the database`,
  'external-call': () => 'calls to other services',
  'child-process': () => 'child processes',
  slots: () => 'the number of its threads',
  pool: kind =>
    kind
      ? `the number of ${POOLS[/** @type {PoolUse['kind']} */ (kind)]}`
      : 'a pool of connections',
  lock: kind => (kind === 'pipe' ? 'writes to a full pipe or a slow file' : 'a lock'),
  loop: () => 'a blocked event loop',
  consumer: () => 'the work of another thread or task',
  wait: kind => (kind === 'sleep' ? 'a sleep of the API itself' : 'one wait of requests'),
  imbalance: () => 'the uneven spread of the work',
  quota: () => 'its CPU quota',
  connections: kind =>
    kind === 'front' ? 'a queue in front of the server' : 'the number of connections',
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
  const own = bottleneck.facts.study?.own ?? null;
  return {
    name: nameBottleneck(bottleneck) ?? (bottleneck.id === 'none' ? 'none reached' : 'not known'),
    title: sayTitle(bottleneck),
    detail: sayDetail(bottleneck),
    evidence: listEvidence(listFacts(bottleneck.facts, own && sayTitle(own))),
    advice: chooseAdvice(bottleneck),
  };
}

/** Bottlenecks that may be a queue for a core. @type {BottleneckId[]} */
const DOUBTED = ['loop', 'lock', 'pool', 'consumer', 'slots', 'imbalance', 'connections', 'wait'];

/** @param {Bottleneck} bottleneck @returns {string | null} */
function sayDetail(bottleneck) {
  const { id, facts, fix, resources, orElse } = bottleneck;
  if (id === 'none' && facts.isSaturated === false) return sayFullest(resources);
  if (id === 'unknown' && facts.why === 'queue')
    return 'A pool may need more items. Otherwise, let more threads fill the queue.';
  const isDoubt = facts.isCpuDoubt && facts.requestCpu && [...DOUBTED, ...OUTSIDE].includes(id);
  const isStarved = id !== 'generator' && !facts.study && facts.generator;
  const parts = [
    isStarved && `The load generator was held back, too: ${describeGenerator(isStarved)}.`,
    isDoubt && `In doubt, because the CPU is saturated.${addRequestCpu(facts)}`,
    orElse && sayBetween(bottleneck),
    fix && sayFix({ ...bottleneck, fix }),
  ];
  return parts.filter(Boolean).join(' ') || null;
}

/** @param {Pick<Bottleneck, 'id' | 'facts'>} bottleneck @returns {string} */
function sayTitle({ id, facts }) {
  const { why, study, host } = facts;
  if (why !== 'own' || !study?.own) return TITLES[id](facts);
  const used = host ? ` The machine used ${describeHost(host)}.` : '';
  return `The run with a profile shows: ${sayTitle(study.own)}${used}`;
}

/** Advice for a bottleneck, and better advice where the wait is known. @type {Partial<Record<BottleneckId | WaitAct | LockingStatement['by'] | 'front' | 'held' | 'sleep' | 'refused' | 'turns' | 'db-lock', string>>} */
const ADVICE = {
  'db-lock':
    'Begin the transaction later and end it earlier: no calls and no calculation while it holds the lock. Or lock less: other rows, other keys, one atomic UPDATE. An index or a faster statement gains nothing.',
  'row-write':
    'If all requests write one row, such as a counter: end the transaction soon after the write, write less often, or use several rows. `wait_event_type` in `pg_stat_activity` says Lock or IO. A disk: put several rows into one commit.',
  message: 'Let more processes do that work, or make each piece of work shorter.',
  front:
    'Look first at what stands before the server: limits of a proxy (nginx: `limit_req`, `limit_conn`, `max_conns`; HAProxy: `maxconn`), then the listen backlog (`ss -lt`). Then raise the connections that a worker serves at a time (gunicorn: `worker_connections`, uvicorn: `--limit-concurrency`). More threads gain nothing.',
  connection:
    'A connection executes one statement at a time: give each thread its own, or take one from a pool. A faster statement helps less.',
  wait: 'See what the call in that line waits for, and whether each request needs it. What the response does not need, a task queue can do.',
  sleep:
    "If the sleep is a rate limit of the API's own, raise it, or refuse at once what is above it. A loop that sleeps until something is ready delays each request by up to its pause: wait for an event, or sleep for less. If that is a lock, such as one in Redis, hold it for less of the work. A pause between tries: find out why they fail. A status 429 means a quota: send fewer calls, or ask for more of them.",
  'file-lock':
    'All processes share the lock on a file. Hold it for less of the work, lock a file for each thing, or leave the order to a database.',
  import:
    'Import once, at the top of a module. Python lets one thread import a module while others wait.',
  'cached-property':
    'Before Python 3.12, instances of the class share this lock, so they calculate the property one after the other. Use a later Python, or store the value in an attribute without a lock.',
  refused:
    'A quota of the service refuses calls (status 429): send fewer, or ask for more of them. What the response does not need, a task queue can try again.',
  turns:
    'Let the service work for several calls at once: more workers, threads or cores. Or call it less: keep what rarely changes, ask for several things in one call.',
  future:
    'Let more threads or processes do that work: those of an executor (`max_workers`; cores limit what it calculates), or your own behind a queue. Or make each piece of work shorter. More threads for requests would only wait for it, too.',
  connect:
    'Requests open connections: keep them open. To a database: take them from a pool with one for each thread (Django: `CONN_MAX_AGE`), or from PgBouncer. To a service: use one client or session for all requests.',
  pipe: 'The reader of the pipe, or the disk, is slower than the requests: make it faster, or write less. What the response does not need, a thread with a queue (`logging.handlers.QueueHandler`) can write.',
  workers:
    'Make requests cheaper: the hot paths of a profile show where. Or add workers if the machine has idle cores, otherwise machines or pods.',
  gil: 'Add worker processes, not threads, up to the number of idle cores. Waitress and CherryPy have one process: start several, behind a proxy.',
  database:
    'Find the slow queries (PostgreSQL: log_min_duration_statement, then EXPLAIN ANALYZE; Redis: SLOWLOG, no KEYS), ask for less in each request, or cache results. More workers only send more queries at once.',
  'external-call':
    'Keep connections open, cache responses that rarely change, make independent calls at the same time, and set timeouts.',
  'child-process':
    'Call a library in the process instead of a program. What the response does not need, a task queue can do. More workers only run more programs at once.',
  pool: 'Make the pool as large as the number of requests that a worker serves at a time, if the other end allows that many connections. SQLAlchemy: `pool_size`; a queue: put more into it at the start. Return each connection earlier.',
  lock: 'Hold the lock for less of the work: what is done under it sets the rate. Or use a lock for each thing that it protects. A semaphore may need a higher limit.',
  held: 'Make the call outside of the lock. It sets the rate there, so a shorter one helps, too. If the lock protects a connection, use several: one for each thread or task, or a pool.',
  loop: 'Await the asynchronous counterpart of the call, or give it to a thread: `await asyncio.to_thread(…)`, in FastAPI and Starlette also an endpoint of plain `def`.',
  connections:
    'Raise the number of connections that a worker serves at a time (gunicorn: `worker_connections`, uvicorn: `--limit-concurrency`). Or that a proxy lets through (`limit_conn`, `max_conns`).',
  consumer:
    'Let more threads or tasks take work from the queue. Or make each piece of work shorter, and any sleep in it.',
  imbalance:
    'Check how connections are spread over workers and instances: long ones stay where they were opened.',
};

/** Advice for counted pools. @type {Partial<Record<PoolUse['kind'], string>>} */
const OF_POOL = {
  executor: `${ADVICE.future} That of \`asyncio.to_thread\` has min(32, cores + 4) threads, unless \`loop.set_default_executor(…)\` sets another.`,
  processes: ADVICE.future,
  semaphore:
    'What is done in these places sets the rate: make it shorter. A semaphore may need a higher limit, if what it protects can serve more at once.',
};

/** How to get more threads. @type {Record<ThreadPool | 'workers' | 'greenlets', string>} */
const MORE_THREADS = {
  workers: 'Add threads (gunicorn: `--threads`) or workers',
  anyio:
    'Raise the limit of anyio, at the start of the application: `anyio.to_thread.current_default_thread_limiter().total_tokens`. Do so',
  executor:
    'Make the executor larger: `max_workers`, or `loop.set_default_executor(…)` for the one of `to_thread`, which has min(32, cores + 4) threads. Do so',
  waitress: 'Add threads (`--threads`)',
  cheroot: 'Add threads (`numthreads`)',
  greenlets:
    'Make that pool larger (gevent: `maxsize`, or `GEVENT_THREADPOOL` for that of its hub)',
};

/** What who has the lock does. @type {Partial<Record<string, 'pipe' | 'held'>>} */
const OF_HOLDER = { file: 'pipe', database: 'held', 'external-call': 'held' };

const LONGEST = ' The longest wait in samples, with waits for a core: ';

/** @type {(wait: BottleneckFacts['longestWait']) => wait is NonNullable<BottleneckFacts['longestWait']>} */
const isLong = wait => wait !== null && wait.share.value >= MOST_OF_WAITS;
/** @type {typeof isLong} */
const isWorthSaying = wait => wait !== null && wait.share.value >= WORTH_SAYING;

/** @param {Bottleneck} bottleneck */
function chooseAdvice({ id, facts }) {
  const { longestWait, waits, locking, fullPool } = facts;
  const { by, name } = facts.served ?? {};
  // The server itself has the port of the target.
  if (id === 'connections' && by === 'server' && name !== '') return ADVICE.front ?? null;
  if (id === 'database' && locking) return ADVICE[locking.by] ?? ADVICE['db-lock'] ?? null;
  if (id === 'pool' && fullPool) return OF_POOL[fullPool.kind] ?? ADVICE.pool ?? null;
  const ofServer = waits && !waits.slots && !fullPool ? 'greenlets' : 'workers';
  const counted =
    fullPool?.kind === 'anyio' ? 'anyio' : fullPool?.kind === 'to_thread' ? 'executor' : ofServer;
  if (id === 'slots' && facts.why === 'opening') return `${ADVICE.connect} More threads help less.`;
  if (id === 'slots')
    return `${MORE_THREADS[waits?.poolOf ?? counted]} if what the threads wait for can serve more at once; a database on a machine without idle CPU cannot. Or shorten the waits.`;
  if (id === 'gil' && facts.isMachineFull) return ADVICE.workers ?? null;
  const { kind, place } = longestWait ?? {};
  const sleep = (facts.refusedShare ?? 0) >= WORTH_SAYING ? 'refused' : 'sleep';
  if (id === 'wait' || (id === 'none' && kind === 'sleep' && isLong(longestWait)))
    return ADVICE[kind === 'sleep' ? sleep : (place?.as ?? id)] ?? ADVICE.wait ?? null;
  if (id === 'loop' && facts.loopWaits?.isGreen) return GREEN_ADVICE;
  if (facts.why === 'refused' || facts.why === 'turns') return ADVICE[facts.why] ?? null;
  const act = findAct(id === 'consumer' ? 'lock' : id, facts)?.place?.as;
  const opens = id === 'external-call' && facts.openedPerCall ? 'connect' : id;
  const holds = (id === 'lock' && OF_HOLDER[waits?.holders?.doing.id ?? id]) || opens;
  return ADVICE[act ?? holds] ?? null;
}

/** @param {BottleneckFacts} facts */
const sayRefused = ({ refusedShare }) =>
  refusedShare
    ? ` ${formatPercent(refusedShare)} of the calls to other services got status 429, which means a quota.`
    : '';

/** @type {Catalogue<BottleneckTable, string>} */
const TITLES = {
  generator: facts => {
    const { generator, study, workers } = facts;
    const why = generator ? describeGenerator(generator) : '';
    if (study)
      return `The load generator was the bottleneck at step ${formatCount(generator?.step ?? null)} (${why}): the target takes at least ${formatRate(study.seenPerSec)}, and this study does not show how much more.`;
    const used = workers ? ` ${describeWorkers(facts)}.` : '';
    return `The load generator could not send more (${why}): this run does not show what the target can serve.${used}${sayLockingToo(facts)}`;
  },
  workers: facts =>
    `${describeWorkers(facts)}: ${facts.workers && isOne(facts.workers) ? 'its' : 'their'} CPU is the bottleneck${addMachine(facts)}.`,
  gil: facts =>
    `${describeWorkers(facts)}, with ${Math.round(facts.workers?.threads ?? 0)} threads: Python runs one of them at a time (GIL)${addMachine(facts)}.`,
  machine: facts => {
    const { workers, study, hasBackgroundLoad, choke, longestWait } = facts;
    // in a pipeline workers only accept work
    const isAsked = workers !== null && !study?.stages.length && !hasBackgroundLoad;
    const alone = facts.why === 'alone' && hasBackgroundLoad;
    const also = alone ? '; without other programs, its requests would saturate it, too' : '';
    const next = isAsked ? '; no core is left for another worker' : also;
    const before = choke ? `; work piles up before the stage ${choke.name}` : '';
    return `${capitalize(describeMachine(facts))}${next}${before}${addUneven(facts)}.${addRequestCpu(facts)}${isWorthSaying(longestWait) ? `${LONGEST}${sayWait(longestWait)}.` : ''}`;
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
  database: facts => `${describeWaits(facts, 'database')}${sayLocking(facts)}`,
  'external-call': facts =>
    facts.why === 'turns' && facts.turns
      ? sayTurns(facts.turns)
      : `${describeWaits(facts)}${sayRefused(facts)}${facts.openedPerCall ? ` That includes ${formatFew(facts.openedPerCall)} new connections per call.` : ''}${sayTurnsUnknown(facts)}`,
  'child-process': facts => describeWaits(facts, 'child-process'),
  pool: facts => {
    if (facts.fullPool) return describePool(facts);
    const { holders, suspended } = facts.waits ?? {};
    const known = holders?.of === 'pool' && suspended === 0 ? holders : null;
    const size = known ? `about ${formatBusy(known.threads)}` : 'not known; see where it is made';
    return `${describeWaits(facts, 'pool')} Size of the pool, all workers together: ${size}.`;
  },
  lock: facts => describeWaits(facts, 'lock'),
  loop: ({ loopWaits, workers }) => {
    const [at] = loopWaits?.where ?? [];
    const place = at && `: ${at.function} (${formatPlace(at)}) waits there ${sayHow(loopWaits)}`;
    const whose = workers && isOne(workers) ? 'The event loop is' : 'The event loops are';
    const share = loopWaits ? formatRoughShare(loopWaits.share) : 'part';
    return `${whose} blocked ${share} of the time${place ?? ''}, and all other requests of the worker wait.`;
  },
  consumer: facts => {
    const { why, longestWait, waits } = facts;
    const busiest = describeBackground(facts, '. Busiest of these: ');
    return why === 'task' && longestWait
      ? `Requests wait ${sayWait(longestWait)}${busiest}.`
      : `Requests wait ${describeWait(waits?.kinds)}, but no request holds one: they wait for the work of another thread${busiest}.`;
  },
  wait: facts =>
    `Requests wait ${facts.longestWait ? sayWait(facts.longestWait) : ''}${describeMean(facts, ', while ')}: that is the bottleneck.${sayRefused(facts)}`,
  slots: facts => {
    if (facts.why === 'served') return describeServed(facts);
    if (facts.fullPool) return describePool(facts);
    const { busySlots = 0, slots, kinds } = facts.waits ?? {};
    if (slots === null)
      return `Requests wait ${describeWait(kinds)}${describeMean(facts, ', while ')}: all of its threads were taken.`;
    const taken =
      slots === 1 ? 'The only thread was' : `${formatBusy(busySlots)} of ${slots} threads were`;
    return `${taken} taken${describeMean(facts, ' while ')}: requests queue for a thread, and threads wait ${describeWait(facts.kindsInside)}.`;
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
    const { why, workers, waits, study, pressure, longestWait } = facts;
    if (why === 'more-users')
      return `${describeWorkers(facts)}: worker CPU is not the bottleneck at this load; ${pressure ? say(PRESSURES, pressure) : ''}, so more users would get more throughput.`;
    if (study)
      return `No bottleneck up to step ${formatCount(study.step)}, the highest: throughput still rose${describeFullest(facts)}.`;
    return `No bottleneck at this load: ${listPresent(
      workers && describeWorkers(facts),
      !!waits?.slots && `${formatFew(waits.busySlots)} of ${waits.slots} threads were taken`,
      isLong(longestWait) && `requests waited ${sayWait(longestWait)}`,
      'no queue grew',
    ).join(', ')}.`;
  },
  unknown: facts => {
    const { why, study, workers, isSaturated, waits, pressure, longestWait, seenShare } = facts;
    if (why === 'background-load')
      return `Background load saturated the CPU, so the bottleneck of the target is not known: ${describeMachine(facts)}${addUneven(facts)}.${addRequestCpu(facts)}${isWorthSaying(longestWait) ? `${LONGEST}${sayWait(longestWait)}.` : ''}${sayLockingToo(facts)}`;
    if (study) return describeNothingFull(facts, study);
    if (why === 'queue')
      return `Requests wait ${describeWait(facts.waits?.kinds)}. The samples do not show whether the queue is a pool, into which requests put back what they take, or another thread fills it${describeBackground(facts, ': ')}.`;
    const cpu = workers
      ? `${describeWorkers(facts)}: worker CPU is not the bottleneck at this load`
      : "Not enough data to name the bottleneck: the CPU time of the API's workers is not known";
    if (isSaturated === null)
      return `${cpu}; it is not known whether there is one (${pressure ? say(PRESSURES, pressure) : ''}).`;
    const seen = !waits
      ? '; waits of requests were not recorded'
      : isWorthSaying(longestWait)
        ? `. Their longest wait: ${sayWait(longestWait)}`
        : seenShare < MOST_OF_WAITS
          ? `; stacks show ${formatPercent(seenShare)} of the requests in progress, and not what the others wait for`
          : ', and no wait of requests stands out';
    const but = pressure && isSaturated ? `. But ${say(PRESSURES, pressure)}` : '';
    return `${cpu}${seen}${but}.${sayLockingToo(facts)}`;
  },
};

/** @param {BottleneckFacts} own */
const addUneven = own => (own.uneven?.of === 'backends' ? `; and ${describeUneven(own)}` : '');
