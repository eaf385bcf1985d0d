/** JSON that others may have written: a parser takes forty times the length of what is nested in it. */

/** What is read here is nested ten times. */
const DEEPEST = 1000;

/**
 * @param {string} text
 * @returns {any}
 * @throws {Error} it is no JSON, or nested too deep
 */
export function parseJson(text) {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (sign === '"') {
      for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === '\\') at++;
    } else if (sign === ']' || sign === '}') depth--;
    else if ((sign === '[' || sign === '{') && ++depth > DEEPEST)
      throw new Error(`it is nested more than ${DEEPEST} times`);
  }
  return JSON.parse(text);
}

/** Text that may be cut off, or anything else. @param {string} text @returns {any} null where it is no JSON */
export function parseOrNull(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
