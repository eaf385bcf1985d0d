import { formatPercent } from '../../../format.js';
import { h, swatch } from '../dom.js';
import { MIXED_COLOR } from './flame-paint.js';

/** @import { SampleCounts, SampleTable } from '../../../sample-table/sample-table.d.ts' */

/**
 * The categories of a flamegraph. Pressing some narrows the selection to them; none is all.
 * @param {SampleTable['categories']} categories
 * @param {(categories: number[] | null) => void} onCategories
 */
export function makeFlameLegend(categories, onCategories) {
  /** @type {Set<number>} */
  let picked = new Set();
  const shares = categories.map(() => h('span', { class: 'muted' }));
  const buttons = categories.map(({ label, color }, index) => {
    const button = h(
      'button',
      { type: 'button', class: 'quiet', 'aria-pressed': 'false' },
      swatch(color),
      label,
      shares[index],
    );
    button.addEventListener('click', () => {
      const next = new Set(picked);
      if (!next.delete(index)) next.add(index);
      onCategories(next.size > 0 ? [...next].sort((a, b) => a - b) : null);
    });
    return button;
  });
  return {
    element: h(
      'div',
      { class: 'flame-legend', role: 'group', 'aria-label': 'Categories; press to see only some' },
      buttons,
      h('span', { class: 'mixed muted' }, swatch(MIXED_COLOR), 'several'),
    ),
    /** @param {SampleCounts} counts */
    show(counts) {
      picked = new Set(counts.selection.categories ?? []);
      const isNarrowed = counts.selection.categories !== undefined;
      for (const [index, button] of buttons.entries()) {
        const count = counts.categories[index] ?? 0;
        button.setAttribute('aria-pressed', String(picked.has(index)));
        button.hidden = !isNarrowed && count === 0;
        const share = shares[index];
        if (share)
          share.textContent =
            isNarrowed && !picked.has(index)
              ? ''
              : formatPercent(count / Math.max(1, counts.total));
      }
    },
  };
}
