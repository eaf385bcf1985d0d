import { h, makeButton, swatch } from '../dom.js';
import { MIXED_COLOR } from './flame-paint.js';

/** @import { SampleTable } from '../../../facts/sample-table.d.ts' */

/**
 * What the colours of a flamegraph mean. Pressing some narrows the selection to them; none is all.
 * @param {string} label
 * @param {SampleTable['categories']} categories
 * @param {(categories: number[] | null) => void} onPick
 */
export function makeFlameLegend(label, categories, onPick) {
  /** @type {Set<number>} */
  let picked = new Set();
  const amounts = categories.map(() => h('span', { class: 'muted' }));
  const buttons = categories.map(({ label: name, color }, index) =>
    makeButton(
      [swatch(color), name, amounts[index]],
      () => {
        const next = new Set(picked);
        if (!next.delete(index)) next.add(index);
        onPick(next.size > 0 ? [...next].sort((a, b) => a - b) : null);
      },
      { class: 'quiet', 'aria-pressed': 'false' },
    ),
  );
  return {
    element: h(
      'div',
      { class: 'flame-legend', role: 'group', 'aria-label': `${label}: click to filter` },
      buttons,
      h('span', { class: 'mixed muted' }, swatch(MIXED_COLOR), 'several'),
    ),
    /**
     * @param {number[] | null} next what is picked
     * @param {(index: number) => string | null} tell how much there is of one; null where it can't be picked
     */
    show(next, tell) {
      picked = new Set(next ?? []);
      for (const [index, button] of buttons.entries()) {
        const amount = tell(index);
        button.setAttribute('aria-pressed', String(picked.has(index)));
        button.hidden = amount === null;
        amounts[index]?.replaceChildren(amount ?? '');
      }
    },
  };
}
