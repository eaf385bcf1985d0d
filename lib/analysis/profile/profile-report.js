/** The profile half of the Report: the analysis of stacks, plus the operating system's figures for the processes. */

import { sum } from '../../base/math/summary.js';
import { ofKind } from '../../run/ndjson.js';
import { classifyProfile } from '../hotpath/classify-profile.js';
import { totalLengthMs } from '../read/load/load-totals.js';
import { analyseProfile } from './analyse-profile.js';
import { annotateSource } from './annotate-source.js';
import { describeCpuUse, sumCpu } from './cpu-use.js';
import { keepServing } from './threads.js';
import { createSampleCounter } from './waits/count-samples.js';
import { findLoopWaits } from './waits/loop-waits.js';
import { buildWaits } from './waits/waits.js';

/** @typedef {import('../../run/facts/profile-report.d.ts').ProfileReport} ProfileReport */

/**
 * Skew by where samples are taken from: `near`, the target's own core; `far`, another core, or the target was paused.
 * On the truth bench, on a saturated machine, this many shares are within the skew plus chance: 108 of 113 (by chance
 * alone 101), and 123 of 133 (92).
 */
export const SKEWS = Object.freeze({ near: 1.15, far: 1.5 });
/** @typedef {{palette: string[], category: Uint8Array}} NodeColors `category`: per node, an index into the colours */

/** @typedef {import('./recording.d.ts').Recording} Recording */

/**
 * @param {object} input
 * @param {import('../stacks/profile.d.ts').Profile} input.profile
 * @param {import('../../run/facts/rules.d.ts').Rules} input.rules
 * @param {string} input.source
 * @param {Recording} [input.recording]
 * @returns {{report: ProfileReport, cpu: import('../../run/facts/profile-report.d.ts').CpuUse, costs: import('../../run/facts/costs.d.ts').EndpointCosts | null, colors: NodeColors, countSamples: import('../../run/facts/slow-requests.d.ts').SampleCounter | null}}
 */
export function buildProfileReport({ profile, rules, source, recording }) {
  const lengthMs = recording ? totalLengthMs(recording.windows) : 0;
  const uses = recording?.processes ?? [];
  const pids = uses.filter(({ role }) => role === 'worker').map(({ pid }) => pid);
  const profiler = describeProfiler(recording?.records ?? []);
  const analysis = analyseProfile({
    ...recording,
    profile,
    rules,
    workersMs: sumCpu(uses, 'worker'),
    idleMs: (recording?.idleCores?.value ?? 0) * lengthMs,
    sampledShare:
      recording && lengthMs > 0
        ? measureSamplingCoverage(recording.records, pids, recording.cpuOf)
        : 1,
    failedLooks: recording?.segments.errors,
    looks: recording?.segments.looks,
    isLocal: ofKind(recording?.records ?? [], 'recording-end').some(({ localPeers }) => localPeers),
    skew: recording ? SKEWS[profiler?.sameCore ? 'near' : 'far'] : 1,
  });
  const { cpu, costs, base, classes, ...shown } = analysis;
  const threads = keepServing(recording?.threads ?? [], profile, analysis);
  const recorded = recording?.waits && {
    ...recording.waits,
    ...{ running: profile, analysis, rules, lengthMs, costs },
    classification: classifyProfile(recording.waits.looks, rules),
    sampledMs: lengthMs - recording.segments.unsampledMs,
    masterPid: recording.masterPid,
    scheduled: threads,
    grid: recording.grid,
    rates: recording.load,
  };
  const waiting = recorded ? buildWaits(recorded) : null;
  const annotated = annotateSource(
    recording?.source ?? [],
    { profile, classification: classes, weights: base.weights, rateHz: profile.rateHz ?? 1 },
    recorded && waiting ? { ...recorded, profile: recorded.looks, weights: waiting.weights } : null,
    cpu.perRequest?.value ?? null,
  );
  return {
    report: {
      source,
      profiler,
      window: recording?.window ?? null,
      rateHz: profile.rateHz,
      segments: recording?.segments ?? null,
      ...shown,
      unreadShare: recording?.areLinesRead ? measureUnread(profile, analysis) : null,
      ...((!recording || profile.skipped > 0) && { reading: describeReading(profile) }),
      waits: waiting?.waits ?? null,
      loopWaits: recorded ? findLoopWaits(recorded) : null,
      ...(annotated.length > 0 && { lines: annotated }),
    },
    cpu: describeCpuUse(recording && { ...recording, threads }, analysis),
    costs,
    countSamples: recorded ? createSampleCounter(recorded) : null,
    colors: { palette: classes.categories.map(({ color }) => color), category: classes.category },
  };
}

