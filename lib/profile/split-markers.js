import { checkHalfSecond, readMarker } from './markers.js';
import { ProfileBuilder } from './profile-builder.js';

/** @typedef {import('./profile.d.ts').Profile} Profile */

/**
 * The companion's frames are taken off the stacks, and say route and half-second of each row instead
 * (`routes`, `rows.route`, `rows.halfSecond`); stacks that only they told apart are one again. Collapsed
 * stacks and pictures are read like that at once, this is for what keeps its own tree.
 * @param {Profile} profile
 * @returns {Profile} the same one where there are no such frames
 */
export function splitMarkers(profile) {
  const { rows, nodes } = profile;
  const markers = profile.frames.map(readMarker);
  if (markers.every(marker => marker === null)) return profile;
  const builder = new ProfileBuilder();
  const frames = profile.frames.map((frame, index) =>
    markers[index] ? -1 : builder.internFrame(frame),
  );
  const count = nodes.frame.length;
  const copied = new Int32Array(count);
  const route = new Int32Array(count).fill(-1);
  const halfSecond = new Float64Array(count).fill(-1);
  for (let node = 0; node < count; node++) {
    const above = nodes.parent[node] ?? -1;
    if (above >= 0) {
      copied[node] = copied[above] ?? -1;
      route[node] = route[above] ?? -1;
      halfSecond[node] = halfSecond[above] ?? -1;
    } else copied[node] = -1;
    const frame = nodes.frame[node] ?? 0;
    const marker = markers[frame];
    if (!marker) copied[node] = builder.internNode(copied[node] ?? -1, frames[frame] ?? -1);
    else if ('halfSecond' in marker) halfSecond[node] = marker.halfSecond;
    else if (route[node] === -1) route[node] = builder.internRoute(marker.route);
  }
  for (const { pid, cmdline } of profile.processes) builder.internProcess({ pid, cmdline });
  for (const { pid, parent } of profile.processes) builder.internProcess({ pid, parent });
  for (const thread of profile.threads) builder.internThread(thread);
  for (const { startMs, endMs } of profile.segments) builder.addSegment(startMs, endMs);
  for (let row = 0; row < rows.node.length; row++) {
    const node = rows.node[row] ?? -1;
    const segment = rows.segment[row] ?? -1;
    builder.addRow(copied[node] ?? -1, rows.weight[row] ?? 0, {
      process: rows.process[row] ?? -1,
      thread: rows.thread[row] ?? -1,
      segment,
      route: route[node] ?? -1,
      halfSecond: checkHalfSecond(halfSecond[node] ?? -1, profile.segments[segment]),
    });
  }
  builder.skip(profile.skipped);
  return builder.build(profile);
}
