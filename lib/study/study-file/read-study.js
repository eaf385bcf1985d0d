import { readFileSync } from 'node:fs';
import path from 'node:path';
import { LoadflameError } from '../../errors.js';
import { isPlain } from '../../record/load/script/merge-script.js';
import { buildStudy } from './build-study.js';
import { checkNames } from './check-names.js';
import { findStudyMistake } from './check-study.js';
import { findSchemaMistake } from './explain-schema-error.js';
import { mergeQuick } from './merge-quick.js';
import { formatPath, parseStudyFile } from './parse-study-file.js';

/** @import { Study } from '../study-file.d.ts' */
/** @import { Path } from './parse-study-file.js' */

/**
 * Reads a study file and checks all that can be known before anything is started: its shape, the
 * names in it and in its templates, for each variant. The quick form is always checked, too.
 * @param {string} file
 * @param {{quick?: boolean}} [options] `quick`: with its `quick:` part merged over the rest
 * @returns {Study}
 * @throws {LoadflameError} STUDY_UNREADABLE, STUDY_SYNTAX, STUDY_INVALID, STUDY_UNKNOWN_NAME
 */
export function readStudy(file, { quick = false } = {}) {
  let text;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    const reason = /** @type {NodeJS.ErrnoException} */ (cause).code ?? String(cause);
    throw new LoadflameError('STUDY_UNREADABLE', { file, reason }, { cause });
  }
  const { data, locate } = parseStudyFile(text, file);
  const { quick: over = {}, ...base } = data;
  /** @param {Path} at @param {string} problem @param {string} change @param {boolean} [isKey] */
  const complain = (at, problem, change, isKey = false) =>
    new LoadflameError('STUDY_INVALID', {
      at: locate(at, isKey).at,
      key: formatPath(at),
      problem,
      change,
    });
  if (!isPlain(over))
    throw complain(['quick'], 'is no map', 'give keys that differ in the quick form');
  const source = { file: path.resolve(file), text };
  const full = check(base, null);
  const short = check(mergeQuick(base, over), full);
  return quick ? short : full;

  /** @param {Record<string, any>} form @param {Study | null} before the full form, of the quick one */
  function check(form, before) {
    /** In the quick form, what stands below `quick:` is the value. @param {Path} at @returns {Path} */
    const origin = at =>
      before && locate(['quick', ...at], false).isExact ? ['quick', ...at] : at;
    const misshapen = findSchemaMistake(form);
    if (misshapen) throw refuse(misshapen);
    const study = buildStudy(form, { ...source, isQuick: before !== null });
    const mistake = findStudyMistake(study, { labelsOf: before?.factors ?? [] });
    if (mistake) throw refuse(mistake);
    checkNames(study, { locate: at => locate(origin(at), false).at, complain: mistakeAt });
    return study;

    /** @param {import('./mistake.js').Mistake} mistake */
    function refuse({ path: at, problem, change, isKey }) {
      return complain(origin(at), problem, change, isKey);
    }

    /** @param {Path} at @param {string} problem @param {string} change */
    function mistakeAt(at, problem, change) {
      return complain(origin(at), problem, change);
    }
  }
}
