/** Known secrets in a text, in whatever way they are written: found in one pass, however many there are. */

/** Of those that a run teaches the newest are kept: at least this number, at most twice as many. */
const MOST_LEARNED = 2000;
/** The hash of a place in a text is that of this number of characters. */
const HASHED = 4;
/** A piece of base64 or hex that is shorter may stand anywhere by chance. */
const LEAST_CODED = 8;

/** Secrets, and how they are taken out of a text. */
export function createNeedles() {
  /** Hashes with which a form begins. */
  const marks = new Uint8Array(65_536);
  /** What is kept for ever, what came last, what came before; each by its first four characters. */
  const kept = createGeneration();
  let young = createGeneration();
  let old = createGeneration();

  return {
    /**
     * @param {string} secret
     * @param {{forever: boolean}} options else it goes when many others have come
     * @returns {boolean} it is new
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
      let clean = '';
      let from = 0;
      let hash = 0;
      for (let at = 0; at < text.length; at++) {
        hash = addToHash(hash, text.charCodeAt(at));
        const start = at - HASHED + 1;
        if (marks[hash] === 0 || start < from) continue;
        const length = lengthAt(text, start);
        if (length === 0) continue;
        clean += text.slice(from, start) + by;
        from = start + length;
        at = from - 1;
      }
      return from === 0 ? text : clean + text.slice(from);
    },
  };

  /** Not before a text is searched: a load teaches far more than that. @param {ReturnType<typeof createGeneration>} generation */
  function prepare({ waiting, forms }) {
    for (const form of waiting.splice(0).flatMap(secret => [...writeInManyWays(secret)])) {
      const start = form.slice(0, HASHED);
      marks[hashOf(start)] = 1;
      const all = forms.get(start);
      if (all) all.push(form);
      else forms.set(start, [form]);
    }
  }

  /** Of the longest one: a short one would leave the rest of it; 0 for none. @param {string} text @param {number} start */
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
    /** Those whose forms are not worked out yet. @type {string[]} */
    waiting: [],
    /** @type {Map<string, string[]>} */
    forms: new Map(),
  };
}

/** What is older than four characters has been shifted out. @param {number} hash @param {number} code */
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
 * How a secret may stand in an address, a form, JSON (of JavaScript and of Python, also when that
 * is in JSON once more), a page, base64 and hex.
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
  // Most tokens look the same everywhere.
  if (/^[\w.~-]+$/.test(secret)) return new Set([...forms, ...hex]);
  const json = JSON.stringify(secret).slice(1, -1);
  const asciiJson = escapeUnicode(json);
  const twice = [json, asciiJson].map(text => JSON.stringify(text).slice(1, -1));
  const percent = encodeURIComponent(secret);
  const strict = percent.replace(
    /[!'()*]/g,
    char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
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
 * In base64 a text looks in three ways, by how much stands before it, and its ends share characters with
 * their neighbours: what is sure to be there.
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
export function escapeUnicode(json) {
  return json.replace(
    /[\u007f-\uffff]/g,
    char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** @param {string} text @param {Record<string, string>} entities */
function escapeMarkup(text, entities) {
  return text.replace(/[&<>"']/g, char => entities[char] ?? char);
}
