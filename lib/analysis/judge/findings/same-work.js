/** Calls that the companion compared: those with the arguments and the result of an earlier one. */
import { sum } from '../../../base/math/summary.js';
import { finding } from '../statements.js';

/** @import { FindingTable } from '../../../run/facts/findings.d.ts' */
/** @import { HotPath } from '../../../run/facts/profile-report.d.ts' */
/** @import { Facts, FindingRule } from '../statements.js' */

/** Least share of the CPU of a function whose calls are worth a comparison. */
const LEAST_SHARE = 0.05;

/** Functions that take much of the CPU, those of the largest paths first. @param {Facts['profile']} profile */
export function listHeavy(profile) {
  const all = (profile?.hotPaths ?? []).flatMap(({ heaviest }) => heaviest);
  return all.filter(({ total }) => total.value >= LEAST_SHARE);
}

/** Fewer calls show nothing. */
const FEWEST_CALLS = 10;

/** What the companion counted after the load: most calls have arguments, and results, that were there before. @type {FindingRule} */
export function findSameCalls({ profile }) {
  const { requests = 0, lines = [] } = profile?.sameWork ?? {};
  const heavy = listHeavy(profile);
  const again = lines.flatMap(([file, name, from, line, calls, kinds, same, changed, unseen]) => {
    const own = heavy.find(one => one.file === file && one.function === name);
    if (!own || calls < FEWEST_CALLS || changed > 0 || (same + unseen) * 2 < calls) return [];
    const caller = { file: from, line };
    return { ...own, share: own.total.value, caller, calls, kinds, same, unseen };
  });
  again.sort((a, b) => b.share - a.share || b.calls - a.calls);
  return again.length > 0 ? [finding('same-work', 'warn', { requests, lines: again })] : [];
}

/** Per request. */
const SEVERAL = 2;

/**
 * How often each request of the script calls functions of a path, the most calls first.
 * @param {Facts['profile']} profile @param {HotPath} path @returns {FindingTable['hot-path']['calls']}
 */
export function countCalls(profile, { heaviest, ofRequest }) {
  const { requests = 0, lines = [] } = profile?.sameWork ?? {};
  const counted = lines.flatMap(([file, name, callerFile, line, calls]) => {
    const own = heaviest.find(one => one.file === file && one.function === name);
    const all = sum(lines.map(other => (other[0] === file && other[1] === name ? other[4] : 0)));
    if (!own || calls < requests * SEVERAL) return [];
    const ms = ofRequest && (ofRequest.cpuMs * own.total.value * requests) / all;
    return { function: name, caller: { file: callerFile, line }, perRequest: calls / requests, ms };
  });
  return counted.sort((a, b) => b.perRequest - a.perRequest);
}
