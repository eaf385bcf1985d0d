/**
 * Keeps secrets out of files and off the screen. Recorders redact before they write: what is not in
 * a file can't leak from it.
 */

export const REDACTED = '[redacted]';

/** Headers and fields whose whole value is secret, whatever it looks like. */
const SECRET_NAME =
  /^(authorization|proxy-authorization|cookie|set-cookie|x-api-key|x-auth-token|access_token|refresh_token|id_token|client_secret|password|passwd|secret|api_?key|token|code_verifier|client_assertion)$/i;

/** A JSON Web Token, or the start of one that was cut off. */
const JWT = /eyJ[A-Za-z0-9_-]{5,}(?:\.[A-Za-z0-9_-]*){0,4}/g;
/** The parameters of a challenge (`WWW-Authenticate: Bearer realm="api"`) are no secret. */
const BEARER =
  /\b(Bearer|Basic)\s+(?!(?:realm|error|error_description|scope|charset)\s*=\s*")[A-Za-z0-9._~+/=-]{6,}/gi;
/** `password=…`, `"client_secret": "…"`, `session-jwt=…` inside text. */
const ASSIGNMENT =
  /(["']?(?:\b(?:access_token|refresh_token|id_token|client_secret|password|passwd|api_?key|code_verifier|client_assertion)|jwt)["']?\s*[=:]\s*)("(?:[^"\\]|\\.)*"|'[^']*'|[^\s&;,"'}<]+)/gi;

/** Short values would blank out ordinary text wherever they happen to stand. */
const MIN_SECRET_LENGTH = 4;

/**
 * @param {Iterable<string | undefined | null>} [secrets] values that must not appear anywhere; more
 *   can be added later (tokens as they are obtained)
 */
export function createRedactor(secrets = []) {
  /** @type {string[]} the longest first: a short one would leave the rest of a longer one */
  let known = [];
  /** @param {string | undefined | null} secret */
  const add = secret => {
    if (!secret || secret.length < MIN_SECRET_LENGTH) return;
    known = [...new Set([...known, ...writeInManyWays(secret)])].sort(
      (a, b) => b.length - a.length,
    );
  };
  for (const secret of secrets) add(secret);

  /** @param {string} text */
  const redactText = text => {
    let clean = text;
    for (const secret of known) {
      if (clean.includes(secret)) clean = clean.replaceAll(secret, REDACTED);
    }
    return clean
      .replace(JWT, REDACTED)
      .replace(BEARER, `$1 ${REDACTED}`)
      .replace(ASSIGNMENT, (_, name, value) => {
        const quote = /^["']/.test(value) ? value[0] : '';
        return `${name}${quote}${REDACTED}${quote}`;
      });
  };

  /**
   * A copy of a plain value with every secret in it replaced: by name of the field, and in all text.
   * @template T
   * @param {T} value
   * @returns {T}
   */
  const redactValue = value => /** @type {T} */ (redact(value));

  /** @param {unknown} value @returns {unknown} */
  function redact(value) {
    if (typeof value === 'string') return redactText(value);
    if (Array.isArray(value)) return value.map(redact);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        redactText(key),
        SECRET_NAME.test(key) && isScalarOrList(item) ? REDACTED : redact(item),
      ]),
    );
  }

  return { add, redactText, redactValue };
}

/**
 * How a secret may stand in an address, a form, JSON (of JavaScript and of Python, also when that
 * stands in JSON once more) or a page.
 * @param {string} secret
 * @returns {string[]}
 */
function writeInManyWays(secret) {
  const json = JSON.stringify(secret).slice(1, -1);
  const asciiJson = escapeUnicode(json);
  const twice = [json, asciiJson].map(text => JSON.stringify(text).slice(1, -1));
  const form = new URLSearchParams({ s: secret }).toString().slice(2);
  const query = new URL(`http://host/?${secret}`).search.slice(1);
  const pages = [
    { '"': '&quot;', "'": '&#x27;' },
    { '"': '&#34;', "'": '&#39;' },
    { '"': '&quot;', "'": '&#39;' },
    { '"': '&quot;', "'": "'" },
    { '"': '"', "'": "'" },
  ].map(quotes => escapeMarkup(secret, { '&': '&amp;', '<': '&lt;', '>': '&gt;', ...quotes }));
  return [
    secret,
    encodeURIComponent(secret),
    encodeURI(secret),
    form,
    query,
    json,
    asciiJson,
    ...twice,
    ...pages,
  ];
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

/** @param {unknown} item */
function isScalarOrList(item) {
  return typeof item === 'string' || typeof item === 'number' || Array.isArray(item);
}

/** @typedef {ReturnType<typeof createRedactor>} Redactor */
