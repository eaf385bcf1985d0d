/** Whether a variant needs no more repeats. */
import { mean } from '../math/summary.js';
import { estimateOverRepeats } from './estimates.js';

/** @import { Study } from '../facts/study-file.d.ts' */
/** @import { JournalRecord } from '../facts/study-records.d.ts' */

/**
 * Its highest throughput is known as well as the study wants it. Repeats go on until an interval is narrow, which
 * makes it hold the truth in 92 to 95 of 100 studies in place of 95 (Y. Chow, H. Robbins, "On the asymptotic theory
 * of fixed-width sequential confidence intervals for the mean", Annals of Mathematical Statistics 36, 1965).
 * @param {Pick<Study, 'enough'>} study
 * @param {string} variant
 * @param {JournalRecord[]} records of the journal
 */
export function hasEnough({ enough }, variant, records) {
  if (!enough) return false;
  const ended = records.flatMap(record =>
    record.kind === 'block-end' && record.variant === variant && record.failure === null
      ? record.repeat
      : [],
  );
  const cells = records.flatMap(record =>
    record.kind === 'cell-end' &&
    record.outcome === 'measured' &&
    record.variant === variant &&
    record.purpose === 'measure' &&
    ended.includes(record.repeat)
      ? { step: record.step, perSec: record.figures.throughputPerSec }
      : [],
  );
  const [best] = [...Map.groupBy(cells, ({ step }) => step).values()]
    .map(own => own.map(({ perSec }) => perSec))
    .sort((a, b) => mean(b) - mean(a));
  // The highest is not known yet where some of its cells failed, however well a lower step is.
  if (!best || best.length < enough.least) return false;
  const { value, low, high } = estimateOverRepeats(best, []).estimate;
  return low !== null && high !== null && high - low <= 2 * enough.within * value;
}
