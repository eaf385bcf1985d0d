/** A stamp is written last into what was installed: without it, an installation was cut off. */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './root.js';

const NAME = '.loadflame-setup';

/** @param {string} folder @param {string} wanted */
export function isStamped(folder, wanted) {
  try {
    return readFileSync(path.join(folder, NAME), 'utf8') === wanted;
  } catch {
    return false;
  }
}

/** @param {string} folder @param {string} wanted */
export function stamp(folder, wanted) {
  writeFileSync(path.join(folder, NAME), wanted);
}

/**
 * Changes with the files, and with whatever else an installation depends on.
 * @param {string[]} files relative to the clone
 * @param {string[]} facts
 */
export function fingerprint(files, facts) {
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(path.join(ROOT, file)));
  for (const fact of facts) hash.update(`\0${fact}`);
  return hash.digest('hex');
}
