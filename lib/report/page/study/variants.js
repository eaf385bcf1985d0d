/** The variants that a reader selects, and their style in all charts. */
import { VARIANT_COLORS } from '../../../text/study-words.js';
import { h, makeButton } from '../dom.js';

/** @import { StudyReport, VariantReport } from '../../../text/study-report.d.ts' */

/** Variants differ by colour, then by dashes: more than six colours are hard to distinguish. */
const DASHES = [[], [7, 4], [2, 3]];
/** More curves are unreadable; a click shows the others. */
const SHOWN_FIRST = 6;

/** @param {number} index of a variant @returns {{color: string, dash: number[]}} `color`: a custom property */
export function styleOfVariant(index) {
  return {
    color: VARIANT_COLORS[index % VARIANT_COLORS.length] ?? '--muted',
    dash: DASHES[Math.floor(index / VARIANT_COLORS.length) % DASHES.length] ?? [],
  };
}

/** A line as in the charts. @param {ReturnType<typeof styleOfVariant>} style */
export function lineKey({ color, dash }) {
  const key = h('span', { class: `line-key line-${dash[0] ?? 'whole'}`, 'aria-hidden': 'true' });
  key.style.borderTopColor = `var(${color})`;
  return key;
}

/** @typedef {{variant: VariantReport, index: number}} Shown */

/**
 * The legend of the page: a button for each variant. Charts draw the pressed ones.
 * @param {StudyReport} report
 */
export function makeVariantPicks({ variants }) {
  const shown = new Set(variants.slice(0, SHOWN_FIRST).map(({ id }) => id));
  /** @type {(() => void)[]} */
  const listeners = [];
  /** @param {string} id */
  const toggle = id => {
    if (!shown.delete(id)) shown.add(id);
    for (const [index, button] of buttons.entries())
      button.setAttribute('aria-pressed', String(shown.has(variants[index]?.id ?? '')));
    for (const listener of listeners) listener();
  };
  const buttons = variants.map(({ id, label }, index) =>
    makeButton([lineKey(styleOfVariant(index)), label], () => toggle(id), {
      class: 'pick',
      'aria-pressed': String(shown.has(id)),
    }),
  );
  return {
    element:
      variants.length > 1 &&
      h('div', { class: 'picks', role: 'group', 'aria-label': 'Variants in the charts' }, buttons),
    /** @returns {Shown[]} those with something to draw */
    list: () =>
      variants
        .map((variant, index) => ({ variant, index }))
        .filter(({ variant }) => shown.has(variant.id) && variant.points.length > 0),
    /** @param {() => void} listener */
    subscribe(listener) {
      listeners.push(listener);
    },
  };
}

/** @typedef {ReturnType<typeof makeVariantPicks>} VariantPicks */
