/** What the code of the API costs: known causes, heavy paths, tools that do not belong there. */
import { finding } from './finding.js';

/** @import { CauseShare, Estimate } from '../report.d.ts' */
/** @import { FindingRule } from './index.js' */

/** Every known cause with evidence in the profile. @type {FindingRule} */
export function findCauses({ profile, whatIf = [] }) {
  if (!profile) return [];
  const { causes, categories } = profile;
  return causes.map(cause => {
    const severity = weigh(cause);
    const { id, category } = cause;
    return finding(
      'cause',
      severity,
      {
        cause,
        categoryLabel: categories.find(one => one.id === category)?.label ?? category,
        partOfTitle: causes.find(one => one.id === cause.partOf)?.title ?? null,
        whatIf: whatIf.find(({ causes: [first, second] }) => first === id && !second) ?? null,
      },
      id,
    );
  });
}

/**
 * A waste inside another one is no second waste, and one that may be next to nothing is a remark.
 * @param {CauseShare} cause
 */
function weigh({ severity, partOf, share }) {
  if (!isSure(share)) return 'info';
  return partOf && severity === 'bad' ? 'warn' : severity;
}

/** An interval as wide as its value says only that there is some of it. @param {Estimate} share */
export function isSure({ value, low }) {
  return low === null || low >= value / 2;
}

/** Hot paths that are worth attention and have no known cause: a cause speaks for itself. @type {FindingRule} */
export function findFlaggedPaths({ profile }) {
  const paths = profile?.hotPaths.filter(({ flagged, causes }) => flagged && causes.length === 0);
  return (paths ?? []).map(path =>
    finding('hot-path', 'info', { path }, `${path.category}.${path.entry.function}`),
  );
}

/** Less of it may be a tool that was only looked up. */
const LEAST_SHARE = 0.01;

/** Development tools in the profile that no known cause names already. @type {FindingRule} */
export function findDevTools({ profile }) {
  const tools = profile?.categories.find(({ id }) => id === 'dev-tools');
  const isNamed = profile?.causes.some(({ category }) => category === 'dev-tools');
  if (!profile || !tools || isNamed || tools.share.value < LEAST_SHARE) return [];
  const paths = profile.hotPaths.filter(({ category }) => category === 'dev-tools');
  return [
    finding('dev-tools', 'warn', {
      share: tools.share,
      paths: paths.slice(0, 3).map(({ entry, share }) => ({ entry, share })),
    }),
  ];
}
