/** The reason that a refusing response gives, on one line: the body's, and those of its challenge. */
import { plainLine } from './plain-text.js';

/** Where APIs say it: a word for programs, then a sentence for people. */
const WORDS = ['code', 'error_code', 'error', 'title'];
const SENTENCES = ['message', 'error_description', 'detail', 'description', 'reason', 'msg'];
const LONGEST = 300;
/** Of Werkzeug and Django, whatever went wrong. */
const SAYS_NOTHING =
  /^(?:The server encountered an (?:unexpected )?internal error|Internal Server Error$|Server Error \(500\))/i;
/** A status page says in its heading what its status says, and in its first paragraph why. */
const PARAGRAPH = /<p[^>]*>([\s\S]*?)<\/p>/i;
const TAG = /<[^>]*>/g;

/**
 * @param {string} body excerpt
 * @returns {string | null} null where it says nothing
 */
export function readReason(body) {
  const text = body.trim();
  if (/^[[{"]/.test(text)) return cut(readJson(text));
  if (/^<(!doctype|html)/i.test(text))
    return cut((PARAGRAPH.exec(text)?.[1] ?? '').replace(TAG, ''));
  return cut((text.split('\n')[0] ?? '').replace(TAG, ''));
}

/** Of a `WWW-Authenticate` header: its error, else all of it. @param {string} header */
export function readChallenge(header) {
  const [word, sentence] = ['error', 'error_description'].map(
    name => new RegExp(`\\b${name}="([^"]*)"`).exec(header)?.[1],
  );
  return cut([word, sentence].filter(Boolean).join(': ') || header);
}

/** @param {string} text */
function readJson(text) {
  try {
    return describe(JSON.parse(text));
  } catch {
    // an excerpt that was cut off
    const names = [...SENTENCES, ...WORDS].join('|');
    return new RegExp(`"(?:${names})"\\s*:\\s*"((?:[^"\\\\]|\\\\.)*)"`).exec(text)?.[1] ?? '';
  }
}

/** @param {any} value @returns {string} */
function describe(value) {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  if (Array.isArray(value)) return describe(value[0]);
  const read = (/** @type {string[]} */ names) =>
    names.map(name => describe(value[name])).find(found => found !== '') ?? '';
  const [word, sentence] = [read(WORDS), read(SENTENCES)];
  if (word && sentence && word !== sentence) return `${word}: ${sentence}`;
  return word || sentence || describe(Object.values(value.errors ?? {})[0]);
}

/** @param {string} text */
function cut(text) {
  const line = plainLine(text);
  if (SAYS_NOTHING.test(line)) return null;
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line || null;
}
