/**
 * Which findings come first, and which contradict each other. The order of trust: what spoils the measurement,
 * then what users noticed, then a machine without idle CPU, then the bottleneck, then what the code costs. Users notice
 * a failure whatever the machine did; the headline adds that doubt.
 */

/** @import { Finding } from '../../../facts/findings.d.ts' */

/** @typedef {'measurement' | 'users' | 'machine' | 'bottleneck' | 'cost' | 'note'} Subject */

/** @type {Subject[]} */
const ORDER = ['measurement', 'users', 'machine', 'bottleneck', 'cost', 'note'];

/**
 * `leads`: the least severity that may become the headline; null: never.
 * @type {Record<Finding['id'], {about: Subject, leads: 'bad' | 'warn' | null}>}
 */
const SUBJECTS = {
  'invalid-load': { about: 'measurement', leads: 'bad' },
  'generator-limit': { about: 'measurement', leads: 'warn' },
  'dropped-arrivals': { about: 'measurement', leads: 'bad' },
  'replicas-changed': { about: 'measurement', leads: null },
  'token-trouble': { about: 'users', leads: 'warn' },
  'unanswered-emits': { about: 'users', leads: 'warn' },
  'failed-users': { about: 'users', leads: 'warn' },
  'request-errors': { about: 'users', leads: 'warn' },
  'failed-checks': { about: 'users', leads: 'warn' },
  outage: { about: 'users', leads: 'bad' },
  'pod-restarted': { about: 'users', leads: 'warn' },
  'pod-not-ready': { about: 'users', leads: null },
  stall: { about: 'users', leads: 'warn' },
  'error-burst': { about: 'users', leads: null },
  spike: { about: 'users', leads: 'warn' },
  'worker-restarts': { about: 'users', leads: 'bad' },
  'lost-connections': { about: 'users', leads: null },
  'full-machine': { about: 'machine', leads: 'warn' },
  'cpu-throttled': { about: 'bottleneck', leads: 'warn' },
  bottleneck: { about: 'bottleneck', leads: 'warn' },
  imbalance: { about: 'bottleneck', leads: 'warn' },
  'event-loop-blocked': { about: 'bottleneck', leads: 'warn' },
  'child-processes': { about: 'bottleneck', leads: null },
  'task-workers-full': { about: 'bottleneck', leads: null },
  capacity: { about: 'bottleneck', leads: null },
  'n-plus-one': { about: 'cost', leads: 'warn' },
  'slow-call': { about: 'cost', leads: 'warn' },
  'repeated-call': { about: 'cost', leads: null },
  'pool-wait': { about: 'cost', leads: null },
  'open-transaction': { about: 'cost', leads: null },
  'unused-rows': { about: 'cost', leads: null },
  cause: { about: 'cost', leads: 'warn' },
  'memory-growth': { about: 'cost', leads: null },
  'idle-scenarios': { about: 'note', leads: null },
  'empty-variables': { about: 'note', leads: null },
  'hot-path': { about: 'note', leads: null },
};

/** Where the first is shown, the others are dropped. @type {readonly {shown: Shown, refuted: Shown[]}[]} */
export const EXCLUSIONS = [
  {
    // nothing is known about the target under load
    shown: { id: 'invalid-load' },
    refuted: all('imbalance', 'dropped-arrivals', 'spike'),
  },
  // everything else is a consequence
  {
    shown: { id: 'invalid-load', of: ['server-ended'] },
    refuted: all(
      'failed-users',
      'request-errors',
      'error-burst',
      'full-machine',
      'worker-restarts',
      'stall',
    ),
  },
  {
    // the target got less than it could take, and the generator may have caused the dropped arrivals
    shown: { id: 'generator-limit' },
    refuted: all('capacity', 'imbalance', 'spike', 'dropped-arrivals'),
  },
  // the quota held requests back, so there is a bottleneck
  { shown: { id: 'cpu-throttled' }, refuted: [{ id: 'bottleneck', of: ['none'] }] },
  // the bottleneck names who holds the connections
  { shown: { id: 'bottleneck', of: ['pool'] }, refuted: all('pool-wait') },
  // calls are counted exactly; stacks only show that some exist
  {
    shown: { id: 'n-plus-one' },
    refuted: [{ id: 'cause', of: ['lazy-loading', 'query-in-loop'] }],
  },
  { shown: { id: 'repeated-call' }, refuted: [{ id: 'cause', of: ['query-in-loop'] }] },
  // requests queued during the spike, which means over the whole run hide
  { shown: { id: 'spike' }, refuted: [{ id: 'bottleneck', of: ['none'] }] },
];

/** @param {Finding['id'][]} ids @returns {Shown[]} */
function all(...ids) {
  return ids.map(id => ({ id }));
}

/** `of`: only these subjects; `severity`: only this one. @typedef {{id: Finding['id'], of?: string[], severity?: Finding['severity']}} Shown */

const SEVERITIES = { bad: 0, warn: 1, info: 2, good: 3 };

/**
 * Drops what another finding refutes. The worst come first; equal severities are in the order of trust.
 * @param {Finding[]} findings
 * @returns {Finding[]}
 */
export function rankFindings(findings) {
  const refuted = EXCLUSIONS.flatMap(pair =>
    findings.some(one => isOf(one, pair.shown)) ? pair.refuted : [],
  );
  return findings
    .filter(one => !refuted.some(shown => isOf(one, shown)))
    .sort((a, b) => SEVERITIES[a.severity] - SEVERITIES[b.severity] || placeOf(a) - placeOf(b));
}

/** @type {Shown} */
export const UNKNOWN_BOTTLENECK = { id: 'bottleneck', of: ['unknown'] };

/**
 * The finding for the headline, in the order of trust; within a subject, the worst. An unknown bottleneck comes last.
 * @param {Finding[]} findings
 * @returns {Finding | null}
 */
export function findLead(findings) {
  const leading = findings.filter(
    ({ id, severity }) =>
      SEVERITIES[severity] <= SEVERITIES[SUBJECTS[id].leads ?? 'bad'] &&
      SUBJECTS[id].leads !== null,
  );
  const isUnknown = (/** @type {Finding} */ one) => Number(isOf(one, UNKNOWN_BOTTLENECK));
  const [lead] = leading.toSorted((a, b) => isUnknown(a) - isUnknown(b) || placeOf(a) - placeOf(b));
  return lead ?? null;
}

/** @param {Finding} finding */
function placeOf({ id }) {
  return ORDER.indexOf(SUBJECTS[id].about);
}

/** @param {Finding} finding @param {Shown} shown */
export function isOf(finding, { id, of, severity = finding.severity }) {
  return (
    finding.id === id && finding.severity === severity && (!of || of.includes(finding.of ?? ''))
  );
}
