/**
 * Numbers for people, in one place. Narrow no-break spaces are not used: they break copy and paste
 * into issues and tables.
 */

/** @param {number} count @returns {string} `12,345` */
export function formatCount(count) {
  return Math.round(count).toLocaleString('en-US');
}

/** @param {number} share 0…1 @returns {string} `41 %`, below 10 % with one decimal */
export function formatPercent(share) {
  const percent = share * 100;
  return `${percent !== 0 && percent < 9.95 ? percent.toFixed(1) : percent.toFixed(0)} %`;
}

/**
 * A share with its 95 % interval: `41 % ± 2`; the larger side is given where they differ.
 * @param {import('./analysis/report.d.ts').Estimate} share
 */
export function formatEstimate({ value, low, high }) {
  if (low === null || high === null) return formatPercent(value);
  const half = Math.max(value - low, high - value) * 100;
  return `${formatPercent(value)} ± ${half < 1 ? half.toFixed(1) : half.toFixed(0)}`;
}

/** @param {number} ms @returns {string} `3.9 ms`, `120 ms`, `2.4 s` */
export function formatMs(ms) {
  if (ms >= 10_000) return `${(ms / 1000).toFixed(0)} s`;
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`;
  return ms >= 9.95 ? `${ms.toFixed(0)} ms` : `${ms.toFixed(ms >= 0.095 ? 1 : 2)} ms`;
}

/** @param {number} sec @returns {string} `45 s`, `2 min 05 s` */
export function formatSeconds(sec) {
  const whole = Math.round(sec);
  if (whole < 100) return `${whole} s`;
  return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`;
}

/** @param {number} perSec @returns {string} `20.6/s`, `1,234/s` */
export function formatRate(perSec) {
  return `${perSec >= 100 ? formatCount(perSec) : perSec.toFixed(1)}/s`;
}
