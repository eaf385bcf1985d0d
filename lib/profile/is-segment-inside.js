/**
 * A segment lies in a stretch of time when its middle does; what has no time (a loose file) lies in every one.
 * @param {import('./profile.d.ts').SegmentInfo} segment
 * @param {{startMs: number, endMs: number}} window
 */
export function isSegmentInside({ startMs, endMs }, window) {
  if (startMs === null || endMs === null) return true;
  const middle = (startMs + endMs) / 2;
  return middle >= window.startMs && middle <= window.endMs;
}
