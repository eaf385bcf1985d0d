/**
 * Which findings come first, and which contradict each other. The order of trust: a load that shows nothing, then what
 * users noticed, then the bottleneck, then what the code costs. A full machine or generator is a doubt: it stands beside
 * the headline, and leads where nothing else does. In the list, what the API does comes before the machine, and before
 * the state of its CPU: a count, and a share of its own CPU, need no idle one, and have lines that can be changed.
 */

import { MANY_CALLS } from '../findings/repeated-calls.js';
import { isMostly } from '../statements.js';

/** @import { CallOfEndpoint, Finding } from '../../../run/facts/findings.d.ts' */
/** @import { ActKind } from '../../../run/facts/calls.d.ts' */
/** @import { Doubt } from '../../../run/facts/verdict.d.ts' */

/** `path`: a cost without a known cause @typedef {'measurement' | 'users' | 'machine' | 'bottleneck' | 'cost' | 'path' | 'note'} Subject */

/** @type {Subject[]} */
const ORDER = ['measurement', 'users', 'machine', 'bottleneck', 'cost', 'path', 'note'];
/** @type {Subject[]} */
const LISTED = ['measurement', 'users', 'bottleneck', 'cost', 'path', 'machine', 'note'];

/**
 * Equal ones are in this order. `leads`: the least severity that may become the headline; null: never.
 * @type {Record<Finding['id'], {about: Subject, leads: 'bad' | 'warn' | null}>}
 */
const SUBJECTS = {
  'invalid-load': { about: 'measurement', leads: 'bad' },
  'token-trouble': { about: 'users', leads: 'warn' },
  'unanswered-emits': { about: 'users', leads: 'warn' },
  'failed-users': { about: 'users', leads: 'warn' },
  'request-errors': { about: 'users', leads: 'warn' },
  outage: { about: 'users', leads: 'bad' },
  'error-burst': { about: 'users', leads: null },
  'pod-restarted': { about: 'users', leads: 'warn' },
  'pod-not-ready': { about: 'users', leads: null },
  'replicas-changed': { about: 'measurement', leads: null },
  stall: { about: 'users', leads: 'warn' },
  spike: { about: 'users', leads: 'warn' },
  'generator-limit': { about: 'measurement', leads: 'warn' },
  'full-machine': { about: 'machine', leads: 'warn' },
  'cpu-throttled': { about: 'bottleneck', leads: 'warn' },
  'child-processes': { about: 'bottleneck', leads: null },
  'task-workers-full': { about: 'bottleneck', leads: null },
  imbalance: { about: 'bottleneck', leads: 'warn' },
  bottleneck: { about: 'bottleneck', leads: 'warn' },
  'event-loop-blocked': { about: 'bottleneck', leads: 'warn' },
  'n-plus-one': { about: 'cost', leads: 'warn' },
  'repeated-call': { about: 'cost', leads: 'warn' },
  'act-per-request': { about: 'cost', leads: 'warn' },
  'counted-page': { about: 'cost', leads: 'warn' },
  'write-per-read': { about: 'cost', leads: 'warn' },
  'slow-call': { about: 'cost', leads: 'warn' },
  'pool-wait': { about: 'cost', leads: null },
  'open-transaction': { about: 'cost', leads: null },
  'held-transaction': { about: 'cost', leads: null },
  'unused-rows': { about: 'cost', leads: null },
  'small-parts': { about: 'cost', leads: 'warn' },
  cause: { about: 'cost', leads: 'warn' },
  observability: { about: 'cost', leads: null },
  'same-work': { about: 'cost', leads: 'warn' },
  'garbage-collection': { about: 'cost', leads: 'warn' },
  'incremental-collector': { about: 'note', leads: null },
  capacity: { about: 'bottleneck', leads: null },
  'hot-path': { about: 'path', leads: null },
  'memory-growth': { about: 'cost', leads: null },
  'worker-restarts': { about: 'users', leads: 'bad' },
  'lost-connections': { about: 'users', leads: null },
  'dropped-arrivals': { about: 'measurement', leads: 'bad' },
  'idle-scenarios': { about: 'note', leads: null },
  'empty-variables': { about: 'note', leads: null },
  'failed-checks': { about: 'users', leads: 'warn' },
};

