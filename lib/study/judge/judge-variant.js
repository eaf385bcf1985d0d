/** One variant: its steps, where it saturates, what it costs. Its limit is told when all are known. */
import { formatCount } from '../../format.js';
import { describeFairness } from '../model/describe-fairness.js';
import { describeLittle } from '../model/describe-little.js';
import { estimateDemand } from '../model/estimate-demand.js';
import { findSaturation } from '../model/find-saturation.js';
import { fitUsl } from '../model/usl/fit-usl.js';
import { buildPoints } from './build-points.js';
import { isGeneratorLimit } from './generator-limit.js';
import { listShares } from './list-shares.js';
import { findPlateau } from './plateau.js';

/** @import { CellFigures, Variant } from '../study-records.d.ts' */
/** @import { Fairness, Point, ServiceDemand, VariantReport } from '../study-report.d.ts' */
/** @import { Cell } from './collect-cells.js' */

/** Python runs one thread of a process at a time, and a process of a core is what most others are, too. */
const ONE_CORE_EACH = new Set(['workers', 'master']);

/**
 * @typedef {Pick<VariantReport, 'id' | 'label' | 'factors' | 'points' | 'saturation' | 'usl' | 'demands' |
 *   'fairness' | 'little'>} MeasuredVariant
 */

/**
 * @param {Variant} variant
 * @param {Cell[]} cells measured ones of it
 * @param {{api: string[], random: () => number, model: 'closed' | 'open'}} options
 * @returns {MeasuredVariant}
 */
export function judgeVariant(variant, cells, { api, random, model }) {
  const points = buildPoints(cells, api);
  const saturation = findSaturation(points);
  const plateau = findPlateau(points, saturation);
  const atPlateau = cells.filter(({ step }) => plateau.some(point => point.step === step));
  return {
    ...variant,
    points,
    saturation,
    usl: fitUsl(
      cells.flatMap(({ step, figures }) =>
        figures?.inFlightMean
          ? [
              {
                step,
                n: figures.inFlightMean,
                x: figures.throughputPerSec,
                isGeneratorLimit: isGeneratorLimit(figures),
              },
            ]
          : [],
      ),
      { random },
    ),
    demands: listDemands(atPlateau.flatMap(({ figures }) => figures ?? [])),
    fairness: listFairness(plateau.at(-1) ?? null, cells),
    little: describeLittle(points.map(point => checkPoint(point, cells, model))),
  };
}

/** @param {CellFigures[]} all cells of the plateau @returns {ServiceDemand[]} the lowest bound first */
function listDemands(all) {
  const cpus = all.find(({ host }) => host)?.host?.cpus ?? null;
  const only = all.length === 1 ? all[0] : undefined;
  const names = [...new Set(all.flatMap(({ components }) => components.map(({ name }) => name)))];
  const own = names.flatMap(name => {
    const uses = all.flatMap(figures => {
      const use = figures.components.find(component => component.name === name);
      return use ? [{ ...use, throughputPerSec: figures.throughputPerSec }] : [];
    });
    const processes = Math.max(...uses.map(use => use.processes.max));
    const machine = cpus ?? processes;
    const mostCores =
      uses[0]?.mostCores ?? (ONE_CORE_EACH.has(name) ? Math.min(processes, machine) : machine);
    const seconds = only?.perSecond.flatMap((perSec, second) => {
      const cores = only.coresPerSecond[name]?.[second] ?? null;
      return cores === null ? [] : [{ cores, perSec }];
    });
    return estimateDemand({ component: name, mostCores, cells: uses, seconds }) ?? [];
  });
  const generator = estimateDemand({
    component: 'generator',
    mostCores: 1,
    cells: all.flatMap(({ throughputPerSec, generator: { cores } }) =>
      cores === null ? [] : [{ throughputPerSec, cores }],
    ),
  });
  return [...own, ...(generator && generator.demandMs.value > 0 ? [generator] : [])]
    .filter(({ demandMs }) => demandMs.value > 0)
    .sort((a, b) => a.boundPerSec.value - b.boundPerSec.value);
}

/** @param {Point | null} point the most load of the plateau @param {Cell[]} cells @returns {Fairness[]} */
function listFairness(point, cells) {
  if (!point) return [];
  const at = cells.flatMap(({ step, figures }) =>
    step === point.step && figures ? [figures] : [],
  );
  const shared = at.flatMap(listShares);
  // of the repeat in the middle: ids differ between repeats
  const perKind = [...Map.groupBy(shared, ({ of }) => of).values()].flatMap(groups => {
    const typical = groups[Math.floor(groups.length / 2)];
    if (!typical) return [];
    const unit = typical.unit === 'cpuMs' ? 'CPU-ms' : typical.unit;
    return (
      describeFairness({ of: typical.of, step: point.step, counts: typical.counts, unit }) ?? []
    );
  });
  const { latency } = point;
  if (!latency) return perKind;
  return [
    ...perKind,
    {
      of: 'latency',
      step: point.step,
      count: latency.count,
      jain: null,
      min: latency.minMs,
      mean: latency.meanMs,
      median: latency.p50Ms,
      max: latency.maxMs,
      text: `answers at step ${formatCount(point.step)} took ${latency.minMs.toFixed(1)} to ${latency.maxMs.toFixed(1)} ms, half of them less than ${latency.p50Ms.toFixed(1)} ms`,
    },
  ];
}

/** @param {Point} point @param {Cell[]} cells @param {'closed' | 'open'} model */
function checkPoint({ step }, cells, model) {
  const at = cells.flatMap(cell => (cell.step === step && cell.figures ? [cell.figures] : []));
  const of = (/** @type {(figures: CellFigures) => number | null} */ pick) => {
    const known = at.map(pick).filter(value => value !== null);
    return known.length > 0 ? known.reduce((sum, value) => sum + value, 0) / known.length : null;
  };
  return {
    step,
    // users of an open load think and walk through several requests: their number is no count of requests
    n: model === 'closed' ? of(({ users }) => users.activeMean) : null,
    throughputPerSec: of(({ answers, seconds }) => answers / seconds) ?? 0,
    meanMs: of(({ latency }) => latency?.meanMs ?? null),
  };
}
