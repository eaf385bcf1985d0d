/** The gain of a fix: requests per second that saturate the workers' CPU, now and after it. */
import { estimateRatio } from '../../base/math/intervals.js';
import { sum } from '../../base/math/summary.js';
import { countWorkers } from './count-workers.js';
import { MEASURED_TWICE } from './resources.js';
import { ANY } from './solve-model.js';
import { THRESHOLDS } from './thresholds.js';

/** @import { CpuUse } from '../../run/facts/profile-report.d.ts' */
/** @import { Estimate } from '../../base/math/estimate.d.ts' */
/** @import { Report } from '../../run/facts/report.d.ts' */
/** @import { Bottleneck, WhatIf } from '../../run/facts/bottleneck.d.ts' */

/**
 * A fix rarely removes all of it: at the low end a tenth stays. Mostly the rest gets cheaper: less is freed and collected,
 * and fewer threads wait for the GIL. At the high end it does by this part of the share: of 13 fixes of the replay bench,
 * nine brought at most this, and the middle one 0.36.
 */
const [LEFT, MORE] = [0.1, 0.5];
const [HARDLY, MUCH] = [0.1, 0.8];
/** No reader can decide on a gain from hardly any to much: to nearly twice the rate. @param {Estimate} gain */
export const isUndecided = ({ value, low, high }, much = MUCH) =>
  (low ?? value) < HARDLY && (high ?? value) > much;
const NOT_KNOWN = { capacityPerSec: null, capacityAfterPerSec: null, gain: null };

/**
 * Amdahl's law: without a path of share p the same CPU serves 1 ÷ (1 − p) as many requests.
 * @param {Pick<Report, 'run' | 'cpu' | 'profile' | 'timeline'> & {bottleneck: Bottleneck | null}} facts
 * @returns {WhatIf[]} of causes with severity bad or warn, and of most of the CPU if requests could share its result, the largest share first
 */
export function estimateWhatIf({ run, cpu, profile, bottleneck, timeline }) {
  if (!cpu || !profile) return [];
  // The bottleneck has a prediction of its own.
  const limit = bottleneck?.component;
  const causes = profile.causes.filter(({ id, severity }) => severity !== 'info' && id !== limit);
  const single = profile.causes
    // A remark is worth a prediction if it takes most of the CPU.
    .filter(own => causes.includes(own) || (own.forAll && own.share.value >= THRESHOLDS.mostOfTime))
    .map(({ id, title, share }) => ({ causes: [id], titles: [title], share }));
  const together = profile.causesTogether && {
    ...profile.causesTogether,
    titles: causes.map(({ title }) => title),
  };
  const now = isCpuBound(bottleneck) ? findCapacity({ run, cpu, timeline }) : null;
  return [...(together ? [together] : []), ...single].map(item => {
    const foreseen = foresee(item.share, now, cpu, run);
    return { ...item, ...foreseen, condition: findCondition(bottleneck, now, foreseen.gain) };
  });
}

/**
 * Fewer CPU seconds a request are more requests only where the workers' CPU is full, also on a saturated machine.
 * @param {Bottleneck | null} bottleneck
 */
export function isCpuBound(bottleneck) {
  const { id = null, facts = null } = bottleneck ?? {};
  return id === 'workers' || id === 'gil' || (id === 'machine' && facts?.areWorkersFull === true);
}

/**
 * Of several causes that go together.
 * @param {Pick<Report, 'run' | 'timeline' | 'bottleneck'> & {cpu: CpuUse}} facts @param {Estimate} share
 */
export function foreseeGain(facts, share) {
  const now = isCpuBound(facts.bottleneck) ? findCapacity(facts) : null;
  return foresee(share, now, facts.cpu, facts.run).gain;
}

/**
 * @param {Bottleneck | null} bottleneck @param {Estimate | null} now @param {Estimate | null} gain
 * @returns {WhatIf['condition']}
 */
function findCondition(bottleneck, now, gain) {
  const { id = 'unknown', facts = null } = bottleneck ?? {};
  const bound = id === 'machine' || facts?.isMachineFull ? 'full-machine' : 'cpu-bound';
  const why = now ? 'vague' : 'no-cpu-time';
  if (isCpuBound(bottleneck)) return { id: gain ? bound : why, bottleneck: id };
  // The bottleneck is unknown, but it is not the workers' CPU, unless other programs saturate the machine.
  const isCpuFree = id === 'unknown' && facts?.workers && facts.why !== 'background-load';
  return { id: 'bottleneck', bottleneck: isCpuFree ? 'none' : id };
}

