/** Tells formats apart by what is in a file, never by its name. */

/** @typedef {import('./profile.d.ts').DetectedFormat} DetectedFormat */

/** @type {{format: DetectedFormat, test: (text: string) => boolean}[]} most particular first */
const FORMATS = [
  { format: 'empty', test: text => text.trim() === '' },
  {
    format: 'flamegraph-svg',
    test: text => /^\s*(?:<\?xml|<!DOCTYPE svg|<svg)/.test(text) && /<svg\b/.test(text),
  },
  {
    format: 'chrometrace',
    test: text => /^\s*[[{]/.test(text) && /"ph"\s*:\s*"[A-Za-z]"/.test(text),
  },
  {
    format: 'speedscope',
    test: text =>
      /^\s*\{/.test(text) &&
      (text.includes('speedscope.app/file-format-schema.json') ||
        (/"shared"\s*:/.test(text) && /"frames"\s*:/.test(text))),
  },
  {
    format: 'artillery-json',
    test: text =>
      /^\s*\{/.test(text) &&
      /"(?:aggregate|intermediate)"\s*:\s*[{[]/.test(text) &&
      /"counters"|"rates"|"intermediate"/.test(text),
  },
  { format: 'other-json', test: text => /^\s*[{[]/.test(text) && !looksLikeStacks(text) },
  { format: 'raw', test: looksLikeStacks },
];

/**
 * @param {string} text the file, or enough of its beginning and end (`readHead`)
 * @returns {DetectedFormat}
 */
export function detectFormat(text) {
  return FORMATS.find(({ test }) => test(text))?.format ?? 'unknown';
}

/** Most lines end in a count, and a frame stands before it. @param {string} text */
function looksLikeStacks(text) {
  const lines = text
    .split('\n', 201)
    .filter(line => line.trim() !== '')
    .slice(0, 200);
  // the last of them may be cut off by the end of what was read
  const whole = lines.length > 1 ? lines.slice(0, -1) : lines;
  const stacks = whole.filter(
    line => /\S \d{1,15}\r?$/.test(line) && /;|\(|^process \d+:"/.test(line),
  );
  return stacks.length > 0 && stacks.length * 2 > whole.length;
}
