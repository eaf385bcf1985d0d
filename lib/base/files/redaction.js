/**
 * Keeps secrets out of files and off the screen. Recorders redact before they write, so that files cannot leak
 * secrets. Known secrets are found by their value, in every encoding; others by their name or position.
 */
import {
  COUNT,
  isCode,
  isNamedValue,
  isOptionValue,
  isPlainWord,
  isSecretField,
  isTelling,
  isText,
  looksRandom,
  nameOf,
} from './secret-fields.js';
import { createNeedles } from './secret-forms.js';
import { HINTS, nameKind, TOKEN_WORDS } from './secret-names.js';
import { tryOr } from './try-or.js';

export const REDACTED = '[redacted]';

/** A JSON Web Token or its beginning, other JSON in base64, also as base64 and hex. */
const JWT =
  /(?:eyJ|\b(?:eyAi|ewog|ewoJ|ew0K|W3si))[A-Za-z0-9_-]{5,}(?:\.[A-Za-z0-9_-]*){0,4}|\bZXlK[A-Za-z0-9+/_-]{12,}={0,2}|\b65794a(?:[0-9a-f]{2}){8,}/g;
/** Tokens and keys of well-known services, and private keys. */
const KNOWN_FORM =
  /\b(?:xox[a-z]-|xapp-|github_pat_|glpat-|[prs]k_(?:live|test)_|whsec_|ya29\.|pypi-|hv[bs]\.|AIza|SG\.[\w-]{16,64}\.|(?:gh[oprsu]_|npm_|hf_)(?=[A-Za-z\d]{30})|sk-(?=[\w-]{32}))(?=[\w-]{0,60}\d)[\w-]{16,}|\b(?:AKIA|ASIA)[A-Z\d]{16}\b|(?<=\bhooks\.slack\.com\/services\/)[\w/]+|(?<=-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----)(?:[^-]|-(?!----))+/g;
/**
 * `Authorization: Token x`, and schemes without a header: `Bearer x`. The parameters of a challenge
 * (`WWW-Authenticate: Bearer realm="api"`) are not secret.
 */
const SCHEME =
  /(\bauthorization\\*["']?\s*[=:]\s*\\*["']?|\b)((?:Bearer|Basic|Token|Digest|Negotiate|NTLM|DPoP|Hawk|Key|Api-?Key|SharedAccessSignature|SharedKey|AWS4-HMAC-SHA256)(?:\s+|%20|\+))(?!\(|(?:realm|error|error_description|scope|charset)\s*=\s*")([^\s"'<>,;\\]{6,}(?:(?<==)"[^"]*")?(?:, ?[\w-]+="?[^\s",]*"?)*)/gi;
const AUTHORIZATION = /(\bauthorization\\*["']?\s*[=:]\s*)(\\*["'])?([^\r\n"'\\;,&}]+)/gi;
/** All cookies of a header in a text. */
const COOKIES =
  /(?<![\w-])((?:set-)?cookie\\*["']?\s*[=:]\s*\\*["']?)([^\s;,"'=\\]{1,256}=[^\s;,"'\\]*(?:;\s*[^\s;,"'=\\]+(?:=[^\s;,"'\\]*)?)*)/gi;
