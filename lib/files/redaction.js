/**
 * Keeps secrets out of files and off the screen. Recorders redact before they write: what is not in
 * a file can't leak from it. What is known to be a secret goes by its value, in every way of writing;
 * the rest by the name or the place that it is in.
 */
import { createNeedles } from './secret-forms.js';

export const REDACTED = '[redacted]';

/**
 * Last words of names whose value is secret whatever it looks like, in any way of joining words:
 * `accessToken`, `x-functions-key`, `OIDC_CLIENT_SECRET`.
 */
const SECRET_WORDS =
  'passw(?:or)?d|passphrase|pwd|secret|token|jwt|(?:api|access|account|auth|encryption|functions|host|license|master|private|sas|secret|shared|signing|storage|subscription)[-_ ]?key|code[-_]?verifier|assertion|credential';
/** The same where the value looks random: `code=404`, `state=CA` and `session=3` are no secrets. */
const DOUBTFUL_WORDS =
  'auth|code|csrf|key|nonce|otp|pass|passcode|pin|s(?:ess)?id|session(?:[-_]?id)?|sig|signature|state|ticket|xsrf|saml(?:request|response)';
const SECRET_NAME = new RegExp(
  `(?:${SECRET_WORDS})s?$|^(?:proxy-|x-)*authorization$|^(?:set-)?cookies?$`,
  'i',
);
const DOUBTFUL_NAME = new RegExp(`(?:^|[-_.a-z ])(?:${DOUBTFUL_WORDS})$`, 'i');

/** A JSON Web Token, or the start of one that was cut off; also as base64 and as hex. */
const JWT =
  /eyJ[A-Za-z0-9_-]{5,}(?:\.[A-Za-z0-9_-]*){0,4}|\bZXlK[A-Za-z0-9+/_-]{12,}={0,2}|\b65794a(?:[0-9a-f]{2}){8,}/g;
/**
 * `Authorization: Token x`, and schemes that stand alone: `Bearer x`. The parameters of a challenge
 * (`WWW-Authenticate: Bearer realm="api"`) are no secret.
 */
const SCHEME =
  /(\bauthorization\\*["']?\s*[=:]\s*\\*["']?|\b)((?:Bearer|Basic|Token|Digest|Negotiate|NTLM|DPoP|Hawk|Key|Api-?Key|SharedAccessSignature|SharedKey|AWS4-HMAC-SHA256)(?:\s+|%20|\+))(?!(?:realm|error|error_description|scope|charset)\s*=\s*")([^\s"'<>,;\\]{6,}(?:(?<==)"[^"]*")?(?:, ?[\w-]+="?[^\s",]*"?)*)/gi;
const AUTHORIZATION = /(\bauthorization\\*["']?\s*[=:]\s*)(\\*["'])?([^\r\n"'\\;,&}]+)/gi;
/** A header of cookies in text: all of them. */
const COOKIES =
  /\b((?:set-)?cookie\\*["']?\s*[=:]\s*\\*["']?)([^\s;,"'=\\]+=[^\s;,"'\\]*(?:;\s*[^\s;,"'=\\]+(?:=[^\s;,"'\\]*)?)*)/gi;
/** Who and with which password: `postgresql://user:pw@host`. */
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
/** `password=…`, `"clientSecret": "…"`, `?sig=…` inside text, escaped once more or not. */
const ASSIGNMENT = new RegExp(
  `((?:${SECRET_WORDS}|\\b(?:${DOUBTFUL_WORDS})|_(?:${DOUBTFUL_WORDS}))${ASSIGN})(${VALUE})`,
  'gi',
);
const SECRET_OPTION = new RegExp(`(?:${OPTION_WORDS})$`, 'i');
/** A shorter one is known by the name before it only. */
const LEAST_PLAIN = 4;
const SECRET_START = new RegExp(`^(?:${SECRET_WORDS})`, 'i');

/**
 * A redactor for a run, or for one text.
 * @param {Iterable<string | undefined | null>} [secrets] values that must not appear anywhere; more
 *   can be added later (tokens as they are obtained)
 */
