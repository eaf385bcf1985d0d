/** Known causes: how much of the time shows their evidence, and in which endpoints. */
import { addTo, entryOf, heaviestOf } from '../../base/files/maps.js';
import { sum } from '../../base/math/summary.js';
import { explains } from '../hotpath/classify-profile.js';
import { markBelow } from '../stacks/node-table.js';
import { describeEvidence, findPlaces } from './cause-places.js';
import { costOf } from './profile-costs.js';

/** @typedef {import('../stacks/profile.d.ts').Profile} Profile */
/** @typedef {import('../../run/facts/rules.d.ts').Classification} Classification */

// A cause counts as done once with at least this many stretches of time per worker and samples, and this part of the
// samples in one stretch. With many stretches, two neighbours count as one: the companion's are half a second long.
const MIN_STRETCHES = 3;
const MANY_STRETCHES = 4;
const MIN_SAMPLES = 4;
const ONCE = 0.9;
// A stretch with more than this part of all samples shows nothing: little else was sampled.
const TOO_MUCH = 0.75;

/**
 * @param {Profile} profile
 * @param {Classification} classes
 * @param {import('./profile-base.js').ProfileBase} base
 * @param {object} context
 * @param {Int32Array} context.functionOf per frame
 * @param {{function: string, file: string}[]} context.functions
 * @param {(counts: Float64Array) => import('../../base/math/estimate.d.ts').Estimate} context.estimate
 * @param {import('../../base/math/estimate.d.ts').Estimate | null} context.perRequest
 * @param {number} context.firsts requests that are the first ones to an endpoint in a worker, where they are many of all; else 0
 * @returns {{causes: import('../../run/facts/profile-report.d.ts').CauseShare[], seen: ReadonlyMap<string, number>}}
 *   largest first, without those too small to show; `seen`: the share of each that is on any sample
 */
export function measureCauses(
  profile,
  classes,
  base,
  { functionOf, functions, estimate, perRequest, firsts },
) {
  /** @type {Map<string, ReturnType<typeof startCount>>} */
  const counts = new Map();
  /** samples per set of causes @type {Map<number, number>} */
  const bySet = new Map();
  for (const [node, weight] of base.weights.entries())
    if (weight > 0) addTo(bySet, classes.causeSet[node] ?? 0, weight);
  base.forEachRow((node, weight, block) => {
    if (node < 0) return;
    for (const { cause, node: evidence } of classes.causeSets[classes.causeSet[node] ?? 0] ?? []) {
      const count = entryOf(counts, cause.id, () => startCount(cause, base.blockTotals.length));
      count.byBlock[block] = (count.byBlock[block] ?? 0) + weight;
      addTo(count.nodes, evidence, weight);
      addTo(count.categories, classes.category[node] ?? 0, weight);
    }
  });
  const known = { profile, classes, functionOf, functions };
  const causes = Array.from(counts.values(), count => addHandedOver(count, known, base))
    .filter(({ cause, byBlock }) => !(cause.inRequest && wasDoneOnce(byBlock, base, cause.cached)))
    .filter(({ cause, byBlock }) => !cause.named || isThroughout(byBlock, base))
    .map(count => ({ ...count, share: estimate(count.byBlock) }))
    .filter(({ cause, share }) => share.value >= cause.minShare && !isVague(cause, share))
    .filter(({ cause, byBlock }) => cause.minShare > 0 || sum([...byBlock]) >= MIN_SAMPLES)
    .map(({ cause, byBlock, share, nodes, categories }) => {
      const category = heaviestOf(categories) ?? 0;
      const mayBeOnce = cause.inRequest && base.timed && byBlock.filter(Boolean).length <= firsts;
      return {
        id: cause.id,
        title: mayBeOnce ? cause.title.replace(/ (?:per|for each) request$/, '') : cause.title,
        category: classes.categories[category]?.id ?? 'unknown',
        share,
        cpuMsPerRequest: mayBeOnce ? null : costOf(perRequest, share),
        places: findPlaces(nodes, cause, known),
        evidence: describeEvidence(heaviestOf(nodes) ?? 0, known),
        explanation: cause.explanation,
        advice: cause.advice,
        severity: mayBeOnce ? /** @type {const} */ ('info') : weigh(cause, share),
        ...(mayBeOnce && { mayBeOnce }),
        ...(cause.forAll && { forAll: true }),
      };
    })
    .sort((a, b) => b.share.value - a.share.value);
  const reasonOf = (/** @type {string} */ id) =>
    causes.find(one => counts.get(one.id)?.cause.effects.includes(id));
  const found = findParents(causes, bySet, classes).map(cause => {
    const { id: partOf, explanation, advice } = reasonOf(cause.id) ?? cause;
    return partOf === cause.id ? cause : { ...cause, partOf, explanation, advice };
  });
  /** The wholes that it is a part of, outermost first. @param {(typeof found)[number]} one @returns {typeof found} */
  const chainOf = (one, rest = found) => {
    const others = rest.filter(own => own !== one);
    const whole = others.find(({ id }) => id === one.partOf);
    return whole ? [...chainOf(whole, others), one] : [one];
  };
  const seen = new Map([...counts].map(([id, own]) => [id, sum([...own.byBlock]) / base.total]));
  return { causes: [...new Set(found.flatMap(one => chainOf(one)))], seen };
}

