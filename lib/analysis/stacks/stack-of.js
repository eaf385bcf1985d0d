/** @import { Profile } from './profile.d.ts' */

/** The ids of a stack's frames, outermost first. @param {Pick<Profile, 'nodes'>} profile @param {number} node innermost, -1 for none */
export function stackOf({ nodes }, node) {
  /** @type {number[]} */
  const ids = [];
  for (let at = node; at >= 0; at = nodes.parent[at] ?? -1) ids.push(nodes.frame[at] ?? 0);
  return ids.reverse();
}
