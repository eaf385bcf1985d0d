/** The scripts of the suite and what they ask for beside themselves. */
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';

const FOLDER = path.join(import.meta.dirname, 'scripts');

/**
 * @typedef {object} ConformanceScript
 * @property {string} name e.g. `redirects/loop`
 * @property {string} file
 * @property {string} text
 * @property {string} hash of what it does: comments are left out
 * @property {boolean} slow takes a minute
 * @property {string[]} names what a refusal or a warning has to name
 * @property {Record<string, any>} flags Artillery's own, by their long names in camelCase
 * @property {Record<string, string>} env variables that stand for those of the servers
 */

/**
 * @param {string} [part] of the names that are wanted
 * @returns {ConformanceScript[]}
 */
export function listScripts(part = '') {
  return globSync('**/*.yaml', { cwd: FOLDER })
    .sort()
    .map(readOne)
    .filter(({ name }) => name.includes(part));
}

/** @param {string} relative */
function readOne(relative) {
  const file = path.join(FOLDER, relative);
  const text = readFileSync(file, 'utf8');
  const { flags = {}, env = {}, slow = false, names = [] } = parse(text)['x-conformance'] ?? {};
  return {
    name: relative.replace(/\.yaml$/, ''),
    file,
    text,
    hash: createHash('sha256')
      .update(
        text
          .replace(/^x-conformance: { names.*\n/m, '')
          .replace(/^(\s*#|x-conformance: { slow).*$/gm, ''),
      )
      .digest('hex')
      .slice(0, 16),
    slow,
    names,
    flags,
    env,
  };
}
