/**
 * Finds messages that are built and never written: all samples of a statement that only calls a logger are in what makes
 * its arguments, and none goes on inside of the logger.
 */
import { addTo } from '../../base/files/maps.js';
import { ofKind } from '../../run/ndjson.js';
import { addUpwards, weighNodes } from '../stacks/node-table.js';

/** @import { RecordOf } from '../../run/facts/records.d.ts' */
/** @import { Profile } from '../stacks/profile.d.ts' */

/** Writing a message takes some percent of the time to build it. With fewer samples, none may fall into it. */
const LEAST_SAMPLES = 50;
/** What a logger does before it drops a message. */
const DECIDES = /(?:^|\.)(?:isEnabledFor|getEffectiveLevel|is_enabled_for|disabled)$/;

/**
 * @param {Profile} profile
 * @param {readonly RecordOf<'calls'>[]} calls as recorded
 * @returns {Profile} with `drops-log` in the `does` of such lines' frames
 */
export function markDroppedLogs(profile, calls) {
  const { frames, nodes } = profile;
  const known = new Map(
    ofKind(calls, 'log-call').map(own => [`${own.function}\n${own.file}\n${own.line}`, own]),
  );
  const callOf = frames.map(({ name, file, line }) => known.get(`${name}\n${file}\n${line}`));
  if (!callOf.some(call => call)) return profile;
  const totals = addUpwards(nodes, weighNodes(profile));
  const frameAt = (/** @type {number} */ node) => nodes.frame[node] ?? -1;
  const keyOf = ({ function: name = '', file = '', from = 0 } = {}) => `${name}\n${file}\n${from}`;
  const folderOf = (/** @type {number} */ at) => frames[frameAt(at)]?.file.replace(/[^/]*$/, '');
  /** Per node in a logger: the call of it. @type {Map<number, RecordOf<'calls', 'log-call'>>} */
  const inside = new Map();
  /** @type {Map<string, number>} */
  const built = new Map();
  const written = new Set();
  for (const [node, total] of totals.entries()) {
    const parent = nodes.parent[node] ?? -1;
    const { name = '' } = frames[frameAt(node)] ?? {};
    const [own, above] = [callOf[frameAt(node)], callOf[frameAt(parent)]];
    if (own) addTo(built, keyOf(own), total);
    const call = above ?? inside.get(parent);
    if (!call) continue;
    if (`.${name}`.endsWith(`.${call.method}`)) {
      inside.set(node, call);
      if (above) addTo(built, keyOf(above), -total);
      // A stack that was read while it changed has frames of the arguments there.
    } else if (!above && total > 0 && folderOf(node) === folderOf(parent) && !DECIDES.test(name))
      written.add(keyOf(call));
  }
  return Object.freeze({
    ...profile,
    frames: Object.freeze(
      frames.map((frame, at) => {
        const key = keyOf(callOf[at]);
        const isDropped = (built.get(key) ?? 0) >= LEAST_SAMPLES && !written.has(key);
        return isDropped ? { ...frame, does: /** @type {const} */ (['drops-log']) } : frame;
      }),
    ),
  });
}
