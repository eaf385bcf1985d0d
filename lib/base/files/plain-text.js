/**
 * Text from outside without characters that control a terminal or change the reading direction of the text
 * after them (also runs in the browser).
 */

// C0 and C1 controls except tab and line feed; direction marks, embeddings, overrides and isolates
const CONTROLS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are removed
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** @param {string} text @returns {string} with a visible sign for each removed character */
export function plainText(text) {
  return text.replace(/\r\n?/g, '\n').replace(CONTROLS, '\ufffd');
}

/** Equal JSON without characters that control a terminal. @param {string} json */
export const plainJson = json => json.replace(CONTROLS, escapeCode);

/** For JSON: "\\u2028" @param {string} char */
export const escapeCode = char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * A file name of letters, digits and dashes.
 * @param {string} text
 * @returns {string} may be empty
 */
export function slugOf(text) {
  const slug = text.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return slug.replace(/^-|-$/g, '').slice(0, 60);
}

/** The same on one line. @param {string} text */
export function plainLine(text) {
  return plainText(text.replace(/\s+/g, ' ').trim());
}

/** The beginning of a longer text, with a sign of the cut. @param {string} text @param {number} most characters */
export const cutText = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
