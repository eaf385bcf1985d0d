/** Below this, a number is in seconds: in milliseconds it would be a day of 1973. */
const SMALLEST_MS = 1e11;

/**
 * When a server sent a push, if that stands in it.
 * @param {any[]} args
 * @param {string} path JSONPath to a time in ms or s since 1970, or as ISO 8601
 * @param {any} context
 * @param {import('../engine.d.ts').Helpers} helpers
 * @returns {number} ms since 1970, NaN where there is none
 */
export function readSendTime(args, path, context, helpers) {
  let value;
  const params = { capture: [{ json: path, as: 'sentAt' }], match: [] };
  helpers.captureOrMatch(params, { body: args }, context, (_error, result) => {
    value = result?.captures.sentAt?.value;
  });
  const time = Number(value || Number.NaN);
  if (Number.isNaN(time)) return Date.parse(String(value));
  return time < SMALLEST_MS ? time * 1000 : time;
}
