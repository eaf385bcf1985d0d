/** Calls that the companion compared: those with the arguments and the result of an earlier one. */
import { finding } from '../statements.js';

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
  const again = lines.flatMap(
    ([file, name, callerFile, line, calls, kinds, same, changed, unseen]) => {
      const own = heavy.find(one => one.file === file && one.function === name);
      if (!own || calls < FEWEST_CALLS || changed > 0 || (same + unseen) * 2 < calls) return [];
      const caller = { file: callerFile, line };
      return { ...own, share: own.total.value, caller, calls, kinds, same, unseen };
    },
  );
  again.sort((a, b) => b.share - a.share || b.calls - a.calls);
  return again.length > 0 ? [finding('same-work', 'warn', { requests, lines: again })] : [];
}
