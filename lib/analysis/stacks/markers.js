/**
 * Frames that the companion (`companion/loadflame/`) adds to the stack of the app. A frame in file
 * `<loadflame route>` has the route of the request as its name, one in file `<loadflame time>` the half-second since the
 * epoch in which the request began. The companion's own threads show what suspended requests await, in the names of
 * frames in file `<loadflame await>`: the number of requests that the shown one represents, its route and the frames of
 * its coroutines, separated by tabs. A name that begins with a tab continues the frames.
 */
import { parseFrame, unescapeFolded } from './frame-text.js';

/** @import { Frame, SegmentInfo } from './profile.d.ts' */

const ROUTE_FILE = '<loadflame route>';
const TIME_FILE = '<loadflame time>';
export const AWAIT_FILE = '<loadflame await>';
export const HALF_SECOND_MS = 500;

/** How often these threads show another request. */
export const AWAITS_PER_SEC = 5;

/**
 * `awaits`: suspended requests that it represents; 0: it continues the frame before it
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
 * A request keeps the half-second in which it began. If that lies outside the segment of a sample (a request of many
 * seconds, another clock), it says nothing about the sample.
 * @param {number} halfSecond since the epoch
 * @param {SegmentInfo | undefined} segment
 * @returns {number} -1 if it is outside
 */
export function checkHalfSecond(halfSecond, segment) {
  if (!segment || segment.startMs === null || segment.endMs === null) return halfSecond;
  const startMs = halfSecond * HALF_SECOND_MS;
  return startMs + HALF_SECOND_MS > segment.startMs && startMs < segment.endMs ? halfSecond : -1;
}
