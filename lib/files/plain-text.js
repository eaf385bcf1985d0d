/**
 * Text from outside with everything taken out that would drive a terminal or turn the reading
 * direction of what stands after it (it runs in the browser too).
 */

// C0 and C1 controls but tab and line feed; marks, embeddings, overrides and isolates of direction
const CONTROLS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what has to go
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** @param {string} text @returns {string} with a visible sign where something was */
export function plainText(text) {
  return text.replace(/\r\n?/g, '\n').replace(CONTROLS, '\ufffd');
}

/**
 * JSON with the same text in it and nothing that would drive a terminal.
 * @param {string} json
 */
export function plainJson(json) {
  return json.replace(CONTROLS, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * A name of a file: letters, digits and dashes.
 * @param {string} text
 * @returns {string} may be empty
 */
export function slugOf(text) {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 60);
}

/** The same on one line. @param {string} text */
export function plainLine(text) {
  return plainText(text.replace(/\s+/g, ' ').trim());
}