/** @param {import('../../run/facts/rules.d.ts').Cause} cause @param {number} blocks */
const startCount = (cause, blocks) => ({
  cause,
  byBlock: new Float64Array(blocks),
  nodes: /** @type {Map<number, number>} */ (new Map()),
  categories: /** @type {Map<number, number>} */ (new Map()),
});

/**
 * What threads do to take over the work of a cause, and to give it back, is on no stack of a request. It counts for a
 * cause by its part of all that hands work over.
 * @template {{cause: import('../../run/facts/rules.d.ts').Cause, byBlock: Float64Array}} Count
 * @param {Count} count @param {Parameters<typeof describeEvidence>[1]} known @param {import('./profile-base.js').ProfileBase} base
 * @returns {Count} the same, with these samples
 */
function addHandedOver(count, { profile: { nodes }, classes }, base) {
  const { cause, byBlock } = count;
  if (!cause.handedOver) return count;
  const { by, to } = cause.handedOver;
  const identities = Array.from(nodes.frame, frame => classes.identities[frame]);
  const markAt = (/** @type {typeof by} */ some) =>
    markBelow(nodes, node => some.some(matches => identities[node] && matches(identities[node])));
  const [handing, taking] = [markAt(by), markAt(to)];
  // Below a thread that takes over, the standard library alone is no work of the application's.
  const isWork = (/** @type {number} */ node) => identities[node]?.origin !== 'standard';
  const working = markBelow(nodes, node => taking[nodes.parent[node] ?? -1] === 1 && isWork(node));
  let all = 0;
  base.forEachRow((node, weight) => {
    if (handing[node] && classes.request[node]) all += weight;
  });
  const part = all > 0 ? Math.min(1, sum([...byBlock]) / all) : 0;
  base.forEachRow((node, weight, block) => {
    if (taking[node] && !working[node]) byBlock[block] = (byBlock[block] ?? 0) + weight * part;
  });
  return count;
}

/** Least part of a cause for an endpoint to be named, and the part that has to be where it is expected. */
const LEAST_ENDPOINT = 0.02;
const MOSTLY = 0.9;

/**
 * Which endpoints' requests show the cause, and whether that is expected there.
 * @param {import('../../run/facts/profile-report.d.ts').CauseShare} cause
 * @param {import('./costs/attribution.d.ts').CauseAt[]} at
 * @param {import('../../run/facts/rules.d.ts').Rules} rules
 * @param {{endpoints: {answers: number}[]} | null} load
 * @returns {import('../../run/facts/profile-report.d.ts').CauseShare}
 */