/** User name and password: `postgresql://user:pw@host`. */
const USER_INFO = /(:\/\/|%3A%2F%2F)(?:[^\s/?#"'<>\\%]|%(?!2F|3F))*(?:@|%40)/gi;
/** No names of files: those of a traceback stay. */
const PATH_TOKEN = new RegExp(
  `(/${TOKEN_WORDS}/)(?![\\w-]+\\.\\w{1,4}\\b)(?:(?=[\\w.~-]*\\d)[\\w.~-]{8,}|[\\w.~-]{20,})`,
  'gi',
);
/** `curl -u user:pw`, `--password pw`: words of a command line. */
const OPTION = /(-(?<!\S-)(?:u[ =]|-user[ =]|-?([a-z][\w-]*)\s+))("[^"]*"|'[^']*'|[^\s-]\S*)/gi;
/** `IDENTIFIED BY 'pw'` and `PASSWORD 'pw'` of SQL, and `sqlplus user/pw@db` of Oracle. */
const OF_DATABASE =
  /(["'])(?<=\b(?:identified\s+(?:with\s+\w{1,60}\s+)?(?:by|as)|password)\s+["'])(?:(?!\1)[^\r\n])+\1|\/(?=[^\s@/"']{1,128}@)(?<=\b(?:sqlplus|connect|oracle:\w{1,9}:|dsn)[\s("'=:-]{0,9}\w{1,60}\/)[^@]+/gi;
/** Passwords of SQL without quotes, and Oracle's old ones: `ALTER USER ann IDENTIFIED BY new REPLACE old`. */
const IDENTIFIED =
  /(\b(?:user|role|to)\s+\S{1,130}\s+identified\s+(?:with\s+\w{1,60}\s+)?(?:by|as)\s+(?:(?:values|password)\s+)?|\breplace(?<=\bidentified\s+by\s+(?:values\s+)?\S{1,130}\s+replace)\s+)(?:"[^"\r\n]{0,500}"|'[^'\r\n]{0,500}'|[^\s;,)"']+)/gi;
/** A name and a value apart: `"name": "pin", "value": "1"`, or a part of a form. */
const APART =
  /\b(?:name|key|field)\\*["']?\s*[=:]\s*\\*["'](?<name>[^"'\\\r\n]{1,100})\\*["'](?:[^<>{}]{1,80}?\b(?:value|content)\\*["']?\s*(?<assign>[=:]\s*)|[^\r\n]{0,200}(?:\r?\n[^\r\n]{1,200}){0,5}\r?\n\r?\n)/gi;
/** FastAPI's response to a wrong field, and a form as Python prints it: `[('pin', '1')]`. */
const LOCATED =
  /\bloc\\*["']\s*:\s*\[[^\][]{0,60}?\\*["'](?<name>[^"'\\\r\n]{1,60})\\*["']\s*\],[^\r\n]{0,300}?\binput\\*["']\s*(?<assign>:\s*)/gi;
const PAIR =
  /(?<=\[|\), ?)\('(?<name>[^'\\\r\n]{1,100})'(?<assign>, ?)(?='(?:[^'\\\r\n]|\\.){0,500}'\))/g;
const LETTER = String.raw`%(?:[57][bd]|[89a-f][\da-f])|\\+u[\da-f]{4}|[\w\u00c0-\u024f.$[\]-]`;
/** `Key (pin)=(1)`, `b'…'`, `SecretStr('…')`, three quotes, CDATA, a block of YAML. */
const BEFORE_VALUE = String.raw`(?<=\)=)\(|[bruf]{1,2}(?=["'])|[\w.]{1,30}\((?=["'])|""(?=")|''(?=')|<!\[CDATA\[|[|>][+-]?\r?\n[ \t]+`;
const ASSIGN = String.raw`(?:\\*["']|&(?:quot|apos|#0?3[49]|#x2[27]);|%2[27])?[\])]?\s*(?:=>|[=:>]|%3[ad])(?:\s|%20)*(?:${BEFORE_VALUE})?`;
/** `password=`, `"clientSecret": `, `&user%5Bpin%5D=`, perhaps escaped once more: what is before a value, and the whole name. */
const NAMED = new RegExp(
  `(?:${HINTS})(?:${LETTER}){0,60}(?<assign>${ASSIGN})(?<=(?<name>(?:${LETTER}){1,200})\\k<assign>)`,
  'gi',
);
/** A list or an object with texts, one level deep; templates are none. */
const NESTED = String.raw`(?=\[\s*\\*["']|\{[^[\]}]{0,300}:\s*\\*["'])[[{](?:[^[\]{}]|[[{][^[\]{}]{0,500}[\]}]){1,500}[\]}]`;
/** Lists of YAML without quotes. */
const PLAIN_LIST = String.raw`\[[^[\]{}"'\\\r\n]{1,2000}\]|(?<=\n[ \t]{0,40})(?:(?:\r?\n[ \t]{0,40})?-[ \t]+(?![\w.-]+:\s)[^\r\n]{1,500}){1,100}`;
/** @param {string} characters without quotes */
const buildValue = characters =>
  new RegExp(
    String.raw`"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|(\\+["'])(?:[^"\\]|\\+(?!["'\\])|(?!\1)\\+["'])*|(&(?:quot|apos|#0?3[49]|#x2[27]);)(?:(?!\2)[^\r\n]|(?<=\\)\2)*|%2[27](?:[^%\s&]|%(?!2[27]))*|${NESTED}|${PLAIN_LIST}|${characters}`,
    'iy',
  );
const PLAIN = String.raw`(?:(?!%26)[^\s&;,"'}<>)\]\\])`;
/** Its beginning shows whether it is secret. */
const SHORT_VALUE = buildValue(`${PLAIN}{1,64}`);
const VALUE = buildValue(`${PLAIN}+`);
/** In the query of an address or in a form. */
const FIELD_VALUE = buildValue(String.raw`[^\s&"<>\\]+`);
const LINE_VALUE = /[^\r\n]+/y;
/** From a percent sign to the next delimiter of an address. */
const ENCODED = /%[\da-f]{2}[\w.~!*'()+%-]*/gi;
const MOST_DECODED = 3;
/** Shorter secrets are found only by the name before them. */
const LEAST_PLAIN = 4;

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
      return [redactText(key), isSecret ? REDACTED : redact(hideTexts(key, item))];
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

/**
 * Replaces what is secret because of its form or the name before it.
 * @param {string} text @param {number} [depth] how often it was decoded
 * @returns {string}
 */
function redactNamed(text, depth = 0) {
  const byForm = redactEncoded(text, depth)
    .replace(JWT, REDACTED)
    .replace(KNOWN_FORM, REDACTED)
    .replace(PATH_TOKEN, `$1${REDACTED}`)
    .replace(USER_INFO, (_, start) => `${start}${REDACTED}@`)
    .replace(SCHEME, (whole, header, scheme, value) =>
      header === '' && isPlainWord(value) ? whole : `${header}${scheme}${REDACTED}`,
    )
    .replace(AUTHORIZATION, (whole, name, quote = '', value) =>
      value.includes(REDACTED) ? whole : `${name}${quote}${REDACTED}`,
    )
    .replace(COOKIES, `$1${REDACTED}`)
    .replace(OF_DATABASE, whole => (whole.startsWith('/') ? '/' : '') + REDACTED)
    .replace(IDENTIFIED, `$1${REDACTED}`)
    .replace(OPTION, (whole, before, option = 'pin', value) =>
      isSecretField(option, value) ? `${before}${REDACTED}` : whole,
    );
  return [APART, LOCATED, PAIR, NAMED].reduce((given, pattern) => {
    let clean = '';
    let end = 0;
    for (const { from, to } of listAssigned(given, pattern)) {
      clean += given.slice(end, from) + REDACTED;
      end = to;
    }
    return clean + given.slice(end);
  }, byForm);
}

/** What percent signs hide stays hidden, but for its secrets. @param {string} text @param {number} depth */
function redactEncoded(text, depth) {
  const runs = text.includes('%') ? (text.match(ENCODED) ?? []) : [];
  if (runs.length === 0) return text;
  if (depth === MOST_DECODED) return text.replace(ENCODED, REDACTED);
  const all = decodeField(runs.join('\n'));
  if (redactNamed(all, depth + 1) === all) return text;
  return text.replace(ENCODED, run => {
    const plain = decodeField(run);
    const clean = redactNamed(plain, depth + 1);
    return clean === plain ? run : clean.split(REDACTED).map(encodeURIComponent).join(REDACTED);
  });
}

/** @param {string} text */
function decodeField(text) {
  const spaced = text.replaceAll('+', ' ');
  const plain = decode(spaced);
  return plain === spaced ? spaced.replace(/(?:%[\da-f]{2})+/gi, decode) : plain;
}

/** Below the name of a secret, each text is one. @param {string} name @param {unknown} value @returns {unknown} */
function hideTexts(name, value) {
  if (value === null || typeof value !== 'object' || nameKind(name) !== 'secret') return value;
  return JSON.parse(JSON.stringify(value), (_, one) => (isText(one) ? REDACTED : one));
}

/** The secret values that follow a name, without their quotes. @param {string} text @param {RegExp} names */
function listAssigned(text, names) {
  const found = [];
  let at = 0;
  const next = (/** @type {RegExp} */ pattern) => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  for (let match = next(names); match; match = next(names)) {
    at = match.index + match[0].length;
    const { name = '', assign = '' } = match.groups ?? {};
    const before = text[at - assign.length - name.length - 1] ?? '&';
    // Header fields with patterns of their own; `token > 5` is no element of XML.
    if (/authorization$|^(?:set-)?cookies?$/i.test(name)) continue;
    if (/^\s*>/.test(assign) && before !== '<') continue;
    if (isPublic(name, assign, next(SHORT_VALUE)?.[0] ?? '')) continue;
    const isField = assign === '=' && /[?&]/.test(before);
    const form = assign === '' ? LINE_VALUE : isField ? FIELD_VALUE : VALUE;
    const value = next(form)?.[0] ?? '';
    const { open, inner } = splitQuotes(value);
    found.push({ from: at + open.length, to: at + open.length + inner.length, inner });
    at += value.length;
  }
  return found;
}

/** @param {string} value */
function splitQuotes(value) {
  const [open = ''] = /^(?:\\*["']|&#?\w+;|%2[27])/.exec(value) ?? [];
  return { open, inner: value.slice(open.length).replace(/["']$/, '') };
}

/**
 * @param {string} name
 * @param {string} assign
 * @param {string} value
 */
function isPublic(name, assign, value) {
  const kind = nameKind(name);
  if (!['secret', 'doubtful'].includes(`${kind}`)) return true;
  const { open, inner } = splitQuotes(value);
  const isNested = kind === 'secret' && /[\]}]$/.test(inner);
  if (inner.startsWith(REDACTED.slice(0, -1)) || (isCode(inner) && !isNested)) return true;
  // `refused token: (status 401)`, `credentials: invalid`
  const isProse = open === '' && /\s$/.test(assign) && COUNT.test(name) && isPlainWord(inner);
  return isProse || /^\((?:status|HTTP)$/.test(inner) || !isSecretField(name, inner);
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
    const assigned = [value, decode(value)].flatMap(text =>
      listAssigned(text, NAMED).map(({ inner }) => inner),
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
    const isMap = nameKind(key) === 'secret' && item !== null && typeof item === 'object';
    const own = isMap && !Array.isArray(item) ? Object.values(item).filter(isText) : [];
    return [
      ...own.filter(text => !text.includes('{{')),
      ...collectSecrets(item, isNamed ? nameOf(value) : key),
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
  return tryOr(text, () => decodeURIComponent(text));
}
