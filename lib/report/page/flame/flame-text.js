import { formatNumberOf, formatPercent } from '../../../format.js';
import { plainLine } from '../../plain-text.js';

/** @import { SampleCounts, Samples } from '../../../sample-table/sample-table.d.ts' */

/**
 * The picture in a sentence, for those who can't see it: the functions with most CPU of their own.
 * @param {Samples} samples
 * @param {SampleCounts} counts
 */
export function describeHeaviest({ table, tree }, { self, total }) {
  const byFrame = new Float64Array(table.frames.length);
  for (let node = 1; node < self.length; node++) {
    const frame = tree.frame[node] ?? 0;
    byFrame[frame] = (byFrame[frame] ?? 0) + (self[node] ?? 0);
  }
  const heaviest = Array.from(byFrame, (count, frame) => ({ count, frame }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count)
    .slice(0, 5)
    .map(({ count, frame }) => {
      const { function: name = '', file = '' } = table.frames[frame] ?? {};
      return `${plainLine(name)} (${plainLine(file)}) ${formatPercent(count / total)}`;
    });
  return heaviest.length > 0 ? `Most CPU in the function itself: ${heaviest.join('; ')}.` : '';
}

/** What a search left of a selection. @param {SampleCounts} counts */
export function describeNarrowed({ selection, total, base }) {
  const isWithout = selection.search?.without === true;
  const share = (isWithout ? base - total : total) / Math.max(1, base);
  return `${formatPercent(share)} of ${formatNumberOf(base, 'sample')} ${isWithout ? 'left out' : 'kept'}`;
}
