/** Addresses of recorded requests, with secrets and personal data masked. */

import { isPathToken } from '../../base/config/endpoint-names.js';
import { createRedactor, decode } from '../../base/files/redaction.js';
import { isSecretField } from '../../base/files/secret-fields.js';
import { nameKind } from '../../base/files/secret-names.js';

/** Prefix for paths while parsing them: a log has no host. */
export const NO_HOST = 'http://host';
export const MASKED = 'masked';

/** Files that a proxy or a CDN usually serves instead of the API. */
export const STATIC =
  /\.(?:m?js|css|map|png|jpe?g|gif|svg|ico|webp|avif|woff2?|ttf|otf|mp[34]|webm|webmanifest)$|^\/(?:static|assets|_next)\/|^\/robots\.txt$/i;

const EMAIL = /[^\s@/](?:@|%40)[^\s@/]{1,255}\.[a-z]{2}/i;
/** A phone number, or the number of a card. The plus sign of an address is a space. */
const NUMBERS = /^[+ ]\d[\d ()./-]{6,20}$|^\d{4}([ -])\d{4}\1\d{4}\1\d{1,4}$/;
/** Its number would be a token behind any other name. */
const ID_NAME = /(?:id|hash|md5|rev|sum|tag|v|version)$/i;
const HEX = /^[0-9a-f]{32}$/i;
/** Ids as long as tokens: UUIDs, hashes such as MD5, ULIDs. */
const LONG_ID =
  /^(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{1,32}|[0-7][0-9A-HJKMNP-TV-Z]{25})$/i;
/** Letters and digits in an order that no word or number has. */
const RANDOM = /(?=[A-Za-z0-9]{0,11}\d)(?=[A-Za-z0-9]{0,11}[A-Za-z])[A-Za-z0-9]{12}/;
const LEAST_RANDOM = 20;
const LONGEST = 4096;

const { redactText } = createRedactor();

/**
 * Whether a value is a token, an email address or, judging by its parameter's name, personal data.
 * @param {string} name of the parameter; '' in a path
 * @param {string} value decoded
 */
export function isPrivate(name, value) {
  const isRandom = value.length >= LEAST_RANDOM && RANDOM.test(value) && !LONG_ID.test(value);
  if (value === '' || isRandom) return isRandom;
  // A short number is an id: `user=17`.
  if (nameKind(name) === 'personal' && !/^\d{1,4}$/.test(value)) return true;
  if (EMAIL.test(value) || NUMBERS.test(value) || isSecretField(name, value)) return true;
  if (HEX.test(value) && name !== '' && !ID_NAME.test(name)) return true;
  return /[=:%]/.test(value) && redactText(value) !== value;
}

/** Masks a line from outside for display. @param {string} line */
export function maskLine(line) {
  const words = redactText(line.slice(0, 200)).split(/([\s"?&=/]+)/);
  return words.map(word => (isPrivate('', word) ? MASKED : word)).join('');
}

/**
 * @param {string} target of a request line, or an address
 * @returns {{path: string, query: string, masked: string[]} | null} in printable ASCII, and without braces, because
 *   scripts use them for templates; `masked`: names of the masked parameters, '' for the path
 */
export function readAddress(target) {
  const given = target.startsWith('/') ? NO_HOST + target : target;
  if (given.length > LONGEST || !URL.canParse(given)) return null;
  const { pathname, search } = new URL(given);
  /** @type {string[]} */
  const masked = [];
  /** @param {string} name @param {string} text @param {string} written @param {string} [before] segment of a path */
  const mask = (name, text, written, before = '') => {
    const value = decode(text.replaceAll('+', ' '));
    if (!isPrivate(name, value) && !isPathToken(before, value)) return written;
    masked.push(name);
    return written.slice(0, written.length - text.length) + MASKED;
  };
  // Parameters of a segment (`;jsessionid=…`) belong to the session.
  const parts = pathname.replace(/;[^/]*/g, '').split('/');
  const path = parts.map((part, at) => mask('', part, part, parts[at - 1])).join('/');
  const query = search.replace(/[^?&]+/g, part => {
    const [, name, value = ''] = /^([^=]*)=(.*)$/.exec(part) ?? [];
    const isName = name !== undefined && !isPrivate('', decode(name));
    return isName ? mask(decode(name), value, part) : mask('parameter', part, part);
  });
  const encodeBraces = (/** @type {string} */ text) =>
    text.replace(/[{}]/g, brace => (brace === '{' ? '%7B' : '%7D'));
  return { path: encodeBraces(path), query: encodeBraces(query), masked };
}
