/** What a reader sees first: is it all right, what limits it, where does time go, what would a fix gain? */

import { most } from '../../../base/math/summary.js';
import { isCpuBound } from '../../bottleneck/what-if.js';
import { isClosedLoop } from '../../load/load-report.js';
import { compareStarts, ENOUGH_RESPONSES } from '../quality/load.js';
import { isSure } from '../statements.js';
import { findStart } from './start-again.js';
import { COUNTED, findLead, isOf, REPEATS, UNKNOWN_BOTTLENECK } from './trust.js';

/** @import { Statement } from '../../../run/facts/statement.d.ts' */
/** @import { Finding, FindingTable } from '../../../run/facts/findings.d.ts' */
/** @import { LoadReport } from '../../../run/facts/load-report.d.ts' */
/** @import { Report } from '../../../run/facts/report.d.ts' */
/** @import { HeadlineTable, PointTable, Verdict } from '../../../run/facts/verdict.d.ts' */

/** Fewer active samples show too little. */
const FEW_SAMPLES = 200;

/**
 * @param {Pick<Report, 'run' | 'load' | 'profile' | 'bottleneck' | 'whatIf' | 'findings'> & Partial<Pick<Report, 'cpu'>>} facts
 *   `findings`: ranked
 * @returns {Verdict}
 */
export function judge(facts) {
  const { run, load, profile, bottleneck, findings } = facts;
  const isInvalid = findings.some(({ id }) => id === 'invalid-load');
  const { lead, doubt } = findLead(findings);
  // The headline, or the doubt above it, says the same already.
  const isSaid =
    (lead !== null && isOf(lead, UNKNOWN_BOTTLENECK)) ||
    (doubt?.id === 'full-machine' && bottleneck?.facts.why === 'background-load');
  const level = rate(facts);
  /** @type {(Statement<PointTable> | null)[]} */
  const points = [
    load && summarizeLoad(load),
    isInvalid || isSaid ? null : bottleneck && { id: 'bottleneck', facts: { bottleneck } },
    // the cause inside of it says more
    isInvalid || findWaste(findings) ? null : findPath(profile),
  ];
  return {
    level:
      level === 'good' && !load && (findUnread(profile) || isForeign(profile)) ? 'unknown' : level,
    headline: chooseHeadline(lead, facts),
    doubt,
    again: findStart(run),
    isPartial: run.status === 'partial',
    points: points.filter(point => point !== null),
  };
}

/**
 * The worst finding sets the level, whatever its subject: a reader sees both side by side.
 * @param {Pick<Report, 'load' | 'profile' | 'findings'>} facts `findings`: ranked
 * @returns {Verdict['level']}
 */
function rate({ load, profile, findings }) {
  if (findings.some(({ id }) => id === 'invalid-load')) return 'invalid';
  for (const level of /** @type {const} */ (['bad', 'warn']))
    if (findings.some(({ severity }) => severity === level)) return level;
  if (load && countFew(load) !== null) return 'unknown';
  return !load && (profile?.samples.active ?? 0) < FEW_SAMPLES ? 'unknown' : 'good';
}

/**
 * @param {Finding | null} lead
 * @param {Parameters<typeof judge>[0]} facts
 * @returns {Statement<HeadlineTable>}
 */
