/** Sums up single requests to one address. */
import { estimateRatio, widenToRuns } from '../../base/math/intervals.js';
import { mean, median } from '../../base/math/summary.js';
import { sumCollections } from '../../run/facts/of-request.js';

/** @import { PingedCall, PingReport, WholeRequest } from '../../run/facts/whole-request.d.ts' */

/**
 * The CPU of a request as a load's mean has it: what its server spends before the next one is included, which the next
 * response reports. Collections are a mean, too: few requests run a full one. The first report may be of other requests.
 * @param {WholeRequest[]} requests
 * @returns {PingReport}
 */
export function sumUpPing(requests) {
  const below = (/** @type {number} */ most) =>
    requests.filter(({ status, error }) => !error && status !== null && status < most);
  // A redirect and what it leads to are two requests.
  const good = below(300).length > 0 ? below(300) : below(400);
  const reports = (good.length > 0 ? good : requests).filter(({ server }) => server !== null);
  const later = reports.slice(1);
  const meanOf = (/** @type {number[]} */ all) => (all.length > 0 ? mean(all) : 0);
  const gcMs = meanOf(later.map(({ server }) => sumCollections(server)));
  const besideMs = gcMs + meanOf(later.map(({ server }) => server?.aroundMs ?? 0));
  const mean95 = estimateRatio(later.map(own => ({ top: own.server?.cpuMs ?? 0, bottom: 1 })));
  const cpus = good.flatMap(({ server: own }) =>
    own?.cpuMs == null
      ? []
      : own.cpuMs + (own.endedMs ?? 0) - (later.length && sumCollections(own)),
  );
  const names = new Map(requests.flatMap(({ calls }) => calls?.named ?? []));
  const each = reports.map(({ calls }) => new Map(calls?.calls.map(call => [call[0], call])));
  const ids = new Set(each.flatMap(calls => [...calls.keys()]));
  // The first half of many warms up client and server, and costs a tenth more.
  const settled = cpus.slice(cpus.length < 20 ? 0 : cpus.length / 2);
  const calls = [...ids].flatMap(id => {
    const name = names.get(id);
    const counts = each.map(own => own.get(id)?.[1] ?? 0);
    /** @type {PingedCall['n']} */
    const n = [Math.min(...counts), Math.max(...counts)];
    return name ? { ...name, n, ms: mean(each.map(own => (own.get(id)?.[2] ?? 0) / 1000)) } : [];
  });
  const typical = {
    count: good.length,
    totalMs: median(good.map(({ phases }) => phases.totalMs)),
    cpuMs: cpus.length > 0 ? median(settled) + besideMs : null,
    cpuErrorMs: mean95 && widenToRuns(mean95).high - mean95.value,
    gcMs: cpus.length > 1 ? gcMs : null,
  };
  return {
    requests,
    typical: good.length > 0 ? typical : null,
    reported: reports.length,
    unnamed: ids.size - calls.length + Math.max(0, ...reports.map(own => own.calls?.more[0] ?? 0)),
    calls: calls.sort((a, b) => b.ms - a.ms),
  };
}
