/** Hot paths of a report: where time is entered, how heavy they are, and what is known about them. */
import { heaviestOf } from '../../base/files/maps.js';
import { identifyFrame } from '../hotpath/identify-frame.js';
import { isThroughout } from './cause-shares.js';
import { nameFunction } from './path-tables.js';
import { costOf } from './profile-costs.js';

/** @typedef {import('../../run/facts/profile-report.d.ts').HotPath} HotPath */
/** @typedef {import('./path-tables.js').PathCounts} PathCounts */

const MAX_PATHS = 40;
const MIN_SHARE = 0.002;
const MAX_HEAVIEST = 8;
// a cause belongs to a path that holds at least this part of it
const PART_OF_CAUSE = 0.1;
// A path without any sample in a request may serve some, with fewer. What a server does around requests is for them.
const LEAST_BESIDE = 20;
const BESIDE = ['business', 'database', 'http-client', 'serialization', 'schema', 'auth', 'email'];
// a call that holds at least this part of a path says what it does
const MOST_OF_PATH = 0.5;
const MUCH_OF_PATH = 0.3;
// a cause inside another one with about as many samples says the same: a client per request builds a TLS context
const ALIKE = 0.05;

/**
 * @param {PathCounts[]} counts most samples first
 * @param {object} context
 * @param {import('./profile-base.js').ProfileBase} context.base
 * @param {number} context.total samples in the base
 * @param {readonly import('../../run/facts/rules.d.ts').Category[]} context.categories numbered as in `counts`
 * @param {import('../../run/facts/profile-report.d.ts').CauseShare[]} context.causes
 * @param {import('../../run/facts/rules.d.ts').Rules} context.rules
 * @param {{function: string, file: string}[]} context.functions
 * @param {(counts: Float64Array) => import('../../base/math/estimate.d.ts').Estimate} context.estimate
 * @param {ReturnType<typeof import('./path-tables.js').countPaths>['countFunctions']} context.countFunctions
 * @param {import('../../base/math/estimate.d.ts').Estimate | null} context.perRequest
 * @param {import('../../run/facts/profile-report.d.ts').CpuUse['basis']} context.basis
 * @returns {HotPath[]}
 */
export function buildHotPaths(counts, context) {
  const { base, total, categories, functions, estimate, countFunctions } = context;
  const { perRequest, basis } = context;
  const shown = counts
    .filter(({ samples, entry }) => samples >= total * MIN_SHARE && functions[entry] !== undefined)
    .slice(0, MAX_PATHS);
  const isUpperBound = basis === 'samples-upper-bound';
  const whole = perRequest && basis !== 'none' ? { cpuMs: perRequest.value, isUpperBound } : null;
  const isKnown = counts.some(({ inRequests }) => inRequests > 0);
  const perBlock = countFunctions(new Map(shown.map(path => [path, chooseHeaviest(path)])));
  return shown.map(path => {
    const category = categories[path.category];
    const share = estimate(path.byBlock);
    const entry = /** @type {{function: string, file: string}} */ (functions[path.entry]);
    const causes = causesOf(path, context);
    // First requests may have done most of it.
    const once = causes.filter(one => one.mayBeOnce).map(({ id }) => path.causes.get(id) ?? 0);
    const isImport = category?.id === 'import' && !isThroughout(path.byBlock, base);
    const mayBeOnce = isImport || Math.max(0, ...once) > path.samples / 2;
    const isBeside = BESIDE.includes(category?.id ?? '') && path.samples >= LEAST_BESIDE;
    const isBackground = isKnown && isBeside && path.inRequests === 0;
    return {
      ...(isBackground && { isBackground }),
      category: category?.id ?? 'unknown',
      label: category?.label ?? '',
      plural: category?.plural ?? false,
      entry: { ...entry, line: heaviestOf(path.entryLines) || null },
      share,
      cpuMsPerRequest: mayBeOnce || isBackground ? null : costOf(perRequest, share),
      flagged: isFlagged(share, category, causes),
      // Middleware calls all that a framework does.
      caller: category?.id === 'framework' ? null : findCaller(path, context),
      ofRequest: category?.id === 'startup' || mayBeOnce ? null : whole,
      causes: causes.map(({ id }) => id),
      reasons: byPriority(causes, path, context),
      call: findCall(path, context),
      loop: findLoop(path),
      heaviest: describeHeaviest(path, perBlock.get(path) ?? new Map(), context),
    };
  });
}

/** The caller that most of the path's samples come through. @param {PathCounts} path @param {Parameters<typeof buildHotPaths>[1]} context @returns {HotPath['caller']} */
function findCaller({ callers, samples }, { functions }) {
  const [main] = [...callers].filter(([, own]) => own.samples > samples / 2);
  const place = functions[main?.[0] ?? -1];
  return main && place ? { ...place, line: heaviestOf(main[1].lines) || null } : null;
}

