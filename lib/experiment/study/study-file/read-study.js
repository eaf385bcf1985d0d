import path from 'node:path';
import { LoadflameError } from '../../../base/errors.js';
import { compileShape } from '../../../base/files/check-shape.js';
import { formatPath, isPlain, parseYaml, readSource } from '../../../base/files/read-yaml.js';
import { buildStudy } from './build-study.js';
import { checkNames } from './check-names.js';
import { findStudyMistake } from './check-study.js';
import { FORMATS } from './formats.js';
import STUDY_SCHEMA from './study-form.schema.json' with { type: 'json' };

/** @import { Mistake } from '../../../base/files/check-shape.js' */
/** @import { Path } from '../../../base/files/read-yaml.js' */
/** @import { Study } from '../../../run/facts/study-file.d.ts' */
/** @import { StudyForm } from './study-form.d.ts' */

/** @typedef {Record<string, any>} Data */

const findSchemaMistake = compileShape(STUDY_SCHEMA, {
  what: 'a study file',
  page: 'docs/studies.md',
  formats: FORMATS,
});

/**
 * Reads a study file and checks everything that can be known before anything starts: its shape, the names in it and in
 * its templates, for each variant. The quick form is always checked too.
 * @param {string} file
 * @param {{quick?: boolean}} [options] `quick`: merge its `quick:` part over the rest
 * @returns {Study}
 * @throws {LoadflameError} STUDY_UNREADABLE, STUDY_SYNTAX, STUDY_INVALID, STUDY_UNKNOWN_NAME
 */
export function readStudy(file, { quick = false } = {}) {
  const text = readSource(file, 'STUDY_UNREADABLE');
  const { data, locate } = parseYaml(text, file, { code: 'STUDY_SYNTAX' });
  if (!isPlain(data)) {
    const problem = 'a study file is a map with title, target, scenario and load';
    throw new LoadflameError('STUDY_SYNTAX', { at: locate([]).at, problem });
  }
  const { quick: over = {}, ...base } = data;
  /**
   * @param {Path} at
   * @param {string} problem
   * @param {string} change
   * @param {boolean} [isKey]
   */
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

  /** @param {Data} form @param {Study | null} before the full form, when `form` is the quick one */
  function check(form, before) {
    /** In the quick form, the value is below `quick:`. @param {Path} at @returns {Path} */
    const origin = at =>
      before && locate(['quick', ...at], false).isExact ? ['quick', ...at] : at;
    const misshapen = findSchemaMistake(form);
    if (misshapen) throw refuse(misshapen);
    const study = buildStudy(/** @type {StudyForm} */ (form), {
      ...source,
      isQuick: before !== null,
    });
    const mistake = findStudyMistake(study, before?.factors ?? []);
    if (mistake) throw refuse(mistake);
    checkNames(study, {
      locate: at => locate(origin(at), false).at,
      complain: (at, problem, change) => refuse({ path: at, problem, change, isKey: false }),
    });
    return study;

    /** @param {Mistake} mistake */
    function refuse({ path: at, problem, change, isKey }) {
      return complain(origin(at), problem, change, isKey);
    }
  }
}

/**
 * A study with its `quick:` part over the rest: maps merge, lists and single values replace, and an empty value (null)
 * removes the key. The values of a factor also replace, whether they are a list or a map; labels in a list select
 * entries of a map.
 * @param {Data} base is not changed
 * @param {Data} over
 * @returns {Data}
 */
function mergeQuick(base, { factors, ...rest }) {
  const merged = merge(base, rest, mergeValue);
  if (!isPlain(factors)) return factors === undefined ? merged : { ...merged, factors };
  return { ...merged, factors: merge(base.factors ?? {}, factors, mergeFactor) };
}

/**
 * @param {Data} base
 * @param {Data} over
 * @param {(before: any, value: any) => unknown} mergeEntry
 */
function merge(base, over, mergeEntry) {
  const merged = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const before = Object.hasOwn(base, key) ? base[key] : undefined;
    if (value === null) delete merged[key];
    else merged[key] = mergeEntry(before, value);
  }
  return merged;
}

/** @param {unknown} before @param {unknown} value */
function mergeValue(before, value) {
  return isPlain(before) && isPlain(value) ? merge(before, value, mergeValue) : value;
}

/** @param {unknown} before @param {unknown} values */
function mergeFactor(before, values) {
  if (!isPlain(before) || !Array.isArray(values)) return values;
  const isPick = values.length > 0 && values.every(label => Object.hasOwn(before, String(label)));
  if (!isPick) return values;
  return Object.fromEntries(values.map(label => [String(label), before[String(label)]]));
}
