/**
 * What a transaction costs of each component, and what that allows at most: the utilization law
 * U = X·D and the bottleneck law X ≤ m/D (P. Denning, J. Buzen, "The Operational Analysis of Queueing
 * Network Models", Computing Surveys 10 (1978); E. Lazowska et al., "Quantitative System Performance"
 * (1984), 3.3 and 5.2), U in cores, m the cores that a component can use.
 */
import { mean } from '../../math/summary.js';
import { estimateOverCells } from '../estimates.js';

/** @import { Cell } from '../cells.js' */
/** @import { Windows } from '../estimates.js' */
/** @import { ServiceDemand } from '../../facts/study-report.d.ts' */

/** Python runs one thread of a process at a time, and a process of a core is what most others are, too. */
const ONE_CORE_EACH = new Set(['workers', 'master']);

/**
 * From the cells of the plateau, where fixed costs (timers, the master) weigh least.
 * @param {object} measured
 * @param {string} measured.component
 * @param {number} measured.mostCores cores that it can use at most, above 0
 * @param {{repeat: number, throughputPerSec: number, cores: number, windows?: Windows}[]} measured.cells of
 *   the plateau; `windows`: seconds of cores ÷ throughput
 * @returns {ServiceDemand | null} null where nothing was done
 */
export function estimateDemand({ component, mostCores, cells }) {
  const busy = cells.filter(({ throughputPerSec }) => throughputPerSec > 0);
  const throughput = mean(busy.map(({ throughputPerSec }) => throughputPerSec));
  if (busy.length === 0 || !(mostCores > 0)) return null;
  const demandMs = estimateOverCells(
    busy.map(({ repeat, throughputPerSec, cores, windows = [] }) => ({
      repeat,
      top: cores * 1000,
      bottom: throughputPerSec,
      windows,
    })),
  )?.estimate;
  const boundAt = (/** @type {number | null} */ demand) =>
    demand ? (mostCores * 1000) / demand : null;
  const bound = boundAt(demandMs?.value ?? null);
  if (!demandMs || bound === null) return null;
  return {
    component,
    demandMs,
    mostCores,
    boundPerSec: { value: bound, low: boundAt(demandMs.high), high: boundAt(demandMs.low) },
    utilization: (throughput * demandMs.value) / 1000 / mostCores,
  };
}

/** @param {Cell[]} cells of the plateau @returns {ServiceDemand[]} the lowest bound first */
export function listDemands(cells) {
  const all = cells.flatMap(({ repeat, figures }) => (figures ? [{ repeat, ...figures }] : []));
  const cpus = all.find(({ host }) => host)?.host?.cpus ?? null;
  const names = [...new Set(all.flatMap(({ components }) => components.map(({ name }) => name)))];
  const own = names.flatMap(name => {
    const uses = all.flatMap(figures => {
      const use = figures.components.find(component => component.name === name);
      if (!use) return [];
      const { repeat, throughputPerSec, perSecond, coresPerSecond } = figures;
      const windows = perSecond.flatMap((bottom, second) => {
        const cores = coresPerSecond[name]?.[second] ?? null;
        return cores === null ? [] : [{ top: cores * 1000, bottom }];
      });
      return [{ ...use, repeat, throughputPerSec, windows }];
    });
    const processes = Math.max(...uses.map(use => use.processes.max));
    const machine = cpus ?? processes;
    const mostCores =
      uses[0]?.mostCores ?? (ONE_CORE_EACH.has(name) ? Math.min(processes, machine) : machine);
    return estimateDemand({ component: name, mostCores, cells: uses }) ?? [];
  });
  const generator = estimateDemand({
    component: 'generator',
    mostCores: 1,
    cells: all.flatMap(({ repeat, throughputPerSec, generator: { cores } }) =>
      cores === null ? [] : [{ repeat, throughputPerSec, cores }],
    ),
  });
  return [...own, ...(generator && generator.demandMs.value > 0 ? [generator] : [])]
    .filter(({ demandMs }) => demandMs.value > 0)
    .sort((a, b) => a.boundPerSec.value - b.boundPerSec.value);
}
