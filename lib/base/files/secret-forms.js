/** Finds known secrets in a text, in any encoding and in one pass, however many there are. */

import { escapeCode } from './plain-text.js';

/** Number of secrets that a run has learned to keep, the newest: at least this many, at most twice as many. */
const MOST_LEARNED = 2000;
/** Number of characters in the hash of a position. */
const HASHED = 4;
/** Shorter base64 or hex can occur by chance. */
const LEAST_CODED = 8;

/** Collects secrets, and replaces them in texts. */
export function createNeedles() {
  /** Hashes of the beginnings of all forms. */
  const marks = new Uint8Array(65_536);
  /** Secrets that are kept forever, the newest ones, and those before them. */
  const kept = createGeneration();
  let young = createGeneration();
  let old = createGeneration();

  return {
    /**
     * @param {string} secret
     * @param {{forever: boolean}} options otherwise it is dropped after many others were added
     * @returns {boolean} whether it is new
     */
    add(secret, { forever }) {
      if (kept.secrets.has(secret) || young.secrets.has(secret)) return false;
      if (young.secrets.size >= MOST_LEARNED) [young, old] = [createGeneration(), young];
      const { secrets, waiting } = forever ? kept : young;
      secrets.add(secret);
      waiting.push(secret);
      return true;
    },
    /** @param {string} text @param {string} by */
    replace(text, by) {
      for (const generation of [kept, young, old]) prepare(generation);
      if ([kept, young, old].every(({ forms }) => forms.size === 0)) return text;
      let clean = '';
      let from = 0;
      let hash = 0;
      for (let at = 0; at < text.length; at++) {
        hash = addToHash(hash, text.charCodeAt(at));
        if (marks[hash] === 0) continue;
        const start = at - HASHED + 1;
        if (start < from) continue;
        const length = lengthAt(text, start);
        if (length === 0) continue;
        clean += text.slice(from, start) + by;
        from = start + length;
        at = from - 1;
      }
      return from === 0 ? text : clean + text.slice(from);
    },
  };

  /** Called only before a search: a load learns far more secrets than it searches texts. @param {ReturnType<typeof createGeneration>} generation */
  function prepare({ waiting, forms }) {
    for (const form of waiting.splice(0).flatMap(secret => [...writeInManyWays(secret)])) {
      const start = form.slice(0, HASHED);
      marks[hashOf(start)] = 1;
      const all = forms.get(start);
      if (all) all.push(form);
      else forms.set(start, [form]);
    }
  }

  /** Length of the longest form at a position, 0 for none: a shorter one would leave the rest of it. @param {string} text @param {number} start */
  function lengthAt(text, start) {
    const first = text.slice(start, start + HASHED);
    let length = 0;
    for (const { forms } of [kept, young, old]) {
      for (const form of forms.get(first) ?? []) {
        if (form.length > length && text.startsWith(form, start)) length = form.length;
      }
    }
    return length;
  }
}

function createGeneration() {
  return {
    /** @type {Set<string>} */
    secrets: new Set(),
    /** Those whose forms are not computed yet. @type {string[]} */
    waiting: [],
    /** @type {Map<string, string[]>} */
    forms: new Map(),
  };
}

/** Characters before the last four are shifted out. @param {number} hash @param {number} code */
function addToHash(hash, code) {
  return ((hash << 4) ^ code) & 0xffff;
}

/** @param {string} text */
function hashOf(text) {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = addToHash(hash, text.charCodeAt(at));
  return hash;
}

/**
 * The forms of a secret in an address, a form, JSON (from JavaScript and Python, also nested once in
 * JSON), a page, base64 and hex.
 * @param {string} secret
 * @returns {Set<string>}
 */
function writeInManyWays(secret) {
  const coded = [...writeInBase64(secret), Buffer.from(secret).toString('hex')].filter(
    form => form.length >= LEAST_CODED,
  );
  // The padding of base64 may be encoded once more than the rest.
  const forms = [secret, secret.replace(/=+$/, ''), ...coded, ...coded.map(encodeURIComponent)];
  const hex = forms.filter(form => /^[0-9a-f]+$/.test(form)).map(form => form.toUpperCase());
  // Most tokens have the same form everywhere.
  if (/^[\w.~-]+$/.test(secret)) return new Set([...forms, ...hex]);
  const json = JSON.stringify(secret).slice(1, -1);
  const asciiJson = escapeUnicode(json);
  const twice = [json, asciiJson].map(text => JSON.stringify(text).slice(1, -1));
  const percent = encodeURIComponent(secret);
  const encode = (/** @type {string} */ char) =>
    `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
  const strict = percent.replace(/[!'()*]/g, encode);
  const addresses = [
    percent,
    strict,
    strict.replaceAll('%2F', '/'),
    encodeURI(secret),
    new URLSearchParams({ s: secret }).toString().slice(2),
    new URL(`http://host/?${secret}`).search.slice(1),
  ];
  const lower = addresses.map(text => text.replace(/%[0-9A-F]{2}/g, code => code.toLowerCase()));
  const pages = [
    { '"': '&quot;', "'": '&#x27;' },
    { '"': '&#34;', "'": '&#39;' },
    { '"': '&quot;', "'": '&#39;' },
    { '"': '&quot;', "'": "'" },
    { '"': '"', "'": "'" },
  ].map(quotes => escapeMarkup(secret, { '&': '&amp;', '<': '&lt;', '>': '&gt;', ...quotes }));
  return new Set([...forms, ...hex, json, asciiJson, ...twice, ...addresses, ...lower, ...pages]);
}

/**
 * A text has three forms in base64, depending on the length of the text before it; at its ends it shares characters
 * with its neighbours. Returns the characters that are certain.
 * @param {string} secret
 * @returns {string[]}
 */
function writeInBase64(secret) {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap(before => {
    const coded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    const bits = (before + bytes.length) * 8;
    const sure = coded.slice(Math.ceil((before * 8) / 6), Math.floor(bits / 6));
    return [sure, sure.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** JSON in ASCII. @param {string} json */
export const escapeUnicode = json => json.replace(/[\u007f-\uffff]/g, escapeCode);

/** @param {string} text @param {Record<string, string>} entities */
function escapeMarkup(text, entities) {
  return text.replace(/[&<>"']/g, char => entities[char] ?? char);
}
