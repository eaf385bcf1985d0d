/** The part of our environment that a program sees: only programs that need secrets get them. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { collectSecrets, createRedactor } from '../files/redaction.js';
import { isTelling } from '../files/secret-fields.js';

/** Variables that any program needs; proxies, settings and secrets of the user are not among them. */
const NEEDED = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TMPDIR', 'TZ'];

/** Names of settings that are secret. @type {Set<string>} */
const hidden = new Set();
const redactor = createRedactor();

/**
 * Hides our own secret settings from all programs that we start, whatever their names are.
 * @param {readonly {name: string, text: string}[]} settings
 */
export function hideFromPrograms(settings) {
  for (const { name, text } of settings) {
    hidden.add(name);
    redactor.add(text, { forever: true });
  }
}

/**
 * Whether the redactor would change it, because of its name or its value. A path (`PWD`, `SSH_ASKPASS`) is not
 * secret.
 * @param {string} name
 * @param {string} [value]
 */
export function isSecretVariable(name, value = '') {
  // LOADFLAME=1 is no key.
  if (hidden.has(name)) return value.length !== 1;
  if (NEEDED.includes(name) || isPath(value)) return false;
  return redactor.redactValue({ [name]: value })[name] !== value;
}

/**
 * The secrets in undeclared variables, without plain words: `USE_TOKEN=true` is no secret.
 * @param {Record<string, string | undefined>} env
 * @returns {string[]}
 */
export function findUndeclaredSecrets(env) {
  return Object.entries(env)
    .flatMap(([name, value = '']) => (isPath(value) ? [] : collectSecrets(value, name)))
    .filter(isTelling);
}

/**
 * Options for a program that sees our environment without its secrets.
 * @param {Record<string, string | undefined>} [more] variables to add
 */
export function inheritEnvironment(more) {
  const seen = Object.entries(process.env).filter(entry => !isSecretVariable(...entry));
  return { env: { ...Object.fromEntries(seen), ...more }, extendEnv: false };
}

/** Variables of our environment that are set. @param {readonly string[]} [names] @returns {Record<string, string>} */
export function pickVariables(names = NEEDED) {
  const entries = names.map(name => [name, process.env[name]]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** @param {string} value */
function isPath(value) {
  return path.isAbsolute(value) && existsSync(value);
}
