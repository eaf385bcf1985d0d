/** Profiles from profiles: merged, or narrowed to processes and times. Inputs are left as they are. */
import { ProfileBuilder } from './profile-builder.js';

/** @typedef {import('./profile.d.ts').Profile} Profile */

/**
 * Several profiles as one. Rates that differ leave the rate unknown.
 * @param {readonly Profile[]} profiles
 * @returns {Profile}
 */
export function mergeProfiles(profiles) {
  const builder = new ProfileBuilder();
  for (const profile of profiles) copyInto(builder, profile, () => true);
  const rates = new Set(profiles.map(({ rateHz }) => rateHz));
  return builder.build({
    source: profiles.length === 1 && profiles[0] ? profiles[0].source : 'merged',
    rateHz: rates.size === 1 ? (profiles[0]?.rateHz ?? null) : null,
    exactCounts: profiles.every(({ exactCounts }) => exactCounts),
  });
}

/**
 * The rows of some processes and/or of a stretch of time. A segment lies in the stretch when its
 * middle does; what has no time (a loose file) is in every stretch.
 * @param {Profile} profile
 * @param {{pids?: ReadonlySet<number> | null, window?: {startMs: number, endMs: number} | null}} filter
 * @returns {Profile}
 */
export function filterProfile(profile, { pids = null, window = null }) {
  const inside = profile.segments.map(
    segment => window === null || isSegmentInside(segment, window),
  );
  const builder = new ProfileBuilder();
  copyInto(builder, profile, row => {
    const process = profile.processes[profile.rows.process[row] ?? -1];
    if (pids !== null && (!process || !pids.has(process.pid))) return false;
    return inside[profile.rows.segment[row] ?? -1] ?? true;
  });
  return builder.build(profile);
}

/**
 * @param {import('./profile.d.ts').SegmentInfo} segment
 * @param {{startMs: number, endMs: number}} window
 */
export function isSegmentInside({ startMs, endMs }, window) {
  if (startMs === null || endMs === null) return true;
  const middle = (startMs + endMs) / 2;
  return middle >= window.startMs && middle <= window.endMs;
}

/** @param {ProfileBuilder} builder @param {Profile} profile @param {(row: number) => boolean} keep */
function copyInto(builder, profile, keep) {
  const { rows, nodes } = profile;
  const frames = profile.frames.map(frame => builder.internFrame(frame));
  const used = new Uint8Array(nodes.frame.length);
  for (let row = 0; row < rows.node.length; row++) {
    if (!keep(row)) continue;
    for (let node = rows.node[row] ?? -1; node >= 0 && !used[node]; node = nodes.parent[node] ?? -1)
      used[node] = 1;
  }
  const copied = new Int32Array(nodes.frame.length).fill(-1);
  for (let node = 0; node < copied.length; node++) {
    if (!used[node]) continue;
    const parent = nodes.parent[node] ?? -1;
    copied[node] = builder.internNode(
      parent < 0 ? -1 : (copied[parent] ?? -1),
      frames[nodes.frame[node] ?? 0] ?? 0,
    );
  }
  const processes = copyProcesses(builder, profile);
  const threads = profile.threads.map(thread => builder.internThread(thread));
  const segments = profile.segments.map(({ startMs, endMs }) => builder.addSegment(startMs, endMs));
  const routes = profile.routes.map(name => builder.internRoute(name));
  for (let row = 0; row < rows.node.length; row++) {
    if (!keep(row)) continue;
    builder.addRow(copied[rows.node[row] ?? -1] ?? -1, rows.weight[row] ?? 0, {
      process: processes[rows.process[row] ?? -1] ?? -1,
      thread: threads[rows.thread[row] ?? -1] ?? -1,
      segment: segments[rows.segment[row] ?? -1] ?? -1,
      route: routes[rows.route[row] ?? -1] ?? -1,
      halfSecond: rows.halfSecond[row] ?? -1,
    });
  }
  builder.skip(profile.skipped);
}

/** @param {ProfileBuilder} builder @param {Profile} profile @returns {number[]} new indexes */
function copyProcesses(builder, { processes }) {
  const copied = processes.map(({ pid, cmdline }) => builder.internProcess({ pid, cmdline }));
  for (const { pid, cmdline, parent } of processes)
    if (parent >= 0) builder.internProcess({ pid, cmdline, parent: copied[parent] ?? -1 });
  return copied;
}