/** @param {import('../stacks/profile.d.ts').Profile} profile @returns {ProfileReport['reading']} */
function describeReading({ entries, skipped, firstSkipped: example, isDifference, frames }) {
  const isPython = frames.some(({ file }) => /\.pyx?$|^<(?:frozen|string)/.test(file));
  // Only a package has such a file: its folder was left out, and those of the others.
  const isShortened = frames.some(({ file }) => file === '__init__.py');
  const names = isShortened ? 'files' : isPython ? 'paths' : 'functions';
  return { entries, skipped, example, isDifference, names };
}

/** @param {Recording['records']} records @returns {ProfileReport['profiler']} null for a loose file */
function describeProfiler(records) {
  const { recorder, notRemote = null } = ofKind(records, 'recording-start')[0] ?? {};
  if (!recorder) return null;
  const { name, version = null, pausesTarget = false } = recorder;
  const { hasTimes = false, sameCore = false } = recorder;
  return { name, version, pausesTarget, hasTimes, sameCore, notRemote };
}

/** Lines with fewer samples are not looked up. */
const LEAST_SAMPLES = 3;

/**
 * Share of the samples that end in lines of the application whose source was not found.
 * @param {import('../stacks/profile.d.ts').Profile} profile
 * @param {import('./recording.d.ts').ProfileAnalysis} analysis
 */
function measureUnread({ frames, nodes }, { base, classes }) {
  const ofFrame = new Float64Array(frames.length);
  base.weights.forEach((weight, node) => {
    const frame = nodes.frame[node] ?? 0;
    ofFrame[frame] = (ofFrame[frame] ?? 0) + weight;
  });
  const unread = ofFrame.filter(
    (weight, frame) =>
      weight >= LEAST_SAMPLES &&
      !frames[frame]?.calls &&
      classes.identities[frame]?.origin === 'user',
  );
  return base.total > 0 ? sum(unread) / base.total : 0;
}

/** Even a segment that was always late was sampled now and then. */
const LEAST_COVERAGE = 0.02;

/**
 * The rate at which the profiler sampled, as a share of the requested rate. When py-spy has no time for a sample, it
 * falls behind and reports by how much. Samples still missing at the end of a segment are lost. Our own recorder drops
 * late samples and counts them, and also counts failed ones. Samples are lost when the processes are busiest, so
 * segments are weighted by their CPU time.
 * @param {Recording['records']} records of `profile/segments.ndjson`
 * @param {readonly number[]} pids of the workers
 * @param {(pid: number, startMs: number, endMs: number) => number | null} cpuOf CPU time of a process, ms
 * @returns {number} above 0, to 1
 */
export function measureSamplingCoverage(records, pids, cpuOf) {
  let sampled = 0;
  let all = 0;
  for (const segment of ofKind(records, 'segment')) {
    const { startMs, endMs, lateMs = 0, missedMs = 0, looks = 0, errors = 0 } = segment;
    if (endMs <= startMs) continue;
    const seen = looks > 0 ? 1 - errors / looks : 1;
    const cpuMs = sum(pids.map(pid => cpuOf(pid, startMs, endMs) ?? 0));
    all += cpuMs;
    const inTime = 1 - (lateMs + missedMs) / (endMs - startMs);
    sampled += cpuMs * Math.max(LEAST_COVERAGE, inTime * seen);
  }
  return all > 0 ? sampled / all : 1;
}
