/** Clauses about what requests wait for, for the bottleneck of a run or a variant. */

import {
  formatCount,
  formatMs,
  formatPercent,
  formatRate,
  formatRoughShare,
} from '../base/format.js';
import { scaleEstimate } from '../base/math/intervals.js';
import { describeIdle, describeMean, isOne } from './bottleneck-cpu.js';
import { labelComponent } from './components.js';
import { POOLS, sayHolders } from './resources.js';
import { nameWait } from './waits.js';
import { capitalize, formatFew } from './words.js';

/** @import { BottleneckFacts, LockingStatement, LongestWait } from '../run/facts/bottleneck.d.ts' */
/** @import { Holders, WaitPlace, Waits } from '../run/facts/profile-report.d.ts' */

/** "2.9 of 3 threads of an executor were in use, and 9.2 calls waited for one" @param {BottleneckFacts} facts */
export function describePool({ fullPool, waits, kindsInside }) {
  const { kind = 'gthread', capacity, inUse, waiting } = fullPool ?? {};
  const does = waits
    ? `Requests inside wait ${describeWait(kindsInside)}`
    : 'What they do there is not known without a profile';
  return `${formatBusy(inUse ?? 0)} of ${Math.round(capacity ?? 0)} ${POOLS[kind]} were in use, and ${formatFew(waiting ?? null)} calls waited for one. ${does}.`;
}

/** @param {BottleneckFacts} facts @param {string} [of] what limits; else the longest wait */
export function describeWaits(facts, of) {
  const { kinds = [], holders = null } = facts.waits ?? {};
  // Who waits for a thread waits for those that have one.
  const isBehind = kinds[0]?.id === 'thread-pool';
  const all = isBehind ? facts.kindsInside : kinds;
  const own = all.find(({ id }) => (of ? id === of : id !== 'cpu'));
  const pool = facts.outerPool;
  const more = pool ? `more than ${pool.capacity} ${POOLS[pool.kind]}` : 'more requests at a time';
  const nested = own && holders && sayNested(all, own, holders);
  const writes = own?.id === 'lock' && !nested ? joinWrites(facts) : null;
  const act = writes ?? findAct(own?.id, facts);
  const said = nested ?? (act ? sayWait(act) : describeWait(own && [own]));
  const does = writes ? ONE_WRITES : holders?.of === own?.id && holders && sayHolders(holders);
  return `Requests ${isBehind ? 'that have a thread ' : ''}wait ${said}${describeMean(facts, ', while ')}${facts.why === 'waits' && facts.areAlone ? ALONE : `: ${nested ? 'the first' : 'that'} is the bottleneck`}${facts.why === 'queued' ? `, and ${more} would wait as well` : ''}${does ? `; ${does}` : ''}.`;
}

const ALONE =
  '; most responses take hardly longer than the quickest, so nothing queues at this load';
const ONE_WRITES = 'one of them writes at a time, and the others wait for its lock';
const IN_FRONT = ', and in front of that ';

/**
 * What limits, and the wait in front of it: for a place in a semaphore, or for a connection of a pool, whose holders wait
 * for one lock.
 * @param {Waits['kinds']} kinds @param {Waits['kinds'][number]} own what limits @param {Holders} holders
 * @returns {string | null} null without such a wait
 */
function sayNested(kinds, own, holders) {
  if (holders.of !== own.id) {
    const outer = kinds.filter(({ id }) => id === holders.of && holders.doing.id === own.id);
    return outer.length > 0 ? [[own], outer].map(describeWait).join(IN_FRONT) : null;
  }
  const [first] = own.where;
  const inner = own.where.find(at => at.function === holders.function && at.file === holders.file);
  if (!first || !inner || inner === first) return null;
  const sayPart = (/** @type {WaitPlace} */ place) =>
    sayWait({ kind: own.id, share: scaleEstimate(own.share, place.share), place });
  return [inner, first].map(sayPart).join(IN_FRONT);
}

/** A wait for a lock and the write of its holder are one wait. @param {BottleneckFacts} facts @returns {LongestWait | null} */
function joinWrites({ waits }) {
  const { holders, kinds = [] } = waits ?? {};
  const [lock, file] = ['lock', 'file'].map(id => kinds.find(kind => kind.id === id));
  const place = file?.where.find(own => own.function === holders?.function);
  if (holders?.of !== 'lock' || holders.doing.id !== 'file' || !lock || !file || !place)
    return null;
  const written = (file.share.value * place.share) / lock.share.value;
  return { kind: 'file', share: scaleEstimate(lock.share, 1 + written), place };
}

/** @type {Record<LockingStatement['by'], string>} */
const LOCKS = {
  'row-lock': 'a lock on rows (FOR UPDATE), which one transaction holds at a time',
  'row-write': 'a row that another transaction has written, or for the disk',
  'table-lock': 'a lock on a table, which one transaction holds at a time',
  message: 'an item of a list, which another process adds',
  'advisory-lock': 'an advisory lock, which one transaction holds at a time',
  'write-lock': "SQLite's write lock, which one transaction holds at a time",
  connection: 'a connection that threads share, which one statement holds at a time',
};

