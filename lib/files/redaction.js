/**
 * Keeps secrets out of files and off the screen. Recorders redact before they write, so that files cannot leak
 * secrets. Known secrets are found by their value, in every encoding; others by their name or position.
 */
import { createNeedles } from './secret-forms.js';

export const REDACTED = '[redacted]';

/**
 * Last words of names whose value is always secret, however the words are joined: `accessToken`, `x-functions-key`,
 * `OIDC_CLIENT_SECRET`.
 */
const SECRET_WORDS =
  'passw(?:or)?d|passphrase|pwd|secret|token|jwt|(?:api|access|account|auth|encryption|functions|host|license|master|private|sas|secret|shared|signing|storage|subscription)[-_ ]?key|code[-_]?verifier|assertion|credential';
/** Last words whose value is secret only if it looks random: `code=404`, `state=CA` and `session=3` are not. */
const DOUBTFUL_WORDS =
  'auth|code|csrf|key|nonce|otp|pass|passcode|pin|s(?:ess)?id|session(?:[-_]?id)?|sig|signature|state|ticket|xsrf|saml(?:request|response)';
const SECRET_NAME = new RegExp(
  `(?:${SECRET_WORDS})s?$|^(?:proxy-|x-)*authorization$|^(?:set-)?cookies?$`,
  'i',
);
const DOUBTFUL_NAME = new RegExp(`(?:^|[-_.a-z ])(?:${DOUBTFUL_WORDS})$`, 'i');

/** A JSON Web Token or its beginning, also as base64 and hex. */
const JWT =
  /eyJ[A-Za-z0-9_-]{5,}(?:\.[A-Za-z0-9_-]*){0,4}|\bZXlK[A-Za-z0-9+/_-]{12,}={0,2}|\b65794a(?:[0-9a-f]{2}){8,}/g;
/**
 * `Authorization: Token x`, and schemes without a header: `Bearer x`. The parameters of a challenge
 * (`WWW-Authenticate: Bearer realm="api"`) are not secret.
 */
const SCHEME =
  /(\bauthorization\\*["']?\s*[=:]\s*\\*["']?|\b)((?:Bearer|Basic|Token|Digest|Negotiate|NTLM|DPoP|Hawk|Key|Api-?Key|SharedAccessSignature|SharedKey|AWS4-HMAC-SHA256)(?:\s+|%20|\+))(?!(?:realm|error|error_description|scope|charset)\s*=\s*")([^\s"'<>,;\\]{6,}(?:(?<==)"[^"]*")?(?:, ?[\w-]+="?[^\s",]*"?)*)/gi;
const AUTHORIZATION = /(\bauthorization\\*["']?\s*[=:]\s*)(\\*["'])?([^\r\n"'\\;,&}]+)/gi;
/** All cookies of a header in a text. */
const COOKIES =
  /\b((?:set-)?cookie\\*["']?\s*[=:]\s*\\*["']?)([^\s;,"'=\\]+=[^\s;,"'\\]*(?:;\s*[^\s;,"'=\\]+(?:=[^\s;,"'\\]*)?)*)/gi;
