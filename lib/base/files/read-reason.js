/** The reason in an error response, on one line: from its body, or from its challenge. */
import { cutText, plainLine } from './plain-text.js';

/** Fields in which APIs put a code for programs, and a sentence for people. */
const WORDS = ['code', 'error_code', 'error', 'title'];
const SENTENCES = ['message', 'error_description', 'detail', 'description', 'reason', 'msg'];
const LONGEST = 300;
/** Messages of Werkzeug and Django for any error. */
const SAYS_NOTHING =
  /^(?:The server encountered an (?:unexpected )?internal error|Internal Server Error$|Server Error \(500\))/i;
/** The heading of a status page repeats the status; its first paragraph has the reason. */
const PARAGRAPH = /<p(?:\s[^<>]*)?>/i;
const TAG = /<[^<>]*>/g;

/**
 * @param {string} body excerpt
 * @returns {string | null} null if it has no reason
 */
export function readReason(body) {
  const text = body.trim();
  if (/^[[{"]/.test(text)) return cut(readJson(text));
  if (/^<(!doctype|html)/i.test(text)) {
    const [, paragraph = ''] = text.split(PARAGRAPH, 2);
    return cut((paragraph.split(/<\/p>/i, 1)[0] ?? '').replace(TAG, ''));
  }
  return cut((text.split('\n')[0] ?? '').replace(TAG, ''));
}

/** The error of a `WWW-Authenticate` header, otherwise the whole header. @param {string} header */
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
  return cutText(line, LONGEST) || null;
}