/**
 * Requests per second that saturate the workers' CPU: a core per worker, as far as the machine has them (the GIL lets one
 * thread run at a time; C code may use more), ÷ CPU time per request.
 * @param {Pick<Report, 'run' | 'timeline'> & {cpu: CpuUse}} facts
 * @returns {Estimate | null}
 */
export function findCapacity({ run, cpu, timeline }) {
  const workers = countWorkers(cpu.workers);
  const { perRequest, basis } = cpu;
  if (!workers || !perRequest || basis !== 'process-cpu') return null;
  // A database on the same machine needs its part of the cores for as many requests.
  const own = workers.cores / (workers.cores + (cpu.serviceCores ?? 0));
  // A saturated worker uses a core because of the GIL, or more if C code (TLS, compression) ran in parallel.
  const most = Math.max(workers.processes, workers.cores);
  const usable = Math.min(most, (run.host?.cpus ?? ANY) * own);
  const cost = timeline ? estimateCost(timeline) : null;
  // How much more C code could run beside Python's on the cores that are left is not known.
  const isKnown = workers.cores <= workers.processes * MEASURED_TWICE;
  const of = (/** @type {number} */ cpuMs) => (usable * 1000) / cpuMs;
  return {
    value: of(perRequest.value),
    // The interval comes from the windows, the value from the whole run.
    low: cost?.high ? of((perRequest.value * cost.high) / cost.value) : null,
    high: cost?.low && isKnown ? of((perRequest.value * cost.low) / cost.value) : null,
  };
}

/** CPU time per request over the windows of the run. @param {NonNullable<Report['timeline']>} timeline */
function estimateCost({ load, workers }) {
  if (!load) return null;
  const windows = load.requests.flatMap((requests, index) => {
    const cpu = workers.map(({ cpuMs }) => cpuMs[index] ?? null);
    if (requests === 0 || cpu.every(value => value === null)) return [];
    return [{ top: sum(cpu.map(value => value ?? 0)), bottom: requests }];
  });
  return estimateRatio(windows);
}

/**
 * If a worker used more than one core, samples do not show whose C code ran in parallel. The high end assumes that it
 * belongs to the rest, the low end to the removed path (the rest then has one core), the value to both in proportion. A
 * saturated worker of the demo fell from 1.33 cores to 0.91 without introspection and TLS contexts, and throughput rose by
 * 161 % instead of 330 %.
 * @param {Estimate} share
 * @param {Estimate | null} now
 * @param {CpuUse} cpu
 * @param {Pick<Report['run'], 'host'>} run
 * @returns {Pick<WhatIf, 'capacityPerSec' | 'capacityAfterPerSec' | 'gain'>} null where nothing is known
 */
function foresee(share, now, cpu, { host }) {
  if (!now) return NOT_KNOWN;
  const { cores: used = 0, processes = 1 } = countWorkers(cpu.workers) ?? {};
  const cores = Math.max(1, used / processes);
  // A database on the same machine needs its CPU for each further request.
  const [cpus, services] = [cpu.serviceCores && host ? host.cpus : ANY, cpu.serviceCores ?? 0];
  const factor = (/** @type {number} */ p) =>
    Math.min(1 / Math.max(0.01, 1 - p), Math.max(1, cpus / (used * (1 - p) + services)));
  const surely = (share.low ?? share.value) * (1 - LEFT);
  const low = factor(surely) * Math.max(1 / cores, 1 - surely);
  const value = (factor(share.value) * (cores - share.value * (cores - 1))) / cores;
  const most = share.high ?? share.value;
  const high = factor(1 - (1 - most) * (1 - MORE * most));
  const gain = { value: value - 1, low: low - 1, high: high - 1 };
  if (isUndecided(gain)) return NOT_KNOWN;
  return {
    capacityPerSec: now,
    capacityAfterPerSec: {
      value: now.value * value,
      low: (now.low ?? now.value) * low,
      high: (now.high ?? now.value) * high,
    },
    gain,
  };
}
