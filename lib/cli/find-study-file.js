/** Which study is meant: a file, or the name of one of `studies/`. */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { LoadflameError } from '../errors.js';

const FOLDER = 'studies';
const ENDING = /\.ya?ml$/i;

/**
 * @param {string} given `studies/content.yaml`, or `content`
 * @returns {string} path of a file; one that was named with its ending may be missing
 * @throws {LoadflameError} STUDY_UNKNOWN
 */
export function findStudyFile(given) {
  if (ENDING.test(given) || existsSync(given)) return given;
  const file = path.join(FOLDER, `${given}.yaml`);
  if (existsSync(file)) return file;
  const names = listNames();
  const known =
    names.length > 0 ? `there are: ${names.join(', ')}` : `there are none in ${FOLDER}/`;
  throw new LoadflameError('STUDY_UNKNOWN', { name: given, known });
}

/** @returns {string[]} */
function listNames() {
  if (!existsSync(FOLDER)) return [];
  return readdirSync(FOLDER)
    .filter(name => ENDING.test(name))
    .map(name => name.replace(ENDING, ''))
    .sort();
}