export function placeCause(cause, at, rules, load) {
  const total = sum(at.map(({ samples }) => samples));
  const found = at.filter(({ samples }) => samples >= total * LEAST_ENDPOINT);
  const all = sum((load?.endpoints ?? []).map(({ answers }) => answers));
  const own = sum(found.map(({ endpoint }) => endpoint.requests ?? 0));
  const { expected = null } = rules.causes.find(({ id }) => id === cause.id) ?? {};
  // Without load the name is a view's name and file.
  const isThere = (/** @type {(typeof at)[number]['endpoint']} */ { name, views, requests }) =>
    [...(requests === null ? [] : [name]), ...views.map(view => view.function)].some(one =>
      expected?.isAt(one.toLowerCase()),
    );
  const there = sum(at.map(({ endpoint, samples }) => (isThere(endpoint) ? samples : 0)));
  const isExpected = expected !== null && total > 0 && there >= total * MOSTLY;
  return {
    ...cause,
    endpoints: found.map(({ endpoint, samples }) => ({
      name: endpoint.name,
      share: samples / total,
      ...(endpoint.requests && { ofRequests: endpoint.requests / all }),
    })),
    ofRequests: all > 0 && own > 0 ? own / all : null,
    ...(isExpected && {
      explanation: expected.explanation,
      advice: expected.advice,
      severity: /** @type {const} */ ('info'),
      isExpected,
    }),
  };
}

/**
 * A cause is part of another one if this much of it lies inside that one, and that one is larger or further out. A waste
 * is no part of a mere remark.
 */
const INSIDE = 0.95;
const LARGER = 1.05;

/**
 * @param {Omit<import('../../run/facts/profile-report.d.ts').CauseShare, 'partOf'>[]} causes largest first
 * @param {Map<number, number>} bySet samples per set of causes
 * @param {Classification} classes
 * @returns {import('../../run/facts/profile-report.d.ts').CauseShare[]}
 */
function findParents(causes, bySet, classes) {
  const sets = [...bySet].map(([set, samples]) => ({
    ids: new Set(classes.causeSets[set]?.map(({ cause }) => cause.id)),
    samples,
  }));
  const count = (/** @type {string[]} */ ...ids) =>
    sets.reduce((sum, set) => sum + (ids.every(id => set.ids.has(id)) ? set.samples : 0), 0);
  const isAround = (/** @type {string} */ outer, /** @type {string} */ inner) => {
    const ids = [...(sets.find(set => set.ids.has(outer) && set.ids.has(inner))?.ids ?? [])];
    return ids.indexOf(outer) < ids.indexOf(inner);
  };
  const shapes = classes.causeSets.flat().filter(own => !explains(own));
  const isShape = (/** @type {string} */ id) => shapes.some(({ cause }) => cause.id === id);
  // That a call is repeated says less than what is slow in it.
  const isOuter = (/** @type {string} */ outer, /** @type {string} */ inner) =>
    isShape(outer) === isShape(inner) ? isAround(outer, inner) : isShape(inner);
  return causes.map(cause => {
    const own = count(cause.id);
    const around = causes.filter(
      ({ id, severity }) =>
        id !== cause.id &&
        !(severity === 'info' && cause.severity !== 'info') &&
        count(cause.id, id) >= own * INSIDE,
    );
    const parent =
      around.findLast(({ id }) => count(id) > own * LARGER) ??
      around.find(({ id }) => count(cause.id, id) >= count(id) * INSIDE && isOuter(id, cause.id));
    return { ...cause, partOf: parent?.id ?? null };
  });
}

/**
 * The share of samples with evidence of any of several causes. Their shares can't be added up, because one may lie inside
 * another.
 * @param {import('../../run/facts/profile-report.d.ts').CauseShare[]} causes
 * @param {Classification} classes
 * @param {import('./profile-base.js').ProfileBase} base
 * @param {(counts: Float64Array) => import('../../base/math/estimate.d.ts').Estimate} estimate
 * @returns {import('../../run/facts/profile-report.d.ts').ProfileReport['causesTogether']}
 */
