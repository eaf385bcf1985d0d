/**
 * The first thing a reader sees: is it all right, what limits it, where does a request's time go, and
 * what would a fix buy.
 */
import {
  formatMs,
  formatNumberOf,
  formatPercent,
  formatRate,
  formatRoughShare,
} from '../format.js';
import { compareStarts } from './intended-start.js';
import { judgeValidity } from './validity.js';

/** Workers that use more than this of a core each are CPU-bound (design.md, what-if). */
const CPU_BOUND_CORES = 0.8;
/** Above this share of the machine's cores in use, everything on it takes CPU from everything else. */
const MACHINE_FULL = 0.9;
/** Shares of failed requests. */
const BAD_ERRORS = 0.05;
const WARN_ERRORS = 0.01;
/** Fewer active samples than this say little. */
const FEW_SAMPLES = 200;

/** @typedef {import('./report.d.ts').Report} Report */

/**
 * @param {Pick<Report, 'run' | 'load' | 'profile' | 'findings'>} facts
 * @returns {import('./report.d.ts').Verdict}
 */
export function judge({ run, load, profile, findings }) {
  const sentences = [
    describeLoad(load),
    describeLimit({ run, load, profile }),
    describeTime(profile),
    describeGain({ run, load, profile }),
  ];
  return {
    ...headline({ run, load, profile, findings }),
    sentences: sentences.filter(sentence => sentence !== null),
  };
}

/**
 * @param {Pick<Report, 'run' | 'load' | 'profile' | 'findings'>} facts
 * @returns {Pick<import('./report.d.ts').Verdict, 'level' | 'headline'>}
 */
function headline({ run, load, profile, findings }) {
  const invalid = load && judgeValidity(load);
  if (invalid) return { level: 'invalid', headline: `Not valid: ${invalid.reason}.` };
  if (!load && !profile) {
    return {
      level: 'unknown',
      headline: 'Nothing was measured: there is neither load nor a profile.',
    };
  }
  const partial = run.status === 'partial' ? ' (partial run)' : '';
  const failing = load ? load.http.errorRate : 0;
  const cause = findings.find(({ id, severity }) => id.startsWith('cause.') && severity !== 'info');
  if (load && failing >= BAD_ERRORS) {
    return {
      level: 'bad',
      headline: `${formatPercent(failing)} of the requests failed${partial}.`,
    };
  }
  const limit = load?.generator?.signs.find(({ isLimit }) => isLimit);
  if (limit) {
    return {
      level: 'warn',
      headline: `Doubtful: the load generator was the limit: ${limit.text}${partial}.`,
    };
  }
  if (cause) {
    const waste = `the largest waste is ${cause.title.replace(/\.$/, '')}`;
    const answered = failing >= WARN_ERRORS ? 'Some requests failed' : 'The requests were answered';
    const headline = load ? `${answered}; ${waste}${partial}.` : `T${waste.slice(1)}${partial}.`;
    return { level: 'warn', headline };
  }
  if (load && failing >= WARN_ERRORS) {
    return {
      level: 'warn',
      headline: `${formatPercent(failing)} of the requests failed${partial}.`,
    };
  }
  if (!load && profile && profile.samples.active < FEW_SAMPLES) {
    return {
      level: 'unknown',
      headline: `Not enough data: only ${formatNumberOf(profile.samples.active, 'active sample')}.`,
    };
  }
  if (!load)
    return { level: 'good', headline: `No known cause of waste in this profile${partial}.` };
  return { level: 'good', headline: `The target answered everything at this load${partial}.` };
}

/** @param {Report['load']} load */
function describeLoad(load) {
  if (!load) return null;
  const { http, socketio } = load;
  const latency = http.timeToFirstByte;
  const starts = compareStarts(http);
  const parts = [
    `${formatNumberOf(http.requests, 'request')} ${describeUsers(load)}, ${formatRate(http.meanRatePerSec)}`,
    latency &&
      `half answered within ${formatMs(latency.p50Ms)} and 95 % within ${formatMs(latency.p95Ms)} (time to first byte)`,
    starts?.matters &&
      `counted from when they were due, ${starts.percent} % were complete within ${formatMs(starts.intendedMs)}`,
    http.errorRate > 0 ? `${formatPercent(http.errorRate)} failed` : 'none failed',
    socketio?.connects ? formatNumberOf(socketio.connects, 'socket.io connection') : null,
  ];
  return `${parts.filter(Boolean).join('; ')}.`;
}

