/** What the rules of the limit judge by, gathered from the cells of a variant. */

import { meanOf, meanOfKnown } from '../estimate.js';
import { findPlateau } from '../plateau.js';
import { countInstances, listMissing, listNamedNumbers } from './plan-facts.js';
import { findPressure, findSign, findStuckInFlight } from './pressure-facts.js';
import { findConnectionErrors, findQuota, findUneven, sumErrors } from './spread-facts.js';
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
  };
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
