/** Secrets of thirty kinds, each with a value that stands nowhere else, and how to find them again. */
import { randomBytes } from 'node:crypto';

const hex = (/** @type {number} */ bytes) => randomBytes(bytes).toString('hex');
const word = () => `${hex(4)}Qz${hex(4)}`;
const base64url = (/** @type {string} */ text) => Buffer.from(text).toString('base64url');

/** Each kind as its owners make it. */
const KINDS = {
  password: () => `pw-${word()}`,
  oddPassword: () => `a&${word()}"é<'+/%=b`,
  clientSecret: () => randomBytes(24).toString('base64url'),
  accessToken: () => `at_${word()}`,
  refreshToken: () => `rt.${word()}`,
  idToken: () =>
    [`{"alg":"none","k":"${word()}"}`, `{"sub":"${word()}"}`, word()].map(base64url).join('.'),
  bearer: () => randomBytes(30).toString('base64url'),
  basicPassword: () => `basic:${word()}`,
  apiKey: () => `sk_live_${word()}`,
  functionsKey: () => `${randomBytes(30).toString('base64')}==`,
  subscriptionKey: () => hex(16),
  awsAccess: () => `AKIA${hex(8).toUpperCase()}`,
  awsSecret: () => randomBytes(30).toString('base64'),
  sasSignature: () => `${randomBytes(32).toString('base64')}`,
  sessionCookie: () => `s:${word()}.${word()}`,
  csrf: () => word(),
  captured: () => `cap-${word()}`,
  urlPassword: () => `u${word()}`,
  databasePassword: () => `db${word()}`,
  redisPassword: () => `rd${word()}`,
  queryToken: () => `q${word()}`,
  queryCode: () => `c0.${word()}`,
  formSecret: () => `f ${word()} &x`,
  jsonSecret: () => `j"${word()}\\n`,
  hookSecret: () => `hook/${word()}`,
  privateKey: () => randomBytes(48).toString('base64'),
  githubToken: () => `ghp_${word()}${word()}`,
  slackToken: () => `xoxb-${word()}-${word()}`,
  totp: () => word(),
  undeclared: () => `undeclared/${word()}`,
  argument: () => `arg-${word()}`,
  passphrase: () => `Quiet ${word()} Horse`,
};

/** @typedef {Record<keyof typeof KINDS, string>} Planted */

/** @returns {Planted} */
export function plantSecrets() {
  const made = Object.entries(KINDS).map(([kind, make]) => [kind, make()]);
  return /** @type {Planted} */ (Object.fromEntries(made));
}

const markup = (/** @type {string} */ text) =>
  text.replace(/[&<>"']/g, char => `&#${char.charCodeAt(0)};`);
const percent = (/** @type {string} */ text) => encodeURIComponent(text);

/** Eight ways to write a value. @type {Record<string, (text: string) => string>} */
export const WAYS = {
  plain: text => text,
  percent,
  'percent in small letters': text => percent(text).replace(/%../g, code => code.toLowerCase()),
  base64: text => Buffer.from(text).toString('base64'),
  base64url: text => Buffer.from(text).toString('base64url'),
  hex: text => Buffer.from(text).toString('hex'),
  json: text => JSON.stringify(text).slice(1, -1),
  html: text =>
    markup(text)
      .replaceAll('&#34;', '&quot;')
      .replaceAll('&#38;', '&amp;')
      .replaceAll('&#60;', '&lt;')
      .replaceAll('&#62;', '&gt;'),
};

/**
 * What of the planted values is in a text, in any of the ways (hex in large letters, too).
 * @param {string} text
 * @param {Planted} planted
 * @returns {string[]} `kind (way): what is around it`
 */
export function findPlanted(text, planted) {
  return Object.entries(planted).flatMap(([kind, value]) =>
    Object.entries(WAYS).flatMap(([way, write]) => {
      const form = write(value).replace(/=+$/, '');
      const at = [form, way === 'hex' ? form.toUpperCase() : form]
        .map(one => text.indexOf(one))
        .find(found => found >= 0);
      return at === undefined
        ? []
        : [`${kind} (${way}): ${text.slice(Math.max(0, at - 90), at + 40)}`];
    }),
  );
}
