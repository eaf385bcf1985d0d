/** What a schema can not say of a study: whether its names are known, and its numbers make sense. */
import {
  findLabelMistakes,
  findMatchMistakes,
  findNameMistakes,
  findReferenceMistakes,
  findSettingMistakes,
} from './check-references.js';
import {
  findListMistakes,
  findLoadMistakes,
  findObjectiveMistakes,
  findScaleMistakes,
  findScenarioMistakes,
  findSizeMistakes,
} from './check-values.js';

/** @import { Factor, Study } from '../study-file.d.ts' */
/** @import { Mistake } from './mistake.js' */

/**
 * @typedef {{labelsOf: Factor[]}} Context factors of the full form, whose labels the quick one may name
 * @typedef {{id: string, find: (study: Study, context: Context) => Generator<Mistake>}} Rule
 */

/** In this order: later rules rely on what earlier ones found to be right. @type {Rule[]} */
const RULES = [
  { id: 'own-names', find: findNameMistakes },
  { id: 'labels', find: findLabelMistakes },
  { id: 'factors-named', find: findMatchMistakes },
  { id: 'services-and-probes-named', find: findReferenceMistakes },
  { id: 'settings', find: findSettingMistakes },
  { id: 'lists', find: findListMistakes },
  { id: 'scenario', find: findScenarioMistakes },
  { id: 'load', find: findLoadMistakes },
  { id: 'scale-over', find: findScaleMistakes },
  { id: 'objective', find: findObjectiveMistakes },
  { id: 'size', find: findSizeMistakes },
];

/**
 * @param {Study} study @param {Context} context
 * @returns {Mistake | null} the first
 */
export function findStudyMistake(study, context) {
  for (const { find } of RULES) {
    for (const mistake of find(study, context)) return mistake;
  }
  return null;
}
