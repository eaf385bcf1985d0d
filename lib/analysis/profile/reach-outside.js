/** Which lines of the application reach out of the process: what they return is not known from what they are given. */
import { entryOf } from '../../base/files/maps.js';
import { identifyFrame } from '../hotpath/identify-frame.js';
import { markBelow } from '../stacks/node-table.js';

/** @import { Rules } from '../../run/facts/rules.d.ts' */
/** @import { Profile } from '../stacks/profile.d.ts' */

/** Sockets, files, processes, time and chance, by name. */
export const OUTSIDE =
  /\b(?:sock(?:et)?|subprocess|Popen|requests|httpx2?|aiohttp|urllib3?|grpc|redis|smtplib|secrets|open|urlopen|urandom|rand(?:int|range|bytes)|choices?|shuffle|monotonic|perf_counter|today|recv\w{0,99}|sendall|check_output|getaddrinfo|read_text|read_bytes|listdir|scandir|iterdir)\b/;
const MODULES =
  /^(?:socket|ssl|selectors|subprocess|random|uuid|secrets|tempfile|http\/client|urllib\/request|asyncio\/streams)\b/;
const WAITS = new Set(['database', 'external-call', 'child-process', 'socket', 'file']);

/**
 * @param {Profile} profile
 * @param {Rules} rules
 * @param {string[][]} sources per frame: lines of its function, where they were recorded
 * @returns {Uint8Array} per frame: 1 if what it calls, however far below, reaches outside
 */
export function findReached({ frames, nodes }, rules, sources) {
  const waits = rules.waits.filter(({ kind }) => WAITS.has(kind));
  /** @type {Map<number, boolean>} */
  const known = new Map();
  const isOutside = (/** @type {number} */ frame) =>
    entryOf(known, frame, () => {
      const identity = identifyFrame(frames[frame] ?? { name: '', file: '', line: null }, rules);
      return (
        (identity.origin === 'standard' && MODULES.test(identity.path)) ||
        sources[frame]?.some(line => OUTSIDE.test(line)) ||
        waits.some(({ matches }) => matches(identity))
      );
    });
  const frameAt = (/** @type {number} */ node) => nodes.frame[node] ?? 0;
  const inside = markBelow(nodes, node => (sources[frameAt(node)] ?? []).length > 0);
  const reaches = new Uint8Array(inside.length);
  const reached = new Uint8Array(frames.length);
  for (let node = inside.length - 1; node >= 0; node--) {
    const parent = nodes.parent[node] ?? -1;
    if (reaches[node]) reached[frameAt(node)] = 1;
    if (inside[parent] && (reaches[node] || isOutside(frameAt(node)))) reaches[parent] = 1;
  }
  return reached;
}
