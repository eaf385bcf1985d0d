/** Colours of boxes. */

/** @typedef {{fill: string, text: string}} Paint */

const SHADES_OF_FRAMES = [-0.1, -0.05, 0, 0.05, 0.1];

/** What no category has nearly all of: sand, which no category is. */
export const MIXED_COLOR = '#c4bbaa';

/**
 * Gives a paint for a frame of a category: the category's colour, a little lighter or darker by
 * function so that neighbours can be told apart.
 * @param {{function: string, file: string}[]} frames
 * @param {string[]} colors of the categories
 * @returns {(frame: number, group: number) => Paint}
 */
export function makePainter(frames, colors) {
  const palettes = [...colors, MIXED_COLOR].map(color =>
    SHADES_OF_FRAMES.map(shade => paintOf(readCssColor(color), shade)),
  );
  const shades = frames.map(
    ({ function: name, file }) => hashOf(name + file) % SHADES_OF_FRAMES.length,
  );
  const fallback = { fill: MIXED_COLOR, text: '#111' };
  return (frame, group) => {
    const palette = palettes[group] ?? palettes[colors.length];
    return palette?.[shades[frame] ?? 2] ?? fallback;
  };
}

/** @param {string} color @returns {number[]} red, green, blue */
function readCssColor(color) {
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  if (!context) return [138, 138, 138];
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  return [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)];
}

/**
 * A colour, and black or white for the text on it.
 * @param {number[]} rgb
 * @param {number} shade −1 black … 1 white
 * @returns {Paint}
 */
export function paintOf(rgb, shade) {
  const mixed = rgb.map(value =>
    Math.round(shade < 0 ? value * (1 + shade) : value + (255 - value) * shade),
  );
  // relative luminance, WCAG 2
  const [r = 0, g = 0, b = 0] = mixed.map(value => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  return { fill: `rgb(${mixed.join(' ')})`, text: luminance > 0.179 ? '#111' : '#fff' };
}

/** @param {string} text */
function hashOf(text) {
  let hash = 7;
  for (let index = 0; index < text.length; index++)
    hash = (hash * 31 + text.charCodeAt(index)) >>> 0;
  return hash;
}
