/** What the rules of the limit judge by, gathered from the cells of a variant. */

import { isUneven } from '../../../analysis/limit/uneven.js';
import { meanOf, meanOfKnown } from '../estimate.js';
import { findGeneratorLimit } from '../generator-limit.js';
import { groupNumbered, listShares } from '../list-shares.js';
import { findPlateau } from '../plateau.js';
import { gatherStages } from './stage-facts.js';

/** @import { CellFigures, Variant } from '../../study-records.d.ts' */
/** @import { Study } from '../../study-file.d.ts' */
/** @import { Point, Saturation, ServiceDemand } from '../../study-report.d.ts' */
/** @import { Cell } from '../collect-cells.js' */
/** @import { ComponentFact, StudyLimitFacts } from './limit-facts.d.ts' */

/**
 * @param {object} known
 * @param {Study} known.study
 * @param {Variant} known.variant
 * @param {Cell[]} known.cells measured ones
 * @param {Point[]} known.points
 * @param {Saturation} known.saturation
 * @param {ServiceDemand[]} known.demands
 * @param {StudyLimitFacts['siblings']} known.siblings
 * @param {StudyLimitFacts['own']} known.own
 * @param {string} known.throughputLabel
 * @returns {StudyLimitFacts}
 */
export function gatherStudyLimitFacts(known) {
  const { study, variant, cells, points, saturation, demands, siblings, own } = known;
  const plateau = findPlateau(points, saturation);
  const point =
    plateau.toSorted((a, b) => b.throughputPerSec.value - a.throughputPerSec.value)[0] ?? null;
  const at = cells.flatMap(({ step, figures }) =>
    step === point?.step && figures ? [figures] : [],
  );
  const onPlateau = cells.flatMap(({ step, figures }) =>
    figures && plateau.some(one => one.step === step) ? [figures] : [],
  );
  const components = listComponents(at, cells, plateau);
  const host = meanHost(at);
  const generatorCores = point?.generatorCores ?? null;
  const used = components.reduce((sum, { cores }) => sum + cores, 0);
  return {
    model: study.load.model,
    saturation,
    isPressed: findPressure(saturation, points, point),
    point,
    plateau,
    mostStep: points.at(-1)?.step ?? null,
    seenPerSec: Math.max(0, ...points.map(({ throughputPerSec }) => throughputPerSec.value)),
    errors: sumErrors(cells.flatMap(({ figures }) => figures ?? [])),
    sign: findSign(cells, points, saturation),
    host,
    components,
    workers: components.find(({ name }) => name === 'workers') ?? null,
    generatorCores,
    otherCores: host ? Math.max(0, host.cores - used - (generatorCores ?? 0)) : null,
    ...gatherStages(study, variant, cells, point),
    siblings,
    quota: findQuota(at),
    uneven: findUneven(onPlateau),
    served: saturation.kneeInFlight?.value ?? null,
    stuckInFlight: findStuckInFlight(study.load.model, points),
    connectionErrors: findConnectionErrors(onPlateau),
    named: listNamedNumbers(study, variant),
    instances: countInstances(components),
    own,
    errorRate: point?.errorRate ?? 0,
    skippedRate: point?.skippedRate ?? 0,
    missing: listMissing(study, { host, components, own, saturation }),
    aloneBoundPerSec: findAloneBound(demands, host),
    throughputLabel: known.throughputLabel,
  };
}

/**
 * Throughput that grows by less than this part of what the load grows by rises hardly: whether something
 * stops it is not known then.
 */
const RISES = 0.25;

/** @param {Saturation} saturation @param {Point[]} points @param {Point | null} point */
function findPressure({ state }, points, point) {
  if (state === 'reached') return true;
  if (point && point.skippedRate > 0.01) return true;
  if (state !== 'not-reached') return null;
  const [before, last] = points.slice(-2);
  if (!before || !last) return false;
  const gain = Math.log(last.throughputPerSec.value / before.throughputPerSec.value);
  return gain / Math.log(last.step / before.step) >= RISES ? false : null;
}

/**
 * Only where it hides what the target can do: not when throughput had levelled off below it.
 * @param {Cell[]} cells @param {Point[]} points @param {Saturation} saturation
 * @returns {StudyLimitFacts['sign']}
 */