export function uniteCauses(causes, classes, base, estimate) {
  const ids = causes.filter(({ severity }) => severity !== 'info').map(({ id }) => id);
  if (ids.length < 2) return null;
  const hasOne = classes.causeSets.map(set => set.some(({ cause }) => ids.includes(cause.id)));
  const byBlock = new Float64Array(base.blockTotals.length);
  base.forEachRow((node, weight, block) => {
    if (node >= 0 && hasOne[classes.causeSet[node] ?? 0])
      byBlock[block] = (byBlock[block] ?? 0) + weight;
  });
  return { causes: ids, share: estimate(byBlock) };
}

/** A remark needs some of its share for sure. @type {(...of: Parameters<typeof weigh>) => boolean} */
const isVague = ({ severity, minShare }, { low }) =>
  severity === 'info' && low !== null && low < minShare / 10;

/**
 * What is bad at 40 % is a warning where it may be less than 5 %, and a remark at 1 %, or where the share may be zero.
 * Problems of the set-up (a debugger) count at any size.
 * @param {import('../../run/facts/rules.d.ts').Cause} cause @param {import('../../base/math/estimate.d.ts').Estimate} share
 */
function weigh({ severity, inRequest }, { value, low }) {
  if (!inRequest) return severity;
  if (value < 0.02 || (low !== null && low < 0.005)) return 'info';
  return severity === 'bad' && (low ?? value) < 0.05 ? 'warn' : severity;
}

/**
 * Is it in at least half of the stretches that as many samples would fall into by chance?
 * @param {Float64Array} byBlock
 * @param {import('./profile-base.js').ProfileBase} base
 */
export function isThroughout(byBlock, { blockTotals, timed }) {
  const [own, all] = [sum([...byBlock]), sum([...blockTotals])];
  const byChance = sum([...blockTotals].map(samples => 1 - (1 - samples / all) ** own));
  return !timed || byBlock.filter(samples => samples > 0).length >= byChance / 2;
}

/**
 * Each worker fetches keys or builds a client once, which is no cost per request. Nearly all such samples fall into
 * one stretch of time of each worker, or continue into the next. What is cached is also made for the first request to
 * each endpoint: a worker that goes on with it does so in both halves of its time.
 * @param {Float64Array} byBlock
 * @param {import('./profile-base.js').ProfileBase} base
 * @param {boolean} cached
 */
function wasDoneOnce(byBlock, { blockProcess, blockTotals, timed }, cached) {
  if (!timed) return false;
  const blocks = [...byBlock].map((count, at) => ({ count, all: blockTotals[at] ?? 0, at }));
  const workers = [...Map.groupBy(blocks, ({ at }) => blockProcess[at] ?? -1).values()];
  // A worker that has just started shows only its first requests.
  const known = workers.filter(own => own.length >= MIN_STRETCHES);
  if (known.length === 0) return false;
  const seen = known.filter(own => own.some(({ count }) => count > 0));
  const total = sum(seen.flatMap(own => own.map(({ count }) => count)));
  const fullestOf = (/** @type {typeof blocks} */ own) => {
    const reach = own.length < MANY_STRETCHES ? 0 : 1;
    const samples = sum(own.map(({ all }) => all));
    const most = samples * TOO_MUCH;
    let [before, early, late] = [0, 0, 0];
    for (const { count, all } of cached ? own : []) {
      // A stretch across the middle is in neither half.
      if (before + all <= samples / 2) early += count;
      if (before >= samples / 2) late += count;
      before += all;
    }
    const pairs = own.map(({ count, all }, at) => {
      const next = own[at + 1];
      return all + reach * (next?.all ?? 0) <= most ? count + reach * (next?.count ?? 0) : 0;
    });
    return Math.max(early, late, ...pairs);
  };
  return seen.length === 0 || (total >= MIN_SAMPLES && sum(seen.map(fullestOf)) >= total * ONCE);
}
