/** What building and reading a report may cost, and whether it does. */

/** @typedef {import('./build.js').Build} Build */
/** @typedef {{name: string, value: number, limit: number, unit: 'ms' | 'MB' | '×'}} Check */

export const MB = 1e6;

export const LIMITS = Object.freeze({
  buildMs: 6000,
  peakBytes: 500 * MB,
  htmlBytes: 8 * MB,
  firstPaintMs: 1000,
  selectionMs: 200,
  demoHtmlBytes: 1.5 * MB,
});

/** Building may cost so much more than in proportion, when one of its dimensions grows. */
const LINEAR = 1.2;
/** And so much more when there are ten times as many requests: their sketches have more bins. */
const FLAT = 1.5;

/** @param {Pick<Build, 'wallMs' | 'peakBytes'>} build @param {number} htmlBytes @returns {Check[]} */
export function checkHour({ wallMs, peakBytes }, htmlBytes) {
  return [
    { name: 'build time', value: wallMs, limit: LIMITS.buildMs, unit: 'ms' },
    { name: 'peak memory', value: peakBytes / MB, limit: LIMITS.peakBytes / MB, unit: 'MB' },
    { name: 'report.html', value: htmlBytes / MB, limit: LIMITS.htmlBytes / MB, unit: 'MB' },
  ];
}

/** @param {import('./page.js').PageTimes} page @returns {Check[]} */
export function checkPage({ firstPaintMs, selection }) {
  return [
    { name: 'first paint', value: firstPaintMs, limit: LIMITS.firstPaintMs, unit: 'ms' },
    { name: 'selection, p95', value: selection.p95Ms, limit: LIMITS.selectionMs, unit: 'ms' },
  ];
}

/** @param {number} htmlBytes @returns {Check[]} */
export function checkDemo(htmlBytes) {
  const limit = LIMITS.demoHtmlBytes / MB;
  return [{ name: "npm start's report.html", value: htmlBytes / MB, limit, unit: 'MB' }];
}

/**
 * Is cost at most in proportion? The first is the base that the others are compared with.
 * @param {{changed: string, times: number, cpuMs: number}[]} sizes `times`: how much more of what changed
 * @returns {Check[]}
 */
export function checkGrowth([base, ...sizes]) {
  if (!base) return [];
  return sizes.map(({ changed, times, cpuMs }) => ({
    name: `${times} × the ${changed}`,
    value: cpuMs / base.cpuMs,
    limit: changed === 'requests' ? FLAT : times * LINEAR,
    unit: '×',
  }));
}

/** @param {Check} check */
export const isKept = ({ value, limit }) => value <= limit;

/** @param {Check} check */
export function describeCheck(check) {
  const { name, value, limit, unit } = check;
  const digits = unit === 'ms' ? 0 : 2;
  const [is, most] = [value, limit].map(number => `${number.toFixed(digits)} ${unit}`);
  return `${isKept(check) ? 'good' : 'BAD '}  ${name.padEnd(24)} ${is}, to be at most ${most}`;
}
