/** Study files for tests. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { LoadflameError } from '../../../../lib/base/errors.js';
import { readStudy } from '../../../../lib/experiment/study/study-file/read-study.js';
import { makeTempFolder } from '../../../helpers/temp-folder.js';

/** The smallest study: six lines, so that what a test adds begins in line 7. */
export const SMALL = `title: A study
target:
  url: http://127.0.0.1:5000
scenario:
  scenarios: [{flow: [{get: {url: /}}]}]
load: {steps: [1, 2, 4]}
`;

/**
 * @param {import('node:test').TestContext} t
 * @param {string} text
 * @returns {string} its file, in a folder of its own
 */
export function writeStudy(t, text) {
  const file = path.join(makeTempFolder(t), 'small.yaml');
  writeFileSync(file, text);
  return file;
}

/**
 * What is said against a study.
 * @param {import('node:test').TestContext} t
 * @param {string} text
 * @returns {{code: string, place: string, message: string, hint: string}} `place`: line:column;
 *   `message` without it
 */
export function complaintAbout(t, text) {
  const file = writeStudy(t, text);
  try {
    readStudy(file);
  } catch (error) {
    assert.ok(error instanceof LoadflameError, String(/** @type {Error} */ (error).stack));
    const [, place = '', message = ''] =
      /^(\d+:\d+): (?:invalid study: )?(.*)$/s.exec(error.message.replace(`${file}:`, '')) ?? [];
    return { code: error.code, place, message, hint: error.hint };
  }
  return assert.fail('nothing was said against the study');
}
