/** What a fix would buy: requests per second at which the workers' CPU is full, now and after it. */
import { estimateRatio } from '../math/intervals.js';
import { countWorkers } from './count-workers.js';

/** @import { CpuUse } from '../facts/profile-report.d.ts' */
/** @import { Estimate } from '../facts/estimate.d.ts' */
/** @import { Report } from '../facts/report.d.ts' */
/** @import { Bottleneck, WhatIf } from '../facts/bottleneck.d.ts' */

/** A fix rarely takes all away: at the low end a tenth of it stays. */
const LEFT = 0.1;

/**
 * Amdahl's law: without a path of share p the same CPU serves 1 ÷ (1 − p) as many requests.
 * @param {Pick<Report, 'run' | 'cpu' | 'profile' | 'timeline'> & {bottleneck: Bottleneck | null}} facts
 * @returns {WhatIf[]} of causes that are no mere remarks, the largest share first
 */
export function estimateWhatIf({ run, cpu, profile, bottleneck, timeline }) {
  if (!cpu || !profile) return [];
  const causes = profile.causes.filter(({ severity }) => severity === 'bad' || severity === 'warn');
  const single = causes.map(({ id, title, share }) => ({ causes: [id], titles: [title], share }));
  const together = profile.causesTogether && {
    ...profile.causesTogether,
    titles: causes.map(({ title }) => title),
  };
  const now = isCpuBound(bottleneck) ? findCapacity({ run, cpu, timeline }) : null;
  const condition = findCondition(bottleneck, now !== null);
  return [...(together ? [together] : []), ...single].map(item => ({
    ...item,
    ...foresee(item.share, now, coresOfWorker(cpu)),
    condition,
  }));
}

/**
 * Fewer CPU seconds a request are more requests only where the workers' CPU is full. That it is on a
 * saturated CPU, too, where other programs share it.
 * @param {Bottleneck | null} bottleneck
 */
export function isCpuBound(bottleneck) {
  if (!bottleneck) return false;
  const { id, facts } = bottleneck;
  return id === 'workers' || id === 'gil' || (id === 'machine' && facts.areWorkersFull);
}

/** @param {Bottleneck | null} bottleneck @param {boolean} isKnown @returns {WhatIf['condition']} */
function findCondition(bottleneck, isKnown) {
  const { id = 'unknown', facts = null } = bottleneck ?? {};
  if (isCpuBound(bottleneck))
    return {
      id: !isKnown ? 'no-cpu-time' : id === 'machine' ? 'full-machine' : 'cpu-bound',
      bottleneck: id,
    };
  // Nothing is known to be full, but it is not the CPU of workers; on a machine that others fill, it may be.
  const isCpuFree = id === 'unknown' && facts?.workers && facts.why !== 'background-load';
  return { id: 'bottleneck', bottleneck: isCpuFree ? 'none' : id };
}

/**
 * Requests per second when the workers' CPU is full: a core for each worker (Python runs one thread at
 * a time; more where C code used more), as far as the machine has them, ÷ CPU time per request.
 * @param {Pick<Report, 'run' | 'timeline'> & {cpu: CpuUse}} facts
 * @returns {Estimate | null}
 */
export function findCapacity({ run, cpu, timeline }) {
  const workers = countWorkers(cpu.workers);
  const { perRequest, basis } = cpu;
  if (!workers || !perRequest || basis !== 'process-cpu') return null;
  const usable = Math.min(
    workers.processes * coresOfWorker(cpu),
    run.host?.cpus ?? Number.POSITIVE_INFINITY,
  );
  const cost = timeline ? estimateCost(timeline) : null;
  const of = (/** @type {number} */ cpuMs) => (usable * 1000) / cpuMs;
  return {
    value: of(perRequest.value),
    // The interval is the windows'; the value is that of the whole run.
    low: cost?.high ? of((perRequest.value * cost.high) / cost.value) : null,
    high: cost?.low ? of((perRequest.value * cost.low) / cost.value) : null,
  };
}

/**
 * Cores that a full worker uses: one, since Python runs one thread at a time (GIL), and more where C code
 * (TLS, compression) ran beside it.
 * @param {CpuUse} cpu
 */
function coresOfWorker({ workers }) {
  return Math.max(1, countWorkers(workers)?.coresEach ?? 0);
}

/** CPU time per request over the windows of the run. @param {NonNullable<Report['timeline']>} timeline */
function estimateCost({ load, workers }) {
  if (!load) return null;
  const windows = load.requests.flatMap((requests, index) => {
    const cpu = workers.map(({ cpuMs }) => cpuMs[index] ?? null);
    if (requests === 0 || cpu.every(value => value === null)) return [];
    return [
      { top: cpu.reduce((sum, value) => Number(sum) + (value ?? 0), 0) ?? 0, bottom: requests },
    ];
  });
  return estimateRatio(windows);
}

/**
 * Where a worker used more than one core, samples do not say whose C code ran beside Python. At the
 * high end it is in what stays, at the low end in what goes (what is left then has one core), and for
 * the value it is in both in proportion. With introspection and TLS contexts gone, a worker of the demo
 * fell from 1.33 cores to 0.91 when it was full, and throughput rose by 161 % instead of 330 %.
 * @param {Estimate} share
 * @param {Estimate | null} now
 * @param {number} cores of a worker, from 1
 */
function foresee(share, now, cores) {
  if (!now) return { capacityPerSec: null, capacityAfterPerSec: null, gain: null };
  const factor = (/** @type {number} */ p) => 1 / Math.max(0.01, 1 - p);
  const surely = (share.low ?? share.value) * (1 - LEFT);
  const low = factor(surely) * Math.max(1 / cores, 1 - surely);
  const value = (factor(share.value) * (cores - share.value * (cores - 1))) / cores;
  const high = factor(share.high ?? share.value);
  return {
    capacityPerSec: now,
    capacityAfterPerSec: {
      value: now.value * value,
      low: (now.low ?? now.value) * low,
      high: (now.high ?? now.value) * high,
    },
    gain: { value: value - 1, low: low - 1, high: high - 1 },
  };
}