function chooseHeadline(lead, { load, cpu, profile, findings }) {
  if (!load && !profile && cpu?.cores == null) return { id: 'nothing-measured', facts: {} };
  if (lead) {
    const isOfCpu = lead.id === 'bottleneck' && isCpuBound(lead.facts);
    const waste = isOfCpu ? findWaste(findings) : null;
    const named = lead.id === 'cause' ? lead.facts : waste;
    const others = findings.filter(own => isCounted(own) && !opensWithin(own, named));
    return {
      id: 'finding',
      facts: {
        finding: lead,
        waste,
        ...((isOfCpu || lead.id === 'cause') && { counted: others[0] }),
        isOneOf: others.some(({ id }) => REPEATS.has(id)),
      },
    };
  }
  const active = profile?.samples.active ?? 0;
  if (load) {
    const { failures, users } = load;
    if (failures.failed + users.failed + users.skipped > 0) {
      return { id: 'mostly-answered', facts: { isUnsent: !failures.failed && users.skipped > 0 } };
    }
    const few = countFew(load);
    // What did not fail but got no response either.
    const lost = findings.find(({ id }) => ['lost-connections', 'unanswered-emits'].includes(id));
    if (lost) return { id: 'finding', facts: { finding: lost, waste: null } };
    if (few !== null) return { id: 'few-responses', facts: { responses: few } };
    return { id: 'all-answered', facts: {} };
  }
  if (!profile) {
    const { processes, cores } = cpu ?? {};
    return { id: 'no-stacks', facts: { processes: processes ?? 0, cores: cores ?? 0 } };
  }
  const unread = findUnread(profile);
  if (unread && active >= FEW_SAMPLES) return { id: 'part-unread', facts: unread };
  if (active < FEW_SAMPLES) return { id: 'few-samples', facts: { active } };
  return { id: isForeign(profile) ? 'no-python' : 'no-waste', facts: {} };
}

/** Causes are known by files of Python. @param {Report['profile']} profile */
const isForeign = profile => profile?.reading?.names === 'functions';

/** Responses of a load that are too few for a good verdict; null if they are enough. @param {LoadReport} load */
const countFew = ({ http: { requests, responses } }) =>
  requests > 0 && responses < ENOUGH_RESPONSES ? responses : null;

/** @param {Finding} finding */
const isCounted = ({ id, severity }) => COUNTED.has(id) && severity === 'warn';

/** New connections from the line of a waste are a part of it. @param {Finding} finding @param {FindingTable['cause'] | null} waste */
function opensWithin({ id, facts }, waste) {
  if (id !== 'repeated-call' || facts.call.kind !== 'connect') return false;
  const { file, line } = facts.call;
  return waste?.cause.places?.some(own => own.file === file && own.line === line) ?? false;
}

/** The largest known waste. @param {Finding[]} findings @returns {FindingTable['cause'] | null} */
function findWaste(findings) {
  for (const one of findings) if (one.id === 'cause' && one.severity !== 'info') return one.facts;
  return null;
}

/** @param {LoadReport} load @returns {Statement<PointTable>} */
function summarizeLoad(load) {
  const { http, socketio, websocket, users, phases, seconds } = load;
  const starts = compareStarts(http);
  const { replyTime } = websocket ?? {};
  const { acknowledged } = socketio ?? {};
  return {
    id: 'load',
    facts: {
      requests: http.requests,
      started: users.created,
      closedUsers: isClosedLoop(phases)
        ? most(seconds.map(({ usersActive }) => usersActive ?? 0))
        : null,
      meanRatePerSec: http.meanRatePerSec,
      times: http.timeToFirstByte,
      lateStarts: starts?.matters ? starts : null,
      failures: { share: load.failures.share, users: load.failures.users },
      messages: [
        ...(replyTime ? [{ kind: /** @type {const} */ ('websocket'), ...replyTime }] : []),
        ...(acknowledged ? [{ kind: /** @type {const} */ ('socketio'), ...acknowledged }] : []),
      ].map(({ kind, count, p50Ms }) => ({ kind, count, p50Ms })),
      connects: socketio?.connects ?? 0,
    },
  };
}

/** @param {Report['profile']} profile @returns {Statement<PointTable> | null} */
function findPath(profile) {
  const paths = profile?.hotPaths.filter(({ category }) => category !== 'startup') ?? [];
  const path = paths.find(({ flagged }) => flagged) ?? paths[0];
  return path && isSure(path.share) ? { id: 'hot-path', facts: { path } } : null;
}

/** With a larger share that could not be read, a profile says too little about the rest. */
const MUCH_SKIPPED = 0.01;

/** @param {Report['profile']} profile @returns {HeadlineTable['part-unread'] | null} */
function findUnread(profile) {
  const { entries = 0, skipped = 0 } = profile?.reading ?? {};
  return skipped > MUCH_SKIPPED * entries ? { entries, skipped } : null;
}