/** User name and password: `postgresql://user:pw@host`. */
const USER_INFO =
  /(:\/\/|%3A%2F%2F)(?:[^\s/?#"'<>\\@%]|%(?!2F|3F|40)|@(?=[^\s/?#"'<>\\]*@))*(?:@|%40)/gi;
const OPTION_WORDS = `${SECRET_WORDS}|requirepass|masterauth`;
/** `curl -u user:pw`, `--password pw`: words of a command line. */
const OPTION = new RegExp(
  String.raw`(\s(?:-u|--user)[ =]|--[\w-]{0,30}(?:${OPTION_WORDS})\s+)("[^"]*"|'[^']*'|[^\s-]\S*)`,
  'gi',
);
const QUOTE = String.raw`(?:\\*["']|&(?:quot|apos|#0?3[49]|#x2[27]);|%2[27])?`;
const ASSIGN = String.raw`\]?${QUOTE}\s*(?:=>|[=:]|%3[AD])\s*`;
const VALUE = String.raw`"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|\\+["'][^"'\\]*|&(?:quot|apos|#0?3[49]|#x2[27]);[^&\s]*|%2[27](?:[^%\s&]|%(?!2[27]))*|(?:(?!%26)[^\s&;,"'}<>)\]\\])+`;
/** `password=…`, `"clientSecret": "…"`, `?sig=…` in a text, perhaps escaped once more. */
const ASSIGNMENT = new RegExp(
  `((?:${SECRET_WORDS}|\\b(?:${DOUBTFUL_WORDS})|_(?:${DOUBTFUL_WORDS}))${ASSIGN})(${VALUE})`,
  'gi',
);
const SECRET_OPTION = new RegExp(`(?:${OPTION_WORDS})$`, 'i');
/** Shorter secrets are found only by the name before them. */
const LEAST_PLAIN = 4;
const SECRET_START = new RegExp(`^(?:${SECRET_WORDS})`, 'i');

/**
 * A redactor for a run, or for one text.
 * @param {Iterable<string | undefined | null>} [secrets] values that must not appear anywhere; more can be added later
 *   (new tokens)
 */
export function createRedactor(secrets = []) {
  const needles = createNeedles();
  /** Short or plain secrets, which could be ordinary text: replaced only after `=` or `:`. @type {RegExp | null} */
  let plain = null;
  /** @type {Set<string>} */
  const words = new Set();
  /**
   * @param {string | undefined | null} secret
   * @param {{forever?: boolean}} [options] otherwise only while it is among the newest
   * @returns {boolean} whether it is new, and from now on is replaced everywhere
   */
  const add = (secret, { forever = false } = {}) => {
    if (!secret) return false;
    if (isTelling(secret)) return needles.add(secret, { forever });
    if (forever && secret.length >= LEAST_PLAIN) {
      words.add(secret.replace(/[^\w\s]/g, '\\$&'));
      plain = new RegExp(`([=:]\\s*["']?)(?:${[...words].join('|')})(?![\\w-])`, 'g');
    }
    return false;
  };
  for (const secret of secrets) add(secret, { forever: true });

  /** @param {string} text */
  const redactText = text => {
    const clean = redactNamed(needles.replace(text, REDACTED));
    return plain ? clean.replace(plain, `$1${REDACTED}`) : clean;
  };

  /**
   * A copy of a plain value in which every secret is replaced, by the name of its field and in all text.
   * @template T
   * @param {T} value
   * @returns {T}
   */
  const redactValue = value => /** @type {T} */ (redact(value));

  /** @param {unknown} value @returns {unknown} */
  function redact(value) {
    if (typeof value === 'string') return redactText(value);
    if (Array.isArray(value))
      return value.map((item, at) => (isOptionValue(value, at) ? REDACTED : redact(item)));
    if (value === null || typeof value !== 'object') return value;
    const entries = Object.entries(value).map(([key, item]) => {
      const isSecret = isSecretField(key, item) || isNamedValue(value, key);
      return [redactText(key), isSecret ? REDACTED : redact(item)];
    });
    return Object.fromEntries(entries);
  }

  /**
   * Redacts the texts of an error, in place.
   * @template T
   * @param {T} error
   * @returns {T}
   */
  const redactError = error => {
    const texts = /** @type {Record<string, any>} */ (error instanceof Error ? error : {});
    for (const part of ['message', 'hint', 'stack'])
      if (isText(texts[part])) texts[part] = redactText(texts[part]);
    return error;
  };

  return { add, redactText, redactValue, redactError };
}

/** @typedef {ReturnType<typeof createRedactor>} Redactor */

/** Replaces what is secret because of its form or the name before it. @param {string} text */
function redactNamed(text) {
  return text
    .replace(JWT, REDACTED)
    .replace(USER_INFO, (_, start) => `${start}${REDACTED}@`)
    .replace(SCHEME, (whole, header, scheme, value) =>
      header === '' && isPlainWord(value) ? whole : `${header}${scheme}${REDACTED}`,
    )
    .replace(AUTHORIZATION, (whole, name, quote = '', value) =>
      value.includes(REDACTED) ? whole : `${name}${quote}${REDACTED}`,
    )
    .replace(COOKIES, `$1${REDACTED}`)
    .replace(OPTION, `$1${REDACTED}`)
    .replace(ASSIGNMENT, (whole, name, value) => {
      const { open, inner, close } = readAssigned(name, value);
      return inner === '' ? whole : `${name}${open}${REDACTED}${close}`;
    });
}

/**
 * @param {string} name with the signs after it @param {string} value
 * @returns {{open: string, inner: string, close: string}} `inner` is empty if it is no secret
 */
function readAssigned(name, value) {
  const [, open = '', inner = '', close = ''] =
    /^(\\*["']|&#?\w+;|%2[27])?(.*?)(["'])?$/s.exec(value) ?? [];
  const isPublic =
    inner.startsWith(REDACTED.slice(0, -1)) ||
    isCode(inner) ||
    /^\((?:status|HTTP)$/.test(inner) ||
    !(SECRET_START.test(name) || looksRandom(inner));
  return { open, inner: isPublic ? '' : inner, close };
}

/**
 * Whether the name of its field makes a value secret.
 * @param {string} name
 * @param {unknown} value
 */
export function isSecretField(name, value) {
  if (typeof value === 'number') return /(?:passw(?:or)?d|pwd|pin|otp|secret|token)$/i.test(name);
  if (Array.isArray(value)) return SECRET_NAME.test(name) && value.every(isText);
  if (!isText(value) || value === '') return false;
  return (
    SECRET_NAME.test(name) || name === 'pass' || (DOUBTFUL_NAME.test(name) && looksRandom(value))
  );
}

/** `{name: 'x-api-key', value: …}`. @param {Record<string, any>} fields @param {string} key */
function isNamedValue(fields, key) {
  return key === 'value' && isText(fields.name) && isSecretField(fields.name, fields[key]);
}

/** `['redis-server', '--requirepass', 'x']`. @param {unknown[]} list @param {number} at */
function isOptionValue(list, at) {
  const before = at > 0 ? list[at - 1] : null;
  return isText(before) && isText(list[at]) && /^--?\w/.test(before) && SECRET_OPTION.test(before);
}

/**
 * The values of a script, of an address or of variables that are secret because of their name or position. Templates
 * have their value elsewhere.
 * @param {unknown} value
 * @param {string} [name] of its field
 * @returns {string[]}
 */
export function collectSecrets(value, name = '') {
  if (isText(value)) {
    if (value.includes('{{')) return [];
    const named = isSecretField(name, value) ? [value] : [];
    // After the name of a scheme, and of each cookie.
    if (/authorization$/i.test(name)) named.push(...value.split(/\s+/).slice(1));
    if (/cookie$/i.test(name))
      named.push(...value.split(/;\s*/).map(one => one.replace(/^[^=]*=/, '')));
    const assigned = [...value.matchAll(ASSIGNMENT)].map(
      ([, before = '', after = '']) => readAssigned(before, after).inner,
    );
    const found = [...named, ...assigned, ...assigned.map(decode), ...secretsOfAddress(value)];
    return [...new Set(found)].filter(one => one !== '');
  }
  const isOption = (/** @type {number} */ at) => Array.isArray(value) && isOptionValue(value, at);
  if (Array.isArray(value))
    return value.flatMap((item, at) => (isOption(at) ? [item] : collectSecrets(item, name)));
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, item]) => {
    const isNamed = isNamedValue(value, key);
    // A map of cookies has names of its own.
    const isMap = SECRET_NAME.test(key) && item !== null && typeof item === 'object';
    const own = isMap && !Array.isArray(item) ? Object.values(item).filter(isText) : [];
    return [
      ...own.filter(text => !text.includes('{{')),
      ...collectSecrets(item, isNamed ? /** @type {any} */ (value).name : key),
    ];
  });
}

/**
 * The secrets of a value that was captured in a run. A text or a list is secret because of one of its names; other
 * texts may be long and are not searched.
 * @param {string[]} names
 * @param {unknown} value
 * @returns {string[]}
 */
export function secretsOfValue(names, value) {
  const isMap = value !== null && typeof value === 'object' && !Array.isArray(value);
  return names.flatMap(name =>
    isMap || isSecretField(name, value) ? collectSecrets(value, name) : [],
  );
}

/**
 * The value of a session cookie: one that a page may not read, or whose name says so. Settings of a page
 * (`theme=dark-blue`) are not secret.
 * @param {string} setCookie
 * @returns {string[]}
 */
export function secretsOfCookies(setCookie) {
  const [, name = '', value = '', rest = ''] = /^([^=;]*)=("?[^;]*)(.*)$/s.exec(setCookie) ?? [];
  const isSession =
    isSecretField(name.trim(), value) || (/;\s*httponly/i.test(rest) && looksRandom(value));
  return isSession ? [value, decode(value)] : [];
}

/** @param {string} text @returns {string[]} */
function secretsOfAddress(text) {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text) || !URL.canParse(text)) return [];
  const { username, password } = new URL(text);
  return [decode(password || username)];
}

/** Decodes percent signs; text that cannot be decoded stays. @param {string} text */
export function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** @param {unknown} value @returns {value is string} */
function isText(value) {
  return typeof value === 'string';
}

/** Number of kinds among lower case, upper case, digits and others. @param {string} text */
function countKinds(text) {
  return [/[a-z]/, /[A-Z]/, /\d/, /[^a-zA-Z\d]/].filter(kind => kind.test(text)).length;
}

/** Long and mixed enough not to occur by chance, unlike "demo" or "production". @param {string} text */
export function isTelling(text) {
  return text.length >= ([0, 12, 8][countKinds(text)] ?? 6);
}

/** Not a word, a number or the name of an error. @param {string} text */
function looksRandom(text) {
  const isMixed = /\d/.test(text) && /[a-z]/i.test(text);
  return text.length >= 8 && (isMixed || (/[a-z]/.test(text) && /\B[A-Z]/.test(text)));
}

/** A word after "Bearer" or "Basic" in a sentence. @param {string} text */
function isPlainWord(text) {
  return /^\(?[A-Z]?[a-z]*[.:!?)]*$|^[a-z_]+=[^=]/.test(text);
}

const CODE =
  /^(?:[{[(]?$|\{\{|\$\{|\$[A-Z][A-Z0-9_]*$|[{[]\\*["']|(?:str|int|bool|bytes|Optional|Any|None|null|true|false)\b)/;

/** A template, a shell variable, an object or a type in a line of code. @param {string} text */
function isCode(text) {
  return CODE.test(text);
}
