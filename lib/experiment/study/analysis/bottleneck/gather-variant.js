/** Gathers the facts for the bottleneck rules from the cells of a variant. */
import { isUneven, THRESHOLDS } from '../../../../analysis/bottleneck/thresholds.js';
import { mean, sum } from '../../../../base/math/summary.js';
import { listServers } from '../matrix.js';
import { saturatedSteps } from '../variant/saturation.js';
import { gatherStages } from './gather-stages.js';
import { findGeneratorLimit } from './generator-limit.js';

/** @import { GatheredFacts, Missing, Part, StudyFacts } from '../../../../run/facts/bottleneck.d.ts' */
/** @import { CellFigures, Variant } from '../../../../run/facts/study-records.d.ts' */
/** @import { Study } from '../../../../run/facts/study-file.d.ts' */
/** @import { LoadModel, Point } from '../../../../run/facts/study-report.d.ts' */
/** @import { Saturation } from '../../../../run/facts/saturation.d.ts' */
/** @import { Cell } from '../cells.js' */

/**
 * @param {object} known
 * @param {Study} known.study
 * @param {Variant} known.variant
 * @param {Cell[]} known.cells measured ones
 * @param {Point[]} known.points
 * @param {Saturation} known.saturation
 * @param {{label: string, isMore: boolean, throughputPerSec: number}[]} known.siblings
 * @param {StudyFacts['own']} known.own
 * @returns {GatheredFacts}
 */
export function gatherVariantFacts({ study, variant, cells, points, saturation, siblings, own }) {
  const plateau = saturatedSteps(points, saturation);
  const point =
    plateau.toSorted((a, b) => b.throughputPerSec.value - a.throughputPerSec.value)[0] ?? null;
  const at = figuresOf(cells, step => step === point?.step);
  const onPlateau = figuresOf(cells, step => plateau.some(one => one.step === step));
  const parts = listParts(point);
  const hostCores = point?.hostCores ?? null;
  const [cpus = 0] = at.flatMap(({ host: own }) => own?.cpus ?? []);
  const host = hostCores === null ? null : { cores: hostCores, cpus };
  const generatorCores = point?.generatorCores ?? null;
  const used = sum(parts.map(({ cores }) => cores)) + (generatorCores ?? 0);
  const rate = point?.throughputPerSec.value ?? null;
  return {
    isSaturated: judgePressure(saturation, points, point, study.load),
    pressure: null,
    generator: findGenerator(cells, points, saturation),
    host,
    parts,
    workers: parts.find(({ name }) => name === 'workers') ?? null,
    generatorCores,
    profilerCores: null,
    restCores: host && Math.max(0, host.cores - used),
    quota: findQuota(at),
    uneven: findUneven(onPlateau),
    waits: null,
    loopWaits: null,
    paths: [],
    throughputPerSec: rate,
    study: {
      saturation,
      step: point?.step ?? null,
      mostStep: points.at(-1)?.step ?? null,
      throughputPerSec: rate,
      seenPerSec: Math.max(0, ...points.map(({ throughputPerSec }) => throughputPerSec.value)),
      plateauSteps: plateau.length,
      errors: sumErrors(figuresOf(cells, () => true)),
      errorRate: point?.errorRate ?? 0,
      droppedRate: point?.skippedRate ?? 0,
      ...gatherStages(study, variant, cells, point),
      siblings: siblings.map(one => ({ ...one, isAlike: isAlike(one.throughputPerSec, rate) })),
      kneeInFlight: saturation.kneeInFlight?.value ?? null,
      stuckInFlight: findStuckInFlight(study.load.model, points),
      connectionErrors: findConnectionErrors(onPlateau),
      named: listNamedNumbers(study, variant),
      instances: Math.max(1, ...groupNumbered(parts).map(({ length }) => length)),
      own,
      missing: listMissing(study, { host, parts, own, saturation }),
    },
  };
}

/** @param {number} perSec @param {number | null} other */
function isAlike(perSec, other) {
  return other !== null && Math.abs(perSec / other - 1) <= THRESHOLDS.alikeRates;
}

/** @param {Cell[]} cells @param {(step: number) => boolean} isWanted @returns {CellFigures[]} */
function figuresOf(cells, isWanted) {
  return cells.flatMap(({ step, figures }) => (figures && isWanted(step) ? [figures] : []));
}