/** @param {PathCounts} path @param {Parameters<typeof buildHotPaths>[1]} context @returns {import('../../run/facts/profile-report.d.ts').CauseShare[]} */
function causesOf(path, { causes, total }) {
  return causes
    .filter(({ id, share }) => (path.causes.get(id) ?? 0) >= share.value * total * PART_OF_CAUSE)
    .sort((a, b) => (path.causes.get(b.id) ?? 0) - (path.causes.get(a.id) ?? 0));
}

/** A bad cause, a cause of some size, or a category that should be small but is not.
 * @param {import('../../base/math/estimate.d.ts').Estimate} share
 * @param {import('../../run/facts/rules.d.ts').Category | undefined} category
 * @param {import('../../run/facts/profile-report.d.ts').CauseShare[]} causes */
function isFlagged(share, category, causes) {
  if (causes.some(({ severity }) => severity === 'bad' || severity === 'warn')) return true;
  return category?.flagAbove != null && (share.low ?? share.value) > category.flagAbove;
}

/** @param {import('../../run/facts/profile-report.d.ts').CauseShare[]} causes @param {PathCounts} path @param {Parameters<typeof buildHotPaths>[1]} context */
function byPriority(causes, path, { rules, total }) {
  const samplesOf = (/** @type {string} */ id) => path.causes.get(id) ?? 0;
  /** @param {import('../../run/facts/profile-report.d.ts').CauseShare} a @param {import('../../run/facts/profile-report.d.ts').CauseShare} b */
  const areOne = (a, b) =>
    (a.partOf === b.id || b.partOf === a.id) &&
    Math.abs(samplesOf(a.id) - samplesOf(b.id)) <= samplesOf(a.id) * ALIKE;
  return causes
    .flatMap(cause => {
      const rule = rules.causes.find(({ id }) => id === cause.id);
      if (!rule || cause.isExpected || cause.mayBeOnce) return [];
      const reason = rules.causes.find(
        one => one.effects.includes(cause.id) && one.id === cause.partOf,
      );
      return [
        { cause, rule: { ...rule, fix: (reason ?? rule).fix }, share: samplesOf(cause.id) / total },
      ];
    })
    .sort((a, b) => b.rule.priority - a.rule.priority || b.share - a.share)
    .filter(({ cause }, at, all) => !all.slice(0, at).some(other => areOne(other.cause, cause)))
    .map(({ cause, rule: { phrase, fix, named }, share }) => {
      // The application's line says more than the library's function, which the phrase names.
      const [place] = cause.places ?? [];
      const last = cause.evidence.at(-1) ?? '';
      const isOwn = place?.function && (named || nameFunction(place) === last);
      const file = place?.line ? `${place.file}:${place.line}` : (place?.file ?? '');
      const at = isOwn ? nameFunction({ function: place.function, file }) : last;
      return { share, phrase, fix, at };
    });
}

/**
 * The call out of the application's package that most of a path is spent in, and the line that makes it; or the line
 * whose own work is much of it.
 * @param {PathCounts} path @param {Parameters<typeof buildHotPaths>[1]} context @returns {HotPath['call']}
 */
function findCall(path, { functions, rules }) {
  const [call] = [...path.calls.values()].sort((a, b) => b.samples - a.samples);
  const [from, to] = [functions[call?.from ?? -1], functions[call?.to ?? -1]];
  const least = path.samples * (to ? MOST_OF_PATH : MUCH_OF_PATH);
  if (!call || !from || call.samples < least) return null;
  const place = { file: from.file, line: heaviestOf(call.lines) || null };
  const part = call.samples / path.samples;
  const shown = call.shown && { shown: call.shown };
  if (!to) return place.line === null ? null : { name: null, ...place, part, ...shown };
  const called = identifyFrame({ name: to.function, file: to.file, line: null }, rules);
  // C code has no file, and the name of its module in its own.
  const [module] = /^\w+/.exec(called.path) ?? [];
  const name = module ? `${module}.${called.qualified}` : called.qualified;
  return { name, ...place, part };
}

/** The innermost loop that most of a path is spent in. @param {PathCounts} path @returns {HotPath['loop']} */
function findLoop({ loops, samples: all }) {
  const [loop] = [...loops.values()]
    .filter(({ samples }) => samples >= all * MOST_OF_PATH)
    .sort((a, b) => a.samples - b.samples);
  if (!loop) return null;
  const { samples, ...place } = loop;
  return { ...place, part: samples / all };
}

/** The functions with the most self samples, and those with the most in total.
 * @param {PathCounts} path */
function chooseHeaviest({ functions }) {
  const mostBy = (/** @type {'self' | 'total'} */ key) =>
    [...functions].sort(([, a], [, b]) => b[key] - a[key]).slice(0, MAX_HEAVIEST / 2);
  return [...mostBy('self'), ...mostBy('total')].map(([id]) => id);
}

/** @param {PathCounts} path @param {Map<number, Float64Array>} byBlock of the chosen functions
 * @param {Parameters<typeof buildHotPaths>[1]} context
 * @returns {HotPath['heaviest']} */
function describeHeaviest(path, byBlock, { total, functions, estimate }) {
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