function findSign(cells, points, saturation) {
  const limited = points.find(({ isGeneratorLimit }) => isGeneratorLimit);
  if (!limited || saturation.state === 'reached') return null;
  const sign = cells
    .filter(({ step }) => step === limited.step)
    .map(({ figures }) => figures && findGeneratorLimit(figures))
    .find(found => found !== null);
  return { step: limited.step, text: sign ?? 'it could not send more' };
}

/** @param {CellFigures[]} at repeats of the step @param {Cell[]} cells @param {Point[]} plateau @returns {ComponentFact[]} */
function listComponents(at, cells, plateau) {
  const uses = at.flatMap(({ components }) => components);
  return [...Map.groupBy(uses, ({ name }) => name)]
    .map(([name, own]) => {
      const processes = meanOf(own.map(one => one.processes.mean));
      return {
        name,
        cores: meanOf(own.map(({ cores }) => cores)),
        busiestCores: meanOf(own.map(({ busiestCores }) => busiestCores)),
        mostCores: meanOfKnown(own.map(({ mostCores }) => mostCores)),
        processes,
        threads: meanOf(own.map(({ threads }) => threads)) / Math.max(1, processes),
        busiestOverPlateau: plateau.flatMap(({ step }) => {
          const busiest = cells
            .filter(cell => cell.step === step)
            .flatMap(({ figures }) => figures?.components.find(one => one.name === name) ?? [])
            .map(({ busiestCores }) => busiestCores);
          return busiest.length > 0 ? [meanOf(busiest)] : [];
        }),
      };
    })
    .filter(({ processes }) => processes > 0)
    .sort((a, b) => b.cores - a.cores);
}

/** @param {CellFigures[]} at @returns {StudyLimitFacts['host']} */
function meanHost(at) {
  const hosts = at.flatMap(({ host }) => host ?? []);
  const [first] = hosts;
  return first ? { cores: meanOf(hosts.map(({ cores }) => cores)), cpus: first.cpus } : null;
}

/** The group that was held back most. @param {CellFigures[]} at @returns {StudyLimitFacts['quota']} */
function findQuota(at) {
  const groups = Map.groupBy(
    at.flatMap(({ throttled }) => throttled),
    ({ roles }) => roles.join(' '),
  );
  const means = [...groups.values()].flatMap(group => {
    const [first] = group;
    if (!first) return [];
    const share = group.reduce((sum, one) => sum + one.share, 0) / at.length;
    return [{ roles: first.roles, quotaCores: first.quotaCores, share }];
  });
  const target = means.filter(({ roles }) => roles.some(role => role !== 'generator'));
  return target.sort((a, b) => b.share - a.share)[0] ?? null;
}

/**
 * Of all cells of the plateau together, the largest first: cells are aligned by rank, for ids of
 * processes differ between them.
 * @param {CellFigures[]} all @returns {StudyLimitFacts['uneven']}
 */
function findUneven(all) {
  for (const of of /** @type {const} */ (['backends', 'workers'])) {
    const groups = all.flatMap(figures => listShares(figures).filter(share => share.of === of));
    const length = Math.max(0, ...groups.map(({ counts }) => counts.length));
    const counts = Array.from({ length }, (_, rank) =>
      groups.reduce((sum, group) => sum + (group.counts.toSorted((a, b) => b - a)[rank] ?? 0), 0),
    );
    if (groups[0] && isUnevenCount(counts, groups[0].unit)) return { of, counts };
  }
  return null;
}

/** @param {number[]} counts @param {CellFigures['shares'][number]['unit']} unit */
function isUnevenCount(counts, unit) {
  const sum = counts.reduce((total, count) => total + count, 0);
  const squares = counts.reduce((total, count) => total + count * count, 0);
  return isUneven({
    basis: unit === 'cpuMs' ? 'process-cpu' : 'companion',
    expected: null,
    members: counts.map((count, index) =>
      unit === 'cpuMs'
        ? { id: String(index), requests: null, cpuMs: count }
        : { id: String(index), requests: count, cpuMs: null },
    ),
    min: Math.min(...counts),
    mean: sum / counts.length,
    median: 0,
    max: Math.max(...counts),
    jain: squares > 0 ? (sum * sum) / (counts.length * squares) : 1,
  });
}

