/** Functions of the app whose result can not depend on the request, as far as their source shows. */
import { finding } from '../statements.js';

/** @import { AnnotatedFunction, HotPath } from '../../../run/facts/profile-report.d.ts' */
/** @import { FindingTable } from '../../../run/facts/findings.d.ts' */
/** @import { Facts, FindingRule } from '../statements.js' */

/** It takes nothing but its object; another decorator may make a view of it. */
const TAKES_NOTHING =
  /^\s*(?:@(?:property|staticmethod|classmethod)\s+)?def \w+\((self|cls)?\)(?=.*\breturn [^\s#])/s;
/** What differs between requests, or over time, and what the function changes itself. */
const VARIES =
  /\b(?:yield|await|request|session|user|context|local|now|time|random|uuid\w*|execute|query|global)\b|\bg\.|\bself\.[\w.]{1,99} [-+|]?= /;

/**
 * The function that does most of a path, called by the app, if all its calls may do the same work. Rows of a database are
 * made for each request, so their methods do not count.
 * @param {HotPath} path
 * @param {AnnotatedFunction[]} sources
 * @param {boolean} hasRows
 * @returns {FindingTable['hot-path']['same']}
 */
export function findSameWork({ entry, caller, share, heaviest }, sources, hasRows) {
  const names = heaviest.filter(
    own => own.total.value >= share.value / 2 && (caller || own.function !== entry.function),
  );
  for (const { function: name, file, line, lines, lineCount } of sources) {
    const text = lines.map(own => own.text).join('\n');
    const [start, object] = TAKES_NOTHING.exec(text) ?? [];
    const isHere = names.some(own => own.file === file && `.${name}`.endsWith(`.${own.function}`));
    if (start === undefined || !isHere || lines.length < lineCount || VARIES.test(text)) continue;
    if (!object || !hasRows) return { function: name, file, line, isMethod: object !== undefined };
  }
  return null;
}

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
