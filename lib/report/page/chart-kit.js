/** Shared by all charts: round axes, and colours for light, dark and paper. */

import { entryOf } from '../../base/files/maps.js';
import { safeColor } from './dom.js';

/** The round number at or above a value. @param {number} value */
export function roundUp(value) {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const factor =
    [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find(step => step * power >= value * 0.9999) ?? 10;
  return factor * power;
}

/**
 * Cached colours of custom properties: reading one makes the browser recalculate the page's styles.
 * @type {Map<string, string>}
 */
const knownColors = new Map();

/** @param {string} color a custom property or a colour */
export function readColor(color) {
  return entryOf(knownColors, color, () =>
    color.startsWith('--')
      ? getComputedStyle(document.documentElement).getPropertyValue(color).trim()
      : safeColor(color),
  );
}

/** Redraws when the page turns light or dark, or is printed. @param {() => void} draw */
export function redrawOnColors(draw) {
  for (const query of ['(prefers-color-scheme: dark)', 'print'])
    matchMedia(query).addEventListener('change', () => {
      knownColors.clear();
      draw();
    });
}
