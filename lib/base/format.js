/**
 * How numbers are written, and how limits with units (`400ms`, `1%`, `100/s`, `500MB`) are read, in one place for the terminal and the page (it runs in both, so it uses
 * nothing of Node). Numbers keep their unit, and `null` is a dash: "not known", never zero.
 */

/** @import { ThresholdUnit } from './units.d.ts' */
/** @typedef {import('./math/estimate.d.ts').Estimate} Estimate */

const UNKNOWN = '–';

/** @param {(value: number) => string} format @returns {(value: number | null) => string} */
function orUnknown(format) {
  return value => (value === null || !Number.isFinite(value) ? UNKNOWN : format(value));
}

/** Quotes any word for a POSIX shell. @param {string} word */
export function quoteForShell(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** 1240 → "1,240" */
export const formatCount = orUnknown(value =>
  String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ','),
);

/**
 * "1 request", "1,240 requests"
 * @param {number | null} count
 * @param {string} noun
 * @param {string} [plural]
 */
export function formatNumberOf(count, noun, plural = `${noun}s`) {
  return `${formatCount(count)} ${count === 1 ? noun : plural}`;
}

/** 3.94 → "3.9 ms", 1240.2 → "1,240 ms", 12400 → "12 s" */
export const formatMs = orUnknown(ms => {
  const size = Math.abs(ms);
  if (size >= 9999.5) return formatDuration(ms);
  if (size >= 99.95) return `${formatCount(ms)} ms`;
  if (size >= 9.95 || size === 0) return `${trimZero(ms.toFixed(1))} ms`;
  if (size >= 0.95) return `${ms.toFixed(1)} ms`;
  return `${ms.toPrecision(2)} ms`;
});

