/** Whether a value is a secret: by the name of its field, and by what it consists of. */
import { nameKind } from './secret-names.js';

/** Names of counts: `tokens`. */
export const COUNT = /^(?:[\da-f]{2})?pass$|[^s]s$/i;

/**
 * Whether the name of its field makes a value secret.
 * @param {string} name
 * @param {unknown} value
 */
export function isSecretField(name, value) {
  const kind = nameKind(name);
  if (kind !== 'secret') return kind === 'doubtful' && isText(value) && looksRandom(value);
  if (Array.isArray(value)) return value.every(isText);
  if (typeof value !== 'number' && !isText(value)) return false;
  return !(COUNT.test(name) ? /^\d*(?:%|$)/ : /^(?:true|false)?$/).test(`${value}`);
}

/** `{name: 'x-api-key', value: …}`, `{loc: ['body', 'pin'], input: …}`. @param {Record<string, any>} fields @param {string} key */
export function isNamedValue(fields, key) {
  return ['value', 'content', 'input'].includes(key) && isSecretField(nameOf(fields), fields[key]);
}

/** @param {Record<string, any>} fields @returns {string} whose value it holds; '' without one */
export function nameOf({ name, key, field, loc }) {
  return [name, key, field, Array.isArray(loc) ? loc.at(-1) : null].find(isText) ?? '';
}

/** `['redis-server', '--requirepass', 'x']`. @param {unknown[]} list @param {number} at */
export function isOptionValue(list, at) {
  const before = at > 0 ? list[at - 1] : null;
  return (
    isText(before) && isText(list[at]) && /^--?\w/.test(before) && nameKind(before) === 'secret'
  );
}

/** @param {unknown} value @returns {value is string} */
export function isText(value) {
  return typeof value === 'string';
}

/** Long and mixed enough not to occur by chance, unlike "demo" or "production". @param {string} text */
export function isTelling(text) {
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^a-zA-Z\d]/].filter(kind => kind.test(text));
  return text.length >= ([0, 12, 8][kinds.length] ?? 6);
}

/** Not a word, a number or the name of an error. @param {string} text */
export function looksRandom(text) {
  const isMixed = /\d/.test(text) && /[a-z]/i.test(text);
  return text.length >= 8 && (isMixed || (/[a-z]/.test(text) && /\B[A-Z]/.test(text)));
}

/** A word after "Bearer" or "Basic" in a sentence. @param {string} text */
export function isPlainWord(text) {
  return /^\(?[A-Z]?[a-z]*[.:!?)]*$|^[a-z_]+=[^=]/.test(text);
}

const CODE =
  /^(?:[{[(]?$|\{\{|\$\{|\$(?:[A-Z][A-Z0-9_]*|\d{1,3})$|\?$|%s$|[{[]\\*["']|(?:str|int|bool|bytes|Optional|Any|None|null|true|false)\b)/;

/** A template, a shell variable, a parameter of SQL, an object or a type in a line of code. @param {string} text */
export function isCode(text) {
  return CODE.test(text);
}