const IDS = Object.keys(SUBJECTS);

/** A finding, or that with one subject. @typedef {Finding['id'] | `${Finding['id']} ${string}`} Shown */

/** Where the first is shown, the others are dropped. @type {readonly [shown: Shown, ...refuted: Shown[]][]} */
export const EXCLUSIONS = [
  // nothing is known about the target under load
  ['invalid-load', 'imbalance', 'dropped-arrivals', 'spike'],
  // everything else is a consequence
  ['invalid-load server-ended', 'failed-users', 'request-errors', 'error-burst', 'stall'],
  ['invalid-load server-ended', 'full-machine', 'worker-restarts'],
  // the target got less than it could take, and the generator may have caused the dropped arrivals
  ['generator-limit', 'capacity', 'imbalance', 'spike', 'dropped-arrivals'],
  // the quota held requests back, so there is a bottleneck
  ['cpu-throttled', 'bottleneck none'],
  // the bottleneck names who holds the connections
  ['bottleneck pool', 'pool-wait'],
  // calls are counted exactly; stacks only show that some exist
  ['n-plus-one', 'cause lazy-loading', 'cause query-in-loop'],
  ['repeated-call', 'cause query-in-loop'],
  // requests queued during the spike, which means over the whole run hide
  ['spike', 'bottleneck none'],
];

const SEVERITIES = { bad: 0, warn: 1, info: 2, good: 3 };

/**
 * Drops what another finding refutes. The worst come first. Equal severities are in the order of subjects, and costs by
 * what a fix brings: their part of a request.
 * @param {Finding[]} findings
 * @returns {Finding[]}
 */
export function rankFindings(findings) {
  const refuted = EXCLUSIONS.flatMap(([shown, ...others]) =>
    findings.some(one => isOf(one, shown)) ? others : [],
  );
  return findings
    .filter(one => !refuted.some(shown => isOf(one, shown)))
    .sort(
      (a, b) =>
        severityOf(a) - severityOf(b) ||
        listedAt(a) - listedAt(b) ||
        weigh(b, findings) - weigh(a, findings) ||
        IDS.indexOf(a.id) - IDS.indexOf(b.id),
    );
}

/** What a change of the code would save is listed with the warnings, but for what is expected or the server's own. @param {Finding} finding */
function severityOf({ id, severity, facts }) {
  const isSaved =
    (id === 'cause' && facts.isMuch) ||
    (id === 'hot-path' && facts.path.category !== 'server' && isMostly(facts.path.share));
  return SEVERITIES[isSaved && severity === 'info' ? 'warn' : severity];
}

/** Bottlenecks: that the CPU is used up is a state. What uses it has lines that can be changed. */
const FULL_CPU = ['workers', 'gil', 'machine', 'unknown'];

/** @param {Finding} finding */
const listedAt = ({ id, of }) =>
  LISTED.indexOf(
    id === 'bottleneck' && FULL_CPU.includes(of ?? '') ? 'machine' : SUBJECTS[id].about,
  );

/** Acts that cost as much as so many others. @type {Partial<Record<ActKind, number>>} */
const HEAVY = { process: 20, thread: 5, tls: 20, engine: 20, folder: 0.1 };
const NEW_CONNECTION = 10;

/**
 * The part of a request's CPU, or of its time in the server; 0: not known. A cause inside of another one weighs as much,
 * so that the order of causes decides.
 * @param {Finding} finding
 * @param {Finding[]} all
 * @returns {number}
 */
