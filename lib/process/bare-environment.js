/** What a program that we start may see of our environment: its secrets go only to those that need them. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { collectSecrets, createRedactor, isTelling } from '../files/redaction.js';

/** What any program needs to run: proxies, settings and secrets of the user stay out. */
const NEEDED = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TMPDIR', 'TZ'];

/** Names of settings that are secret. @type {Set<string>} */
const hidden = new Set();
const redactor = createRedactor();

/**
 * Settings that are for us alone: no program that we start inherits them, under whatever name.
 * @param {readonly {name: string, text: string}[]} settings
 */
export function hideFromPrograms(settings) {
  for (const { name, text } of settings) {
    hidden.add(name);
    redactor.add(text, { forever: true });
  }
}

/**
 * Is it one that the redactor would not leave as it is, by its name, by its value or by what is in it? What is
 * the path of something (`PWD`, `SSH_ASKPASS`) is none.
 * @param {string} name
 * @param {string} [value]
 */
export function isSecretVariable(name, value = '') {
  if (hidden.has(name)) return true;
  if (NEEDED.includes(name) || isPath(value)) return false;
  return redactor.redactValue({ [name]: value })[name] !== value;
}

/**
 * The secrets in undeclared variables. Plain words are left out: `USE_TOKEN=true` says nothing.
 * @param {Record<string, string | undefined>} env
 * @returns {string[]}
 */
export function findUndeclaredSecrets(env) {
  return Object.entries(env)
    .flatMap(([name, value = '']) => (isPath(value) ? [] : collectSecrets(value, name)))
    .filter(isTelling);
}

/**
 * Options of a program that sees our environment without what is secret.
 * @param {Record<string, string | undefined>} [more] beside it
 */
export function inheritEnvironment(more) {
  const seen = Object.entries(process.env).filter(
    ([name, value]) => !isSecretVariable(name, value),
  );
  return { env: { ...Object.fromEntries(seen), ...more }, extendEnv: false };
}

/** @returns {Record<string, string>} */
export function pickBareEnvironment() {
  return pickVariables(NEEDED);
}

/** Those of our environment that are set. @param {readonly string[]} names @returns {Record<string, string>} */
export function pickVariables(names) {
  return Object.fromEntries(
    names.flatMap(name => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** @param {string} value */
function isPath(value) {
  return path.isAbsolute(value) && existsSync(value);
}