/** @param {Point | null} point @returns {Part[]} most CPU first */
function listParts(point) {
  return (point?.components ?? [])
    .filter(({ processes }) => processes > 0)
    .map(({ rssBytes: _, pssBytes: __, threads, ...part }) => {
      return { ...part, leastCores: null, threads: threads / Math.max(1, part.processes) };
    });
}

/**
 * Throughput that grows by less than this part of the load's growth hardly rises: whether something
 * stops it is then unknown.
 */
const RISES = 0.25;

/**
 * @param {Saturation} saturation
 * @param {Point[]} points
 * @param {Point | null} point
 * @param {Study['load']} load
 */
function judgePressure({ state }, points, point, { model, base = 0 }) {
  if (state === 'reached') return true;
  if (point && point.skippedRate > 0.01) return true;
  // a burst that is completed as fast as it comes does not show what would stop it
  if (state !== 'not-reached' || model === 'burst') return null;
  const [before, last] = points.slice(-2);
  if (!before || !last) return false;
  const gain = Math.log(last.throughputPerSec.value / before.throughputPerSec.value);
  const growth = Math.log((base + last.step) / (base + before.step));
  return gain / growth >= RISES ? false : null;
}

/** In-flight numbers this close to each other count as equal … */
const STUCK = 1.15;
/** … with this many times the users. */
const MORE_USERS = 1.8;

/**
 * In a closed loop, as many requests are in flight as there are users. If their number stays the same with more users,
 * the others wait before they are let in.
 * @param {LoadModel} model @param {Point[]} points @returns {number | null}
 */
function findStuckInFlight(model, points) {
  const last = points.at(-1);
  const most = last?.inFlight ?? null;
  if (model !== 'closed' || !last || most === null) return null;
  const isNear = (/** @type {Point} */ { inFlight }) =>
    inFlight !== null && inFlight <= most * STUCK && inFlight >= most / STUCK;
  const own = points.slice(points.findLastIndex(point => !isNear(point)) + 1);
  const [first] = own;
  if (!first || last.step < first.step * MORE_USERS || most * MORE_USERS > last.step) return null;
  return mean(own.map(({ inFlight }) => inFlight ?? most));
}

/**
 * Only if it hides what the target can do, and not if throughput levelled off below it.
 * @param {Cell[]} cells @param {Point[]} points @param {Saturation} saturation
 * @returns {GatheredFacts['generator']}
 */
function findGenerator(cells, points, saturation) {
  const limited = points.find(({ isGeneratorLimit }) => isGeneratorLimit);
  if (!limited || saturation.state === 'reached') return null;
  const { step } = limited;
  const [found] = figuresOf(cells, own => own === step).flatMap(
    figures => findGeneratorLimit(figures) ?? [],
  );
  return { sign: null, generatorCores: null, targetCores: null, ...found, step };
}

/** The most throttled group. @param {CellFigures[]} at @returns {GatheredFacts['quota']} */
function findQuota(at) {
  const groups = Map.groupBy(
    at.flatMap(({ throttled }) => throttled),
    ({ roles }) => roles.join(' '),
  );
  const means = [...groups.values()].flatMap(group => {
    const [first] = group;
    if (!first) return [];
    const share = sum(group.map(one => one.share)) / at.length;
    return [{ roles: first.roles, quotaCores: first.quotaCores, share }];
  });
  const target = means.filter(({ roles }) => roles.some(role => role !== 'generator'));
  return target.sort((a, b) => b.share - a.share)[0] ?? null;
}

/**
 * Over all cells of the plateau together, the largest first. Cells are aligned by rank, because process
 * ids differ between them.
 * @param {CellFigures[]} all @returns {GatheredFacts['uneven']}
 */
function findUneven(all) {
  for (const of of /** @type {const} */ (['backends', 'workers'])) {
    const groups = all.flatMap(figures => listShares(figures).filter(share => share.of === of));
    const length = Math.max(0, ...groups.map(({ counts }) => counts.length));
    const counts = Array.from({ length }, (_, rank) =>
      sum(groups.map(group => group.counts.toSorted((a, b) => b - a)[rank] ?? 0)),
    );
    const unit = groups[0]?.unit === 'cpuMs' ? 'cpuMs' : 'requests';
    if (isUneven(counts, unit)) return { of, unit, counts };
  }
  return null;
}

