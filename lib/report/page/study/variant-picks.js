/** Which variants a reader looks at, and how each is told from the others in all charts. */
import { h } from '../dom.js';

/** @import { StudyReport } from '../../../study/study-report.d.ts' */

/** Kept apart by colour, then by dashes: more than six colours can't be. */
const COLORS = ['--s-one', '--s-two', '--s-three', '--s-four', '--s-five', '--s-six'];
const DASHES = [[], [7, 4], [2, 3]];
/** So many curves can still be followed; the others are a click away. */
const SHOWN_FIRST = 6;

/** @typedef {{color: string, dash: number[]}} VariantStyle `color`: a custom property */

/** @param {number} index of a variant @returns {VariantStyle} */
export function styleOfVariant(index) {
  return {
    color: COLORS[index % COLORS.length] ?? '--muted',
    dash: DASHES[Math.floor(index / COLORS.length) % DASHES.length] ?? [],
  };
}

/** A line as in the charts. @param {number} index of the variant */
export function variantKey(index) {
  const { color, dash } = styleOfVariant(index);
  return lineKey(color, dash);
}

/** @param {string} color a custom property @param {number[]} dash */
export function lineKey(color, dash) {
  const key = h('span', { class: `line-key line-${dash[0] ?? 'whole'}`, 'aria-hidden': 'true' });
  key.style.borderTopColor = `var(${color})`;
  return key;
}

/**
 * The legend of the page: a button for each variant. What is pressed is drawn.
 * @param {StudyReport} report
 * @returns {{element: HTMLElement | null, isShown: (id: string) => boolean, subscribe: (listener: () => void) => void}}
 */
export function makeVariantPicks({ variants }) {
  const shown = new Set(variants.slice(0, SHOWN_FIRST).map(({ id }) => id));
  /** @type {(() => void)[]} */
  const listeners = [];
  const buttons = variants.map(({ id, label }, index) => {
    const button = h(
      'button',
      { type: 'button', class: 'pick', 'aria-pressed': String(shown.has(id)) },
      variantKey(index),
      label,
    );
    button.addEventListener('click', () => {
      if (!shown.delete(id)) shown.add(id);
      tell();
    });
    return { id, button };
  });
  const all = h('button', { type: 'button', class: 'quiet' }, 'All');
  const none = h('button', { type: 'button', class: 'quiet' }, 'None');
  all.addEventListener('click', () => {
    for (const { id } of variants) shown.add(id);
    tell();
  });
  none.addEventListener('click', () => {
    shown.clear();
    tell();
  });
  const tell = () => {
    for (const { id, button } of buttons) {
      button.setAttribute('aria-pressed', String(shown.has(id)));
    }
    for (const listener of listeners) listener();
  };
  const element =
    variants.length < 2
      ? null
      : h(
          'div',
          { class: 'picks', role: 'group', 'aria-label': 'Variants in the charts' },
          buttons.map(({ button }) => button),
          variants.length > 2 && h('span', { class: 'picks-all' }, all, none),
        );
  return {
    element,
    isShown: id => shown.has(id),
    subscribe(listener) {
      listeners.push(listener);
    },
  };
}

/** @typedef {ReturnType<typeof makeVariantPicks>} VariantPicks */
