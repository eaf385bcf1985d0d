/** Merges profiles. Does not modify its inputs. */
import { mapValues } from '../../base/files/maps.js';
import { ProfileBuilder } from './profile-builder.js';

/** @import { Profile, SegmentInfo } from './profile.d.ts' */

/**
 * Several profiles as one. If their rates differ, its rate is unknown.
 * @param {readonly Profile[]} profiles
 * @returns {Profile}
 */
export function mergeProfiles(profiles) {
  const builder = new ProfileBuilder();
  for (const profile of profiles) copyInto(builder, profile);
  const rates = new Set(profiles.map(({ rateHz }) => rateHz));
  return builder.build({
    source: profiles.length === 1 && profiles[0] ? profiles[0].source : 'merged',
    rateHz: rates.size === 1 ? (profiles[0]?.rateHz ?? null) : null,
    isDifference: profiles.some(({ isDifference }) => isDifference),
  });
}

/**
 * A profile without the samples of programs that a server's processes started: for a request, or beside the workers, by
 * a start script.
 * @param {Profile} profile
 * @param {readonly number[]} pids of the workers; none: not known
 * @returns {Profile}
 */
export function withoutStartedPrograms(profile, pids) {
  const { processes, rows } = profile;
  const isBelow = processes.map(
    ({ pid, parent }) => pids.length > 0 && parent >= 0 && !pids.includes(pid),
  );
  if (!isBelow.includes(true)) return profile;
  /** @type {(_: number, row: number) => boolean} */
  const isKept = (_, row) => !isBelow[rows.process[row] ?? -1];
  const kept = /** @type {Profile['rows']} */ (mapValues(rows, own => own.filter(isKept)));
  return { ...profile, rows: kept, totalWeight: kept.weight.reduce((sum, own) => sum + own, 0) };
}

/** @param {ProfileBuilder} builder @param {Profile} profile */
function copyInto(builder, profile) {
  const { rows, nodes } = profile;
  const frames = profile.frames.map(frame => builder.internFrame(frame));
  const copied = new Int32Array(nodes.frame.length);
  for (let node = 0; node < copied.length; node++) {
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
    builder.addRow(copied[rows.node[row] ?? -1] ?? -1, rows.weight[row] ?? 0, {
      process: processes[rows.process[row] ?? -1] ?? -1,
      thread: threads[rows.thread[row] ?? -1] ?? -1,
      segment: segments[rows.segment[row] ?? -1] ?? -1,
      route: routes[rows.route[row] ?? -1] ?? -1,
      halfSecond: rows.halfSecond[row] ?? -1,
    });
  }
  builder.skip(profile.firstSkipped, profile.skipped);
}

/** @param {ProfileBuilder} builder @param {Profile} profile @returns {number[]} new indexes */
function copyProcesses(builder, { processes }) {
  const copied = processes.map(({ pid, cmdline }) => builder.internProcess({ pid, cmdline }));
  for (const { pid, cmdline, parent } of processes)
    if (parent >= 0) builder.internProcess({ pid, cmdline, parent: copied[parent] ?? -1 });
  return copied;
}

/**
 * A segment lies in a window if its middle does. One without times (a loose file) lies in every window.
 * @param {SegmentInfo} segment
 * @param {{startMs: number, endMs: number}} window
 */
export function isSegmentInside({ startMs, endMs }, window) {
  if (startMs === null || endMs === null) return true;
  const middle = (startMs + endMs) / 2;
  return middle >= window.startMs && middle <= window.endMs;
}