/** How long something took: "0.8 s", "60 s", "12 min 30 s", "3 h 05 min" */
export const formatDuration = orUnknown(ms => {
  const seconds = ms / 1000;
  if (seconds < 9.95) return `${trimZero(seconds.toFixed(1))} s`;
  const whole = Math.round(seconds);
  if (whole < 120) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return whole % 60 ? `${minutes} min ${whole % 60} s` : `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
});

/** 20.67 → "20.7/s" */
export const formatRate = orUnknown(
  perSec => `${perSec < 99.95 ? trimZero(perSec.toFixed(1)) : formatCount(perSec)}/s`,
);

/** 118000000 → "118 MB" (decimal units) */
export const formatBytes = orUnknown(bytes => {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 || value >= 9.95 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
});

/** Cores in use, without their unit: 0.3404 → "0.34" */
export const formatCores = orUnknown(cores => cores.toFixed(2));

/** A fraction: 0.41 → "41.0 %", 0.00042 → "0.04 %" */
export const formatPercent = orUnknown(fraction => {
  const percent = fraction * 100;
  if (percent === 0) return '0 %';
  if (Math.abs(percent) < 0.005) return '< 0.01 %';
  return `${percent.toFixed(Math.abs(percent) < 0.1 ? 2 : 1)} %`;
});

/**
 * A share and the larger half of its 95 % interval: "41.0 % ± 2.0".
 * @param {Estimate} share
 * @param {number} [percent] the percentage to print where it was rounded together with others
 */
export function formatShare(share, percent) {
  const value = percent === undefined ? formatPercent(share.value) : `${percent.toFixed(1)} %`;
  if (share.low === null || share.high === null) return value;
  const half = Math.max(share.high - share.value, share.value - share.low) * 100;
  return `${value} ${formatEnds(share) ?? `± ${half.toFixed(half < 0.1 ? 2 : 1)}`}`;
}

/**
 * A share in a sentence, no more precise than its interval: "41 % ± 2", "6.6 % ± 0.6".
 * @param {Estimate} share
 */
export function formatRoughShare({ value, low, high }) {
  if (low === null || high === null) return formatPercent(value);
  const half = Math.max(high - value, value - low) * 100;
  const digits = half < 0.95 ? 1 : 0;
  const ends = formatEnds({ value, low, high });
  return `${(value * 100).toFixed(digits)} % ${ends ?? `± ${half.toFixed(digits)}`}`;
}

/** "(2 to 100)": an interval that "± 68" would carry below 0, or, if it is wide, above 100 %. @param {Estimate} share */
function formatEnds({ value, low, high }) {
  if (low === null || high === null) return null;
  const half = Math.max(high - value, value - low);
  if (value - half >= 0 && (value + half <= 1 || half < 0.1)) return null;
  const digits = half < 0.0095 ? 1 : 0;
  const ends = [Math.max(0, low), Math.min(1, high)].map(end => (end * 100).toFixed(digits));
  return `(${ends.join(' to ')})`;
}

/** "3.9 ms" @param {Estimate | null} estimate */
export function formatEstimateMs(estimate) {
  return estimate ? formatMs(estimate.value) : UNKNOWN;
}

/** The 95 % interval of milliseconds: "3.5–4.3 ms" @param {Estimate | null} estimate */
export function formatMsInterval(estimate) {
  if (!estimate || estimate.low === null || estimate.high === null) return UNKNOWN;
  const [low, high] = [formatMs(estimate.low), formatMs(estimate.high)];
  return low.endsWith(' ms') && high.endsWith(' ms')
    ? `${low.slice(0, -3)}–${high}`
    : `${low}–${high}`;
}

/**
 * Percentages with one decimal that sum to exactly 100.0 when the fractions sum to 1 (largest
 * remainder method). Fractions that sum to something else keep that sum, rounded.
 * @param {number[]} fractions
 * @returns {number[]} percentages
 */
export function roundShares(fractions) {
  const tenths = fractions.map(fraction => fraction * 1000);
  const floors = tenths.map(Math.floor);
  const sum = Math.round(tenths.reduce((total, value) => total + value, 0));
  let missing = sum - floors.reduce((total, value) => total + value, 0);
  const byRemainder = tenths
    .map((value, index) => ({ index, remainder: value - Math.floor(value) }))
    .sort((a, b) => b.remainder - a.remainder);
  for (const { index } of byRemainder) {
    if (missing-- <= 0) break;
    floors[index] = (floors[index] ?? 0) + 1;
  }
  return floors.map(value => value / 10);
}

/** A relative change: 0.067 → "+6.7 %", −0.3 → "−30.0 %" */
export const formatChange = orUnknown(fraction => {
  const percent = Math.abs(fraction * 100);
  const digits = percent >= 999.5 ? formatCount(percent) : percent.toFixed(1);
  if (Number(digits) === 0) return '±0 %';
  return `${fraction < 0 ? '−' : '+'}${digits} %`;
});

/** The interval of a relative change: "+4.1 … +9.0 %" @param {Estimate} change */
export function formatChangeInterval({ low, high }) {
  if (low === null || high === null) return UNKNOWN;
  return `${formatChange(low).replace(/ %$/, '')} … ${formatChange(high)}`;
}

/** A relative change with its interval: "−58.0 % (−60.0 … −56.0 %)" @param {Estimate} change */
export function formatChangeEstimate(change) {
  const interval = change.low === null ? '' : ` (${formatChangeInterval(change)})`;
  return `${formatChange(change.value)}${interval}`;
}

/** ".029" @param {number | null} p empty where it is not known */
export function formatP(p) {
  if (p === null) return '';
  if (p >= 0.995) return '1';
  if (p < 0.001) return '< .001';
  return p.toFixed(p < 0.0995 ? 3 : 2).slice(1);
}

/** @typedef {ThresholdUnit | 'cores' | 'duration'} Unit `duration`: ms, printed as s or min where it is long */

/** @type {Record<Unit, (value: number | null) => string>} */
const FORMATS = {
  ms: formatMs,
  perSec: formatRate,
  share: formatPercent,
  count: orUnknown(value => {
    // Fewer than one in twenty is not none.
    if (value > 0 && value < 0.05) return '< 0.1';
    return Math.abs(value) < 99.95 ? trimZero(value.toFixed(1)) : formatCount(value);
  }),
  bytes: formatBytes,
  cores: formatCores,
  duration: formatDuration,
};

/** A number in its unit. @param {number | null} value @param {Unit} unit */
export function formatInUnit(value, unit) {
  return FORMATS[unit](value);
}

/**
 * A value and its 95 % interval: "375/s ± 5".
 * @param {Estimate | null | undefined} estimate
 * @param {(value: number | null) => string} format
 */
export function formatEstimate(estimate, format) {
  if (!estimate) return UNKNOWN;
  const reach = formatReach(estimate, format);
  return `${format(estimate.value)}${reach && ` ${reach}`}`;
}

/**
 * The larger half of an interval, "± 5"; where that is over half of the value the two halves differ much, and
 * both ends are shown: "(126 to 1,005)".
 * @param {Estimate} estimate @param {(value: number | null) => string} format
 * @returns {string} empty where there is no interval
 */
function formatReach({ value, low, high }, format) {
  if (low === null || high === null) return '';
  const half = Math.max(high - value, value - low);
  const isWide = half > Math.abs(value) / 2;
  const texts = (isWide ? [low, high] : [half]).map(format);
  const unit = unitOf(format(value));
  const isOneUnit = texts.every(text => unitOf(text) === unit);
  const [first, last] = isOneUnit ? texts.map(text => text.replace(UNIT, '')) : texts;
  return isWide ? `(${first} to ${last})` : `± ${first}`;
}

const UNIT = /\/s$| (?:m?s|%)$/;

/** @param {string} text */
const unitOf = text => UNIT.exec(text)?.[0] ?? '';

/** "2026-11-20 21:45:03 UTC", of ms since the epoch */
export const formatMoment = orUnknown(
  ms => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`,
);

/** "21:45:03" (UTC) @param {number} ms epoch */
export function formatClock(ms) {
  return new Date(ms).toISOString().slice(11, 19);
}

/** "auth.py:57", without the line where it is not known @param {{file: string, line?: number | null}} place */
export function formatPlace({ file, line }) {
  return line ? `${file}:${line}` : file;
}

/** @param {string} text */
function trimZero(text) {
  return text.replace(/\.0$/, '');
}

/** What to write, and what the units are worth. @type {Record<ThresholdUnit, [example: string, Record<string, number>]>} */
export const LIMITS = {
  ms: ['a time such as 400ms or 1.5s', { ms: 1, s: 1000, '': 1 }],
  perSec: ['a rate such as 100/s', { '/s': 1, '/min': 1 / 60, '': 1 }],
  share: ['a percentage such as 1%', { '%': 0.01 }],
  count: ['a number such as 100', { '': 1 }],
  bytes: [
    'a size such as 500MB',
    { kB: 1e3, MB: 1e6, GB: 1e9, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3, B: 1 },
  ],
};

/**
 * @param {string} text
 * @param {ThresholdUnit} unit
 * @returns {number | null} in the unit (a fraction for shares); null when the text is no such limit
 */
export function parseLimit(text, unit) {
  const match = /^(\d+(?:\.\d+)?)\s*(\S*)$/.exec(text);
  const factor = match ? LIMITS[unit][1][match[2] ?? ''] : undefined;
  return match && factor !== undefined ? Number(match[1]) * factor : null;
}
