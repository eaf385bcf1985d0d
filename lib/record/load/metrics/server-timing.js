/** What the gunicorn companion says in an answer's Server-Timing (`companion/loadflame_gunicorn.py`). */

/** Others may have spoken before and after it; without a worker it is not the companion's. */
const OURS =
  /total;dur=(\d+(?:\.\d+)?), (?:cpu;dur=(\d+(?:\.\d+)?), )?worker;desc="([0-9a-f]{8}\.\d{1,10})"/;

/**
 * @typedef {object} ServerTiming
 * @property {number} totalMs from the worker taking the request up to the headers of its answer
 * @property {number | null} cpuMs of the thread meanwhile; null where it serves others, too (gevent)
 * @property {string} worker `<instance>.<pid>`
 */

/**
 * @param {string} text of the header
 * @returns {ServerTiming | null}
 */
export function parseServerTiming(text) {
  const match = OURS.exec(text);
  if (!match) return null;
  return {
    totalMs: Number(match[1]),
    cpuMs: match[2] === undefined ? null : Number(match[2]),
    worker: match[3] ?? '',
  };
}