/**
 * In a closed loop each round counts as a user, as every walk through a scenario does.
 * @param {import('./report.d.ts').LoadReport} load
 */
function describeUsers({ phases, seconds, users }) {
  const loops = phases.some(({ model }) => model === 'closed');
  if (!loops || phases.some(({ model }) => model === 'open'))
    return `of ${formatNumberOf(users.created, 'user')}`;
  const most = Math.max(...seconds.map(({ usersActive }) => usersActive ?? 0));
  return `in ${formatNumberOf(users.created, 'round')} of ${formatNumberOf(most, 'user')} (closed loop)`;
}

/**
 * What limits the throughput, as far as CPU tells. Where the generator could not send more, nothing
 * is known of what the target can take, however busy it looks.
 * @param {Pick<Report, 'run' | 'load' | 'profile'>} facts
 * @returns {'generator' | 'workers' | 'machine' | 'not-cpu' | 'unknown'}
 */
function findLimit({ run, load, profile }) {
  if (load?.generator?.signs.some(({ isLimit }) => isLimit)) return 'generator';
  const cores = profile && workerCores(profile);
  if (!profile || !cores) return 'unknown';
  if (cores.mean > CPU_BOUND_CORES) return 'workers';
  const { hostCores } = profile.cpu;
  if (run.host && hostCores !== null && hostCores > run.host.cpus * MACHINE_FULL) return 'machine';
  return 'not-cpu';
}

/** @param {Pick<Report, 'run' | 'load' | 'profile'>} facts */
function describeLimit({ run, load, profile }) {
  const limit = findLimit({ run, load, profile });
  const cores = load && profile && workerCores(profile);
  if (!cores) {
    return limit === 'generator'
      ? 'The load generator could not send more: what the target can serve does not follow from this run.'
      : null;
  }
  const { workers } = profile;
  const used = `${formatNumberOf(workers.length, 'worker')} used ${cores.mean.toFixed(2)} of a core each (the busiest ${cores.max.toFixed(2)})`;
  switch (limit) {
    case 'generator':
      return `${used}, but the load generator could not send more: what the API can serve does not follow from this run.`;
    case 'workers':
      return `${used}: their CPU limits the throughput.`;
    case 'machine':
      return `${used}, but the machine had no idle CPU (${profile.cpu.hostCores?.toFixed(1)} of ${run.host?.cpus} cores in use, the load generator among them): what limits the API alone can not be told from this run.`;
    default:
      return `${used}: worker CPU does not limit the throughput at this load.`;
  }
}

/** @param {Report['profile']} profile */
function describeTime(profile) {
  if (!profile) return null;
  const flagged = profile.hotPaths.find(path => path.flagged) ?? profile.hotPaths[0];
  if (!flagged) return null;
  return flagged.sentence.charAt(0).toUpperCase() + flagged.sentence.slice(1);
}

/**
 * Amdahl's law: without a path of share p the same CPU serves 1/(1−p) as many requests. An upper
 * bound, since a fix leaves something; claimed only where CPU is what limits.
 * @param {Pick<Report, 'run' | 'load' | 'profile'>} facts
 */
function describeGain({ run, load, profile }) {
  const cause = profile?.causes.find(({ severity }) => severity === 'bad' || severity === 'warn');
  if (!cause) return null;
  const saved = cause.cpuMsPerRequest
    ? ` (${formatMs(cause.cpuMsPerRequest.value)} a request)`
    : '';
  const limit = findLimit({ run, load, profile });
  if (limit === 'workers') {
    const more = 1 / (1 - cause.share.value) - 1;
    return `Without "${cause.title}" the same workers could serve up to ${formatPercent(more)} more requests; its share is ${formatRoughShare(cause.share)}.`;
  }
  const condition = {
    generator:
      'how much throughput that brings can not be told, because the load generator was the limit',
    machine: 'how much throughput that brings can not be told while the machine is full',
    'not-cpu': 'it will not raise the throughput of this run, because CPU does not limit it',
    unknown: 'whether it raises the throughput can not be told without process CPU',
  }[limit];
  return `Mending "${cause.title}" saves up to ${formatRoughShare(cause.share)} of the CPU${saved}; ${condition}.`;
}

/** @param {import('./report.d.ts').ProfileReport} profile */
function workerCores(profile) {
  const cores = profile.workers.flatMap(worker => worker.cores ?? []);
  if (cores.length === 0) return null;
  return { max: Math.max(...cores), mean: cores.reduce((sum, n) => sum + n, 0) / cores.length };
}
