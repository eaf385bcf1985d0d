/**
 * Colours of custom properties: asking for one makes the browser work out the page's styles.
 * @type {Map<string, string>}
 */
const knownColors = new Map();

/** After a change between light and dark. */
export function forgetColors() {
  knownColors.clear();
}

/** @param {string} color a custom property or a colour */
export function readColor(color) {
  const known = knownColors.get(color);
  if (known !== undefined) return known;
  const read = color.startsWith('--')
    ? getComputedStyle(document.documentElement).getPropertyValue(color).trim()
    : CSS.supports('color', color)
      ? color
      : '#8a8a8a';
  knownColors.set(color, read);
  return read;
}