export function createRedactor(secrets = []) {
  const needles = createNeedles();
  /** Short or plain ones, which would blank out ordinary text: they go where a value stands. @type {RegExp | null} */
  let plain = null;
  /** @type {Set<string>} */
  const words = new Set();
  /**
   * @param {string | undefined | null} secret
   * @param {{forever?: boolean}} [options] else while it is among the newest
   * @returns {boolean} it is new, and known from now on wherever it stands
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
   * A copy of a plain value with every secret in it replaced: by name of the field, and in all text.
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
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        redactText(key),
        isSecretField(key, item) || isNamedValue(value, key) ? REDACTED : redact(item),
      ]),
    );
  }

  /**
   * What is said of an error; it stays the same error.
   * @template T
   * @param {T} error
   * @returns {T}
   */
  const redactError = error => {
    if (error instanceof Error) {
      for (const part of /** @type {const} */ (['message', 'hint', 'stack'])) {
        const text = /** @type {any} */ (error)[part];
        if (isText(text)) /** @type {any} */ (error)[part] = redactText(text);
      }
    }
    return error;
  };

  return { add, redactText, redactValue, redactError };
}

/** @typedef {ReturnType<typeof createRedactor>} Redactor */

/** What is secret by its form or the name before it. @param {string} text */
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
 * @param {string} name with what follows it @param {string} value
 * @returns {{open: string, inner: string, close: string}} `inner` is empty where it is no secret
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
 * Is this the value of a secret, by the name of its field?
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
 * The values of a script, of an address or of variables that are secret by their name or place. What is
 * a template has its value elsewhere.
 * @param {unknown} value
 * @param {string} [name] of the field that holds it
 * @returns {string[]}
 */
export function collectSecrets(value, name = '') {
  if (isText(value)) {
    if (value.includes('{{')) return [];
    const named = isSecretField(name, value) ? [value] : [];
    // Behind the name of a scheme, and of each cookie.
    if (/authorization$/i.test(name)) named.push(...value.split(/\s+/).slice(1));
    if (/cookie$/i.test(name))
      named.push(...value.split(/;\s*/).map(one => one.replace(/^[^=]*=/, '')));
    const assigned = [...value.matchAll(ASSIGNMENT)].map(
      ([, before = '', after = '']) => readAssigned(before, after).inner,
    );
    const found = [...named, ...assigned, ...assigned.map(decode), ...secretsOfAddress(value)];
    return [...new Set(found)].filter(one => one !== '');
  }
  if (Array.isArray(value)) {
    return value.flatMap((item, at) =>
      isOptionValue(value, at) ? [item] : collectSecrets(item, name),
    );
  }
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
 * What is secret of a value that a run came by. A text or a list is by one of its names; a text that has none may be
 * long, and is not looked into.
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
 * The value of a cookie of a session: those that a page may not read, or with a name that says so. What
 * a page remembers (`theme=dark-blue`) is none.
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

/** What percent signs encode; what cannot be decoded stays. @param {string} text */
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

/** How many of small letters, capitals, digits and others are in it. @param {string} text */
function countKinds(text) {
  return [/[a-z]/, /[A-Z]/, /\d/, /[^a-zA-Z\d]/].filter(kind => kind.test(text)).length;
}

/** Long and mixed enough not to stand anywhere by chance, as "demo" does, or "production". @param {string} text */
export function isTelling(text) {
  return text.length >= ([0, 12, 8][countKinds(text)] ?? 6);
}

/** No word, number or name of an error. @param {string} text */
function looksRandom(text) {
  const isMixed = /\d/.test(text) && /[a-z]/i.test(text);
  return text.length >= 8 && (isMixed || (/[a-z]/.test(text) && /\B[A-Z]/.test(text)));
}

/** What follows "Bearer" or "Basic" in a sentence. @param {string} text */
function isPlainWord(text) {
  return /^\(?[A-Z]?[a-z]*[.:!?)]*$|^[a-z_]+=[^=]/.test(text);
}

/** A template, a variable of a shell, an object or a type in a line of code. @param {string} text */
function isCode(text) {
  return /^(?:[{[(]?$|\{\{|\$\{|\$[A-Z][A-Z0-9_]*$|[{[]\\*["']|(?:str|int|bool|bytes|Optional|Any|None|null|true|false)\b)/.test(
    text,
  );
}