/** Of the time in statements. @param {BottleneckFacts} facts */
export const sayLocking = ({ locking, waits }) =>
  locking
    ? ` ${formatPercent(locking.share)} of the time in statements is a wait of ${waits?.kinds.some(own => own.isBound) ? 'at most ' : ''}${formatMs(locking.meanMs)} for ${LOCKS[locking.by]}.`
    : '';

/** Where something else may limit. @param {BottleneckFacts} facts */
export const sayLockingToo = facts =>
  (facts.locking?.meanMs ?? 0) >= (facts.requestCpu?.responseMs ?? Infinity) * WORTH_SAYING
    ? sayLocking(facts)
    : '';

/** @param {NonNullable<BottleneckFacts['turns']>} turns */
export const sayTurns = ({ service, atATime, meanMs, aloneMs, perSec }) =>
  `Calls of ${service} wait for each other there: with ${formatFew(atATime)} under way, one takes ${formatMs(meanMs)}; alone, about ${formatMs(aloneMs)}. The service completes ${formatRate(perSec)}, so more threads or users would only wait.`;

/** Each worker sees only its own calls. @param {BottleneckFacts} facts */
export const sayTurnsUnknown = ({ why, workers, areAlone }) =>
  why === 'waits' && workers && !isOne(workers) && !areAlone
    ? ' With twice as many users, the rate doubles if the service has room. With one worker, a run shows whether these calls wait for each other there.'
    : '';

/** Requests spend less than this in any single wait: none stands out. */
export const WORTH_SAYING = 0.15;
/** Less of a wait is none that was seen. */
const LEAST_SAID = 0.005;
/** A place with less of a wait is not the place of it. */
export const MOST_OF_WAITS = 0.5;

/**
 * The longest wait, if it is most of its kind and more than that is known of it.
 * @param {string | undefined} kind @param {BottleneckFacts} facts
 */
export function findAct(kind, { waits, longestWait, seenShare }) {
  const { share } = waits?.kinds.find(({ id }) => id === kind) ?? {};
  if (!share || longestWait?.kind !== kind || !longestWait?.place?.as) return null;
  return longestWait.share.value > share.value * seenShare * MOST_OF_WAITS ? longestWait : null;
}

/** "for a lock 93 % ± 2 of their time, in take (shop.py:12)" @param {Waits['kinds']} [kinds] */
export function describeWait(kinds = []) {
  const [most] = kinds.filter(({ id, share }) => id !== 'cpu' && share.value >= LEAST_SAID);
  if (!most) return 'none of their time';
  if (most.isBound && !most.where[0]?.as)
    return `at most ${formatPercent(most.share.value)} of their time for ${nameWait(most.id)}`;
  const [first] = most.where;
  const place = first && first.share > MOST_OF_WAITS && (first.as || first.line) ? first : null;
  const share = place?.as ? scaleEstimate(most.share, place.share) : most.share;
  return sayWait({ kind: most.id, share, place, isBound: most.isBound });
}

/** @param {LongestWait} wait */
export function sayWait({ kind, share, place, isBound }) {
  const { function: name, file, line, call, as } = place ?? {};
  const where = place ? `, in ${name} (${file}${line ? `:${line}` : ''})` : '';
  const what = kind === 'other' && call ? `the call ${call}` : nameWait(kind, as);
  return `for ${what} ${isBound ? 'at most ' : ''}${formatRoughShare(share)} of their time${where}`;
}

/** "consume (jobs.py), 98 % of the time" @param {BottleneckFacts} facts @param {string} lead */
export function describeBackground({ waits, workers }, lead) {
  if (!waits?.background) return '';
  const { function: name, file, threads, asleep = 0, line } = waits.background;
  const sleeps = asleep > threads * MOST_OF_WAITS ? `, mostly in the sleep at line ${line}` : '';
  return `${lead}${name} (${file}), ${formatPercent(Math.min(1, threads / (workers?.processes ?? 1)))} of the time${sleeps}`;
}

/** @param {number} n */
export const formatBusy = n => (n < 0.1 ? '< 0.1' : n.toFixed(1));

/** @param {BottleneckFacts} facts */
export function describeServed(facts) {
  if (!facts.served) return '';
  const { by, count, name, value, instances } = facts.served;
  const each = instances > 1 ? ` in each of ${instances}` : '';
  const few = `${count < 0.05 ? 'hardly any' : `about ${count.toFixed(1)}`} are served at a time, and the others wait`;
  const proxy = name ? `${labelComponent(name)}, which has the port of the target,` : 'a proxy';
  const text = {
    stuck: `only ${count.toFixed(1)} requests are in progress however many users there are, up to ${formatCount(facts.study?.mostStep ?? null)}: the others are queued before the API${name === null ? '' : ` (${name} is ${value})`}`,
    refused: `${formatPercent(count)} of the requests found no connection (${name})`,
    named: `${few}: ${name} is ${value}${each}`,
    server: `${few} in front of the workers, in ${name === '' ? '' : `${proxy} or `}the listen backlog${value === null ? '' : `, although only ${formatFew(count)} of ${value} threads are taken`}`,
    threads: `${few}: the workers have ${value} (workers × threads)`,
  }[by];
  return `${capitalize(text)}${facts.isMachineFull ? '' : describeIdle(facts)}.`;
}
