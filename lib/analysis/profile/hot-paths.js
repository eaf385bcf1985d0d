/** Hot paths of a report: where time is entered, how heavy they are, and what is known about them. */
import { heaviestOf } from './path-tables.js';
import { costOf } from './profile-costs.js';

/** @typedef {import('../../facts/profile-report.d.ts').HotPath} HotPath */
/** @typedef {import('./path-tables.js').PathCounts} PathCounts */

const MAX_PATHS = 40;
const MIN_SHARE = 0.002;
const MAX_HEAVIEST = 8;
// a cause belongs to a path that holds at least this part of it
const PART_OF_CAUSE = 0.1;
// a cause inside another one with about as many samples says the same: a client per request builds a TLS context
const ALIKE = 0.05;

/**
 * @param {PathCounts[]} counts most samples first
 * @param {object} context
 * @param {number} context.total samples in the base
 * @param {readonly import('../../facts/rules.d.ts').Category[]} context.categories numbered as in `counts`
 * @param {import('../../facts/profile-report.d.ts').CauseShare[]} context.causes
 * @param {import('../../facts/rules.d.ts').Rules} context.rules
 * @param {{function: string, file: string}[]} context.functions
 * @param {(counts: Float64Array) => import('../../facts/estimate.d.ts').Estimate} context.estimate
 * @param {ReturnType<typeof import('./path-tables.js').countPaths>['countFunctions']} context.countFunctions
 * @param {import('../../facts/estimate.d.ts').Estimate | null} context.perRequest
 * @param {import('../../facts/profile-report.d.ts').CpuUse['basis']} context.basis
 * @returns {HotPath[]}
 */
export function buildHotPaths(counts, context) {
  const { total, categories, functions, estimate, perRequest, basis } = context;
  return counts
    .filter(({ samples, entry }) => samples >= total * MIN_SHARE && functions[entry] !== undefined)
    .slice(0, MAX_PATHS)
    .map(path => {
      const category = categories[path.category];
      const share = estimate(path.byBlock);
      const entry = /** @type {{function: string, file: string}} */ (functions[path.entry]);
      const causes = causesOf(path, context);
      const caller = functions[mainCallerOf(path)];
      return {
        category: category?.id ?? 'unknown',
        label: category?.label ?? '',
        plural: category?.plural ?? false,
        entry: { ...entry, line: heaviestOf(path.entryLines) || null },
        share,
        cpuMsPerRequest: costOf(perRequest, share),
        flagged: isFlagged(share, category, causes),
        caller: caller ? { ...caller } : null,
        ofRequest:
          perRequest && basis !== 'none' && category?.id !== 'startup'
            ? { cpuMs: perRequest.value, isUpperBound: basis === 'samples-upper-bound' }
            : null,
        causes: causes.map(({ id }) => id),
        reasons: byPriority(causes, path, context),
        heaviest: heaviestWithin(path, context),
      };
    });
}

/** The caller that most of the path's samples come through; -1 without callers. @param {PathCounts} path */
function mainCallerOf({ callers, samples }) {
  const heaviest = heaviestOf(callers) ?? -1;
  return (callers.get(heaviest) ?? 0) > samples / 2 ? heaviest : -1;
}

/** @param {PathCounts} path @param {Parameters<typeof buildHotPaths>[1]} context @returns {import('../../facts/profile-report.d.ts').CauseShare[]} */
function causesOf(path, { causes, total }) {
  return causes
    .filter(({ id, share }) => (path.causes.get(id) ?? 0) >= share.value * total * PART_OF_CAUSE)
    .sort((a, b) => (path.causes.get(b.id) ?? 0) - (path.causes.get(a.id) ?? 0));
}

/** A bad cause, a cause of some size, or a category that should be small but is not.
 * @param {import('../../facts/estimate.d.ts').Estimate} share
 * @param {import('../../facts/rules.d.ts').Category | undefined} category
 * @param {import('../../facts/profile-report.d.ts').CauseShare[]} causes */
function isFlagged(share, category, causes) {
  if (causes.some(({ severity }) => severity === 'bad' || severity === 'warn')) return true;
  return category?.flagAbove != null && (share.low ?? share.value) > category.flagAbove;
}

/** @param {import('../../facts/profile-report.d.ts').CauseShare[]} causes @param {PathCounts} path @param {Parameters<typeof buildHotPaths>[1]} context */
function byPriority(causes, path, { rules, total }) {
  const samplesOf = (/** @type {string} */ id) => path.causes.get(id) ?? 0;
  /** @param {import('../../facts/profile-report.d.ts').CauseShare} a @param {import('../../facts/profile-report.d.ts').CauseShare} b */
  const areOne = (a, b) =>
    (a.partOf === b.id || b.partOf === a.id) &&
    Math.abs(samplesOf(a.id) - samplesOf(b.id)) <= samplesOf(a.id) * ALIKE;
  return causes
    .flatMap(cause => {
      const rule = rules.causes.find(({ id }) => id === cause.id);
      if (!rule || cause.isExpected) return [];
      return [{ cause, rule, share: samplesOf(cause.id) / total }];
    })
    .sort((a, b) => b.rule.priority - a.rule.priority || b.share - a.share)
    .filter(({ cause }, at, all) => !all.slice(0, at).some(other => areOne(other.cause, cause)))
    .map(({ cause, rule: { phrase, fix }, share }) => {
      return { share, phrase, fix, at: cause.evidence.at(-1) ?? '' };
    });
}

/** The functions with the most self samples, and those with the most in total.
 * @param {PathCounts} path @param {Parameters<typeof buildHotPaths>[1]} context
 * @returns {HotPath['heaviest']} */
function heaviestWithin(path, { total, functions, estimate, countFunctions }) {
  const mostBy = (/** @type {'self' | 'total'} */ key) =>
    [...path.functions].sort(([, a], [, b]) => b[key] - a[key]).slice(0, MAX_HEAVIEST / 2);
  const byBlock = countFunctions(
    path,
    [...mostBy('self'), ...mostBy('total')].map(([id]) => id),
  );
  return [...path.functions]
    .filter(([id]) => byBlock.has(id))
    .sort(([, a], [, b]) => b.total - a.total || b.self - a.self)
    .map(([id, { self, lines }]) => ({
      ...(functions[id] ?? { function: '', file: '' }),
      line: heaviestOf(lines) || null,
      self: self / total,
      total: estimate(byBlock.get(id) ?? new Float64Array()),
    }));
}
