/**
 * The frames that the companion (`companion/loadflame_companion.py`) puts on the stack around
 * the app: the route of the request in file `<loadflame route>`, and the half-second since the epoch
 * that it began in in file `<loadflame time>`. Threads of its own show what suspended requests await, in the
 * names of frames in file `<loadflame await>`: how many requests the shown one stands for, its route, and the
 * frames of its coroutines, with tabs between them; a name that begins with a tab continues the frames.
 */
import { parseFrame, unescapeFolded } from './frame-text.js';

/** @import { Frame, SegmentInfo } from './profile.d.ts' */

const ROUTE_FILE = '<loadflame route>';
const TIME_FILE = '<loadflame time>';
export const AWAIT_FILE = '<loadflame await>';
export const HALF_SECOND_MS = 500;

/** How often they show another request. */
export const AWAITS_PER_SEC = 5;

/**
 * `awaits`: suspended requests for which it stands; 0: it goes on
 * @typedef {{route: string} | {halfSecond: number} | {awaits: number, of: string, frames: Frame[]}} Marker
 */

/**
 * @param {Frame} frame
 * @returns {Marker | null} null for a frame of the program itself
 */
export function readMarker({ name, file }) {
  if (file === ROUTE_FILE) return { route: unescapeFolded(name) };
  if (file === TIME_FILE && /^\d{1,12}$/.test(name)) return { halfSecond: Number(name) };
  if (file === AWAIT_FILE && /^(?:\d{1,9}\t.*)?\t/.test(name)) return readAwaits(name);
  return null;
}

/** @param {string} name */
function readAwaits(name) {
  const texts = name.split('\t').map(unescapeFolded);
  const [count = '', of = ''] = texts;
  const frames = texts.slice(count === '' ? 1 : 2).map(parseFrame);
  return { awaits: Number(count), of, frames };
}

/**
 * A request keeps the half-second that it began in. Where that lies outside the segment that its
 * sample is of (a request of many seconds, another clock), it says nothing about the sample.
 * @param {number} halfSecond since the epoch
 * @param {SegmentInfo | undefined} segment
 * @returns {number} -1 where it is outside
 */
export function checkHalfSecond(halfSecond, segment) {
  if (!segment || segment.startMs === null || segment.endMs === null) return halfSecond;
  const startMs = halfSecond * HALF_SECOND_MS;
  return startMs + HALF_SECOND_MS > segment.startMs && startMs < segment.endMs ? halfSecond : -1;
}