/** In-flight numbers that are this near to each other are one. */
const STUCK = 1.15;
/** With so many times the users. */
const MORE_USERS = 1.8;

/**
 * In a closed loop as many are under way as there are users. Where it stays the same with more of them,
 * the others wait before they are let in.
 * @param {'closed' | 'open'} model @param {Point[]} points @returns {number | null}
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
  return meanOf(own.map(({ inFlight }) => inFlight ?? most));
}

/** Names of errors that mean: there was no connection to be had. */
const NO_CONNECTION = /ECONNREFUSED|ECONNRESET|EADDRNOTAVAIL|EMFILE|CONNECT|ETIMEDOUT|\b503\b/i;

/** @param {CellFigures[]} all @returns {StudyLimitFacts['connectionErrors']} */
function findConnectionErrors(all) {
  const requests = all.reduce((sum, figures) => sum + figures.requests, 0);
  const own = sumErrors(all).filter(({ name }) => NO_CONNECTION.test(name));
  const [most] = own;
  if (!most || requests === 0) return null;
  return { share: own.reduce((sum, { count }) => sum + count, 0) / requests, name: most.name };
}

/** @param {CellFigures[]} all @returns {{name: string, count: number}[]} the most first */
function sumErrors(all) {
  /** @type {Map<string, number>} */
  const sums = new Map();
  for (const { name, count } of all.flatMap(({ errorNames }) => errorNames))
    sums.set(name, (sums.get(name) ?? 0) + count);
  return [...sums].map(([name, count]) => ({ name, count })).sort((a, b) => b.count - a.count);
}

/** Factors and variables that are called after something that is had a number of at a time. */
const COUNTED = /conn|slot|pool|thread|concurren/i;

/** @param {Study} study @param {Variant} variant @returns {StudyLimitFacts['named']} */
function listNamedNumbers({ factors, variables }, variant) {
  const values = [
    ...Object.entries(variables),
    ...factors.flatMap(({ name, values: own }) => {
      const value = own.find(({ label }) => label === variant.factors[name]);
      return value ? [[name, value.label], ...Object.entries(value.fields)] : [];
    }),
  ];
  return values.flatMap(([name, value]) =>
    COUNTED.test(String(name)) && Number(value) > 0
      ? [{ name: String(name), value: Number(value) }]
      : [],
  );
}

/** Components of one name and a number each, `backend-1`: the largest group. @param {ComponentFact[]} components */
function countInstances(components) {
  const groups = groupNumbered(components);
  return Math.max(1, ...groups.map(({ length }) => length));
}

/** @param {Study} study @param {Pick<StudyLimitFacts, 'host' | 'components' | 'own' | 'saturation'>} facts */
function listMissing({ record, load, target }, { host, components, own, saturation }) {
  const missing = [];
  if (components.length === 0)
    missing.push('name the processes of the target below `record: processes:`');
  if (!host) missing.push('the CPU time of the machine was not recorded');
  if (record.profile === 'off' && target.gunicorn)
    missing.push('`record: {profile: plateau}` shows what requests wait for');
  else if (record.profile !== 'off' && own === null)
    missing.push('the cell with a profile was not measured');
  if (Array.isArray(load.steps) && load.steps.length < 3)
    missing.push('measure more steps, at least three');
  else if (saturation.state === 'not-reached') missing.push('go on with more load');
  return missing;
}

/**
 * With the generator on another machine: no more than the bottleneck lets through (P. Denning,
 * J. Buzen, "The Operational Analysis of Queueing Network Models", Computing Surveys 10, 1978), and no
 * more than all cores together.
 * @param {ServiceDemand[]} demands @param {StudyLimitFacts['host']} host
 */
function findAloneBound(demands, host) {
  const own = demands.filter(({ component }) => component !== 'generator');
  if (own.length === 0 || !host) return null;
  const sumMs = own.reduce((sum, { demandMs }) => sum + demandMs.value, 0);
  return Math.min((host.cpus * 1000) / sumMs, ...own.map(({ boundPerSec }) => boundPerSec.value));
}