function weigh(finding, all) {
  const { id, facts } = finding;
  const others = all.filter(one => one !== finding);
  const whole = id === 'cause' && others.find(one => isOf(one, `cause ${facts.cause.partOf}`));
  if (id === 'cause') return whole ? weigh(whole, others) : facts.cause.share.value;
  if (id === 'hot-path') return facts.path.share.value;
  if (id === 'garbage-collection') return facts.collections.share?.value ?? 0;
  if (id === 'observability') return facts.share;
  if (id === 'same-work') return facts.lines[0]?.share ?? 0;
  if (id === 'n-plus-one' || id === 'repeated-call') {
    const { call, endpoints } = facts;
    // Only the number of new connections is known, and SQLite's are files.
    const isNew = call?.kind === 'connect' && call.system !== 'sqlite';
    return weighCall(endpoints[0], isNew ? 1 : call?.count, isNew ? NEW_CONNECTION : 1);
  }
  if (id === 'act-per-request') return weighCall(facts.endpoints[0], 1, HEAVY[facts.act.kind]);
  if (id === 'slow-call' || id === 'counted-page') return weighCall(facts.endpoint);
  if (id === 'unused-rows') return weighCall({ perRequest: facts.rows });
  if (id === 'small-parts') return weighCall({ perRequest: facts.parts });
  return id === 'write-per-read' ? weighCall(facts.first) : 0;
}

/**
 * Of an act, only the number is known.
 * @param {Pick<CallOfEndpoint, 'perRequest'> & Partial<CallOfEndpoint> | null} [use]
 * @param {number} [executed] in the whole load
 * @param {number} [worth] others that cost as much
 */
function weighCall(use, executed = 1, worth = 1) {
  // A number that is exact, where shares are estimates.
  if ((use?.perRequest ?? 0) * worth >= MANY_CALLS) return Math.max(1, executed);
  return use?.serverMs ? Math.min(1, (use.msPerRequest ?? 0) / use.serverMs) : 0;
}

/** @type {Shown} */
export const UNKNOWN_BOTTLENECK = 'bottleneck unknown';

/** What limits is not known. @type {Shown[]} */
const UNKNOWN = [UNKNOWN_BOTTLENECK, 'generator-limit'];

/** What spoils the measurement of whatever else was found. @param {Finding} one @returns {one is Doubt} */
function isDoubt(one) {
  return one.id === 'generator-limit' || (one.id === 'full-machine' && one.facts.isDoubt !== false);
}

/** Their CPU is not measured, and may be more than that of the largest cause. @type {ReadonlySet<Finding['id']>} */
export const REPEATS = new Set(['n-plus-one', 'repeated-call']);
/** Counts per request, which need no quiet machine. @type {ReadonlySet<Finding['id']>} */
export const COUNTED = new Set([...REPEATS, 'act-per-request', 'counted-page', 'write-per-read']);
/** Part of a request from which a count may be what limits. */
const LARGE = 0.1;

/**
 * The finding for the headline, in the order of trust; within a subject, the worst. An unknown bottleneck comes last, and
 * while nothing shows what limits, a count that is a small part of a request is no headline.
 * What spoils the measurement stands beside it, and leads only where nothing else does.
 * @param {Finding[]} findings
 * @returns {{lead: Finding | null, doubt: Doubt | null}}
 */
export function findLead(findings) {
  const isKnown = !findings.some(one => UNKNOWN.some(shown => isOf(one, shown)));
  const leading = findings.filter(one => {
    const { leads } = SUBJECTS[one.id];
    const isHeavy = one.id === 'act-per-request' && (HEAVY[one.facts.act.kind] ?? 1) > 1;
    const isLarge = isHeavy || !COUNTED.has(one.id) || weigh(one, findings) >= LARGE;
    return (isKnown || isLarge) && leads !== null && SEVERITIES[one.severity] <= SEVERITIES[leads];
  });
  const placeOf = (/** @type {Finding} */ one) => {
    if (isOf(one, UNKNOWN_BOTTLENECK)) return ORDER.length + 1;
    return isDoubt(one) ? ORDER.length : ORDER.indexOf(SUBJECTS[one.id].about);
  };
  const [lead = null] = leading.toSorted((a, b) => placeOf(a) - placeOf(b));
  const doubt = findings.find(isDoubt) ?? null;
  return { lead, doubt: lead === doubt ? null : doubt };
}

/** @param {Finding} finding @param {Shown} shown */
export const isOf = ({ id, of }, shown) => shown === id || shown === `${id} ${of}`;