/** `backend-1`, `backend_2`, `web 3` */
const NUMBERED = /^(.*?\D)[-_ .]?(\d+)$/;

/**
 * If nothing shows which backend responded, CPU time does, for components with a common name and a number each: a
 * backend that gets nothing leaves no other trace.
 * @param {CellFigures} figures
 * @returns {CellFigures['shares']}
 */
function listShares({ shares, components, seconds }) {
  if (shares.some(({ of }) => of === 'backends')) return shares;
  const [largest] = groupNumbered(components).filter(({ length }) => length > 1);
  if (!largest) return shares;
  const counts = largest.map(({ cores }) => cores * seconds * 1000);
  return [...shares, { of: 'backends', unit: 'cpuMs', counts }];
}

/**
 * Components with a common name and a number each.
 * @template {{name: string}} C
 * @param {C[]} components
 * @returns {C[][]} the largest group first
 */
function groupNumbered(components) {
  const numbered = components.filter(({ name }) => NUMBERED.test(name));
  return [...Map.groupBy(numbered, ({ name }) => NUMBERED.exec(name)?.[1] ?? name).values()].sort(
    (a, b) => b.length - a.length,
  );
}

/** Names of errors that mean that no connection was available. */
const NO_CONNECTION = /ECONNREFUSED|ECONNRESET|EADDRNOTAVAIL|EMFILE|CONNECT|ETIMEDOUT|\b503\b/i;

/** @param {CellFigures[]} all @returns {StudyFacts['connectionErrors']} */
function findConnectionErrors(all) {
  const requests = sum(all.map(figures => figures.requests));
  const own = sumErrors(all).filter(({ name }) => NO_CONNECTION.test(name));
  const [most] = own;
  if (!most || requests === 0) return null;
  return { share: sum(own.map(({ count }) => count)) / requests, name: most.name };
}

/** @param {CellFigures[]} all @returns {{name: string, count: number}[]} most frequent first */
export function sumErrors(all) {
  const errors = all.flatMap(({ errorNames }) => errorNames);
  return [...Map.groupBy(errors, ({ name }) => name)]
    .map(([name, own]) => ({ name, count: sum(own.map(({ count }) => count)) }))
    .sort((a, b) => b.count - a.count);
}

/** Names of factors, and of their fields, for things that are limited to a number at a time. */
const COUNTED = /conn|slot|pool|thread|concurren/i;
const OF_SLOTS = /slot|thread/i;

/** @param {Study} study @param {Variant} variant @returns {StudyFacts['named']} */
function listNamedNumbers({ factors }, variant) {
  const values = factors.flatMap(({ name, values: own }) => {
    const value = own.find(({ label }) => label === variant.factors[name]);
    return value ? [[name, value.label], ...Object.entries(value.fields)] : [];
  });
  return values
    .map(([name, value]) => ({ name: String(name), value: Number(value) }))
    .filter(({ name, value }) => COUNTED.test(name) && value > 0)
    .map(one => ({ ...one, of: OF_SLOTS.test(one.name) ? 'slots' : 'connections' }));
}

/**
 * Which further records would show more.
 * @param {Study} study @param {Pick<GatheredFacts, 'host' | 'parts'> & Pick<StudyFacts, 'own' | 'saturation'>} facts
 * @returns {Missing[]}
 */
function listMissing({ record, load, target }, { host, parts, own, saturation }) {
  const isProfiled = record.profile !== 'off';
  const hasFewSteps = load.model !== 'burst' && Array.isArray(load.steps) && load.steps.length < 3;
  /** @type {[Missing, boolean][]} */
  const all = [
    ['components', parts.length === 0],
    ['host', !host],
    ['profile', !isProfiled && listServers(target).length > 0],
    ['profiled-cell', isProfiled && own === null],
    ['more-steps', hasFewSteps],
    ['more-load', !hasFewSteps && saturation.state === 'not-reached'],
  ];
  return all.flatMap(([id, isMissing]) => (isMissing ? [id] : []));
}
