/**
 * What a transaction costs of each component, and what that allows at most: the utilization law
 * U = X·D and the bottleneck law X ≤ m/D (P. Denning, J. Buzen, "The Operational Analysis of Queueing
 * Network Models", Computing Surveys 10 (1978); E. Lazowska et al., "Quantitative System Performance"
 * (1984), 3.3 and 5.2), U in cores, m the cores that a component can use.
 */
import { estimateRatio } from '../../math/intervals.js';
import { meanOfRuns } from '../../math/means.js';
import { mean } from '../../math/summary.js';
import { ALPHA, mapEstimate } from '../estimates.js';

/** @import { Estimate } from '../../analysis/report.d.ts' */
/** @import { CellFigures } from '../study-records.d.ts' */
/** @import { ServiceDemand } from '../study-report.d.ts' */

/** Python runs one thread of a process at a time, and a process of a core is what most others are, too. */
const ONE_CORE_EACH = new Set(['workers', 'master']);

/**
 * From the cells of the plateau, where fixed costs (timers, the master) weigh least.
 * @param {object} measured
 * @param {string} measured.component
 * @param {number} measured.mostCores cores that it can use at most, above 0
 * @param {{throughputPerSec: number, cores: number}[]} measured.cells of the plateau
 * @param {{cores: number, perSec: number}[]} [measured.seconds] of the one cell where there are no
 *   repeats: the interval comes from them
 * @returns {ServiceDemand | null} null where nothing was done
 */
export function estimateDemand({ component, mostCores, cells, seconds = [] }) {
  const busy = cells.filter(({ throughputPerSec }) => throughputPerSec > 0);
  const throughput = mean(busy.map(({ throughputPerSec }) => throughputPerSec));
  if (busy.length === 0 || !(mostCores > 0)) return null;
  const demandSec = estimate(
    busy.map(({ throughputPerSec, cores }) => cores / throughputPerSec),
    seconds,
  );
  const boundAt = (/** @type {number | null} */ demand) => (demand ? mostCores / demand : null);
  const bound = boundAt(demandSec.value);
  if (bound === null) return null;
  return {
    component,
    demandMs: mapEstimate(demandSec, sec => sec * 1000),
    mostCores,
    boundPerSec: { value: bound, low: boundAt(demandSec.high), high: boundAt(demandSec.low) },
    utilization: (throughput * demandSec.value) / mostCores,
  };
}

/** @param {number[]} ratios of each cell @param {{cores: number, perSec: number}[]} seconds @returns {Estimate} */
function estimate(ratios, seconds) {
  if (ratios.length > 1) {
    const { value, low, high } = meanOfRuns(ratios, ALPHA);
    return { value, low: Math.max(0, low), high };
  }
  const windows = seconds.filter(({ perSec }) => perSec > 0);
  const within = estimateRatio(
    windows.map(({ cores, perSec }) => ({ top: cores, bottom: perSec })),
  );
  const value = mean(ratios);
  // the cell's own figure is the truth of it; its seconds only say how sure it is
  if (!within) return { value, low: null, high: null };
  const half = (((within.high - within.low) / 2) * value) / within.value;
  return { value, low: Math.max(0, value - half), high: value + half };
}

/** @param {CellFigures[]} all cells of the plateau @returns {ServiceDemand[]} the lowest bound first */
export function listDemands(all) {
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
