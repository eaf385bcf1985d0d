/** What is measured of one cell of a target whose truth is known. */

/** @import { CellFigures, CellKey, ComponentUse } from '../../../lib/run/facts/study-records.d.ts' */
/** @import { Study } from '../../../lib/run/facts/study-file.d.ts' */
/** @import { StudySpec, Truth, TrueComponent } from './study-spec.d.ts' */
/** @import { Random } from '../synthetic-run/random.js' */

/**
 * @param {object} given
 * @param {Truth} given.truth
 * @param {CellKey} given.cell
 * @param {Study} given.study
 * @param {number} given.startMs
 * @param {Random} given.random
 * @param {StudySpec} given.spec
 * @returns {CellFigures}
 */
export function simulateCell({ truth, cell, study, startMs, random, spec }) {
  const { step } = cell;
  const seconds = study.durationSec;
  const rate = truth.throughput(step) * random.factor(spec.noise ?? 0.03);
  const perSecond = Array.from({ length: seconds }, () =>
    Math.max(0, Math.round(rate * random.factor(spec.noiseWithin ?? 0.05))),
  );
  const good = perSecond.reduce((sum, n) => sum + n, 0);
  const errorRate = truth.errorRate?.(step) ?? 0;
  const answers = Math.round(
    (truth.dispatch ? truth.dispatch(step) * seconds : good) / (1 - Math.min(0.999, errorRate)),
  );
  const errors = errorRate >= 1 ? step * seconds : Math.round(answers * errorRate);
  const isOpen = study.load.model === 'open';
  const meanMs =
    truth.latencyMs?.(step) ??
    (isOpen ? (truth.minMs ?? 20) : rate > 0 ? (step / rate) * 1000 : 1000);
  const latency = describeLatency(meanMs * random.factor(spec.noise ?? 0.03), Math.max(good, 1));
  const skippedRate = truth.skippedRate?.(step) ?? 0;
  const components = useComponents(truth, perSecond, random);
  const generatorCores = ((truth.generatorMs ?? 0.3) * good) / seconds / 1000;
  const used = components.reduce((sum, { cores }) => sum + cores, 0);
  const cpus = spec.cpus ?? 2;
  const sign = truth.sign?.(step) ?? null;
  return {
    window: { startMs, endMs: startMs + seconds * 1000 },
    seconds,
    requests: Math.max(answers, errors),
    good: truth.dispatch ? answers : good,
    errors,
    errorNames: errors > 0 ? [{ name: truth.errorName ?? '503', count: errors }] : [],
    throughputPerSec: good / seconds,
    dispatchPerSec: truth.dispatch ? truth.dispatch(step) : good / seconds,
    latency: good > 0 || truth.dispatch ? latency : null,
    ...(study.load.model === 'burst' && {
      burst: {
        size: step,
        done: step,
        drainSec: (step * seconds) / good,
      },
    }),
    users: {
      created: isOpen ? step * seconds : step,
      skipped: Math.round((isOpen ? step * seconds : 0) * skippedRate),
    },
    inFlightMean: good > 0 ? ((good / seconds) * latency.meanMs) / 1000 : null,
    components,
    host: { cores: Math.min(cpus, used + generatorCores + (truth.otherCores ?? 0.03)), cpus },
    throttled: truth.throttled ? [{ roles: ['workers'], ...truth.throttled }] : [],
    generator: {
      cores: generatorCores,
      signs: sign
        ? [
            {
              id: sign.id,
              isLimit: sign.id !== 'paused',
              worker: 1,
              seconds,
              ofSeconds: seconds,
              utilization: 0.97,
              cores: 0.97,
              isCrowded: false,
              lagMaxMs: 3,
              pauseMaxMs: 3,
            },
          ]
        : [],
    },
    shares: Object.entries(truth.shares ?? {}).map(([of, weights]) => ({
      of: /** @type {'workers' | 'backends' | 'users'} */ (of),
      unit: of === 'users' ? 'scenarios' : 'answers',
      counts: random.divide(good, normalize(weights)),
    })),
    probes: simulateProbes(truth, startMs, seconds, step),
  };
}

/** @param {Truth} truth @param {number[]} perSecond @param {Random} random */
function useComponents(truth, perSecond, random) {
  return Object.entries(truth.components ?? {}).map(([name, component]) => {
    const demandMs = component.demandMs * random.factor(0.01);
    const series = perSecond.map(n => (n * demandMs * random.factor(0.02)) / 1000);
    const cores = series.reduce((sum, n) => sum + n, 0) / series.length;
    return useComponent(name, component, cores);
  });
}

/** @param {string} name @param {TrueComponent} component @param {number} cores @returns {ComponentUse} */
function useComponent(name, { most, processes = 1, threads = 1, spread, rssMb = 60 }, cores) {
  const shares = normalize(spread ?? new Array(processes).fill(1));
  return {
    name,
    cores,
    busiestCores: cores * Math.max(...shares),
    mostCores: most ?? null,
    processes: { mean: processes, max: processes },
    rssBytes: processes * rssMb * 1e6,
    pssBytes: processes * rssMb * 0.7e6,
    threads: processes * threads,
  };
}

/** @param {Truth} truth @param {number} startMs @param {number} seconds @param {number} step */
function simulateProbes(truth, startMs, seconds, step) {
  /** @type {CellFigures['probes']} */
  const probes = {};
  for (const [place, value] of Object.entries(truth.probes ?? {})) {
    const [probe = '', field = ''] = place.split('.');
    const fields = probes[probe] ?? {};
    probes[probe] = fields;
    fields[field] = Array.from({ length: seconds * 2 }, (_, half) => ({
      t: startMs + half * 500,
      value: Math.max(0, Math.round(value(half / 2, step))),
    }));
  }
  return probes;
}

/** Skewed to the right, as latencies are. @param {number} meanMs @param {number} count */
function describeLatency(meanMs, count) {
  return {
    count,
    minMs: meanMs * 0.6,
    meanMs,
    p50Ms: meanMs * 0.92,
    p75Ms: meanMs * 1.15,
    p90Ms: meanMs * 1.4,
    p95Ms: meanMs * 1.6,
    p99Ms: meanMs * 2.2,
    maxMs: meanMs * 3.5,
  };
}

/** @param {number[]} weights */
function normalize(weights) {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map(weight => weight / sum);
}
