/** JSON from outside: deeply nested text takes a parser forty times its length in memory. */
import { tryOr } from './try-or.js';

/** Our own files are nested ten levels deep. */
const DEEPEST = 1000;

/**
 * @param {string} text
 * @returns {any}
 * @throws {Error} it is no JSON, or nested too deeply
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

/**
 * @param {string} text perhaps cut off
 * @param {(text: string) => any} [parse]
 * @returns {any} null if it is no JSON
 */
export function parseOrNull(text, parse = JSON.parse) {
  return tryOr(null, () => parse(text));
}

/**
 * An integer beyond 2^53 becomes a BigInt, which keeps its digits. Only texts with that many digits are read slower.
 * @param {string} text
 * @returns {any}
 * @throws {SyntaxError}
 */
export function parseExact(text) {
  return /\d{16}/.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text);
}

/**
 * @param {string} _key
 * @param {unknown} value
 * @param {{source: string}} [context] Node gives it, and TypeScript does not know it
 */
function keepDigits(_key, value, context) {
  const isRounded = Number.isInteger(value) && !Number.isSafeInteger(value);
  return isRounded && context && /^-?\d+$/.test(context.source) ? BigInt(context.source) : value;
}
