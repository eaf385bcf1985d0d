/** What a schema can not say of a study: whether its names are known, and its numbers make sense. */
import { makeMistake, showValue } from '../../files/check-shape.js';
import { formatCount } from '../../format.js';
import {
  findLabelMistakes,
  findMatchMistakes,
  findNameMistakes,
  findReferenceMistakes,
  findSettingMistakes,
  makeUnknown,
} from './check-references.js';
import { countCombinations, hasParts, listSteps, listVariants } from './matrix.js';

/** @import { Mistake } from '../../files/check-shape.js' */
/** @import { Path } from '../../files/read-yaml.js' */
/** @import { Factor, Study } from '../../facts/study-file.d.ts' */

/** More than this is a slip in the factors: at 25 s each it is a day and a half. */
const MAX_CELLS = 5000;
const MAX_COMBINATIONS = 50_000;

/**
 * @typedef {{labelsOf: Factor[]}} Context factors of the full form, whose labels the quick one may name
 * @typedef {(study: Study, context: Context) => Generator<Mistake>} Rule
 */

/** In this order: later rules rely on what earlier ones found to be right. @type {Rule[]} */
const RULES = [
  findNameMistakes,
  findLabelMistakes,
  findMatchMistakes,
  findReferenceMistakes,
  findSettingMistakes,
  findScenarioMistakes,
  findSpikeMistakes,
  findLoadMistakes,
  findScaleMistakes,
  findSizeMistakes,
];

/**
 * @param {Study} study @param {Context} context
 * @returns {Mistake | null} the first
 */
export function findStudyMistake(study, context) {
  for (const find of RULES) {
    for (const mistake of find(study, context)) return mistake;
  }
  return null;
}

/** @param {Study} study */
function* findScenarioMistakes({ scenario }) {
  if ('script' in scenario) return;
  const { scenarios, config } = /** @type {Record<string, any>} */ (scenario.inline);
  if (!Array.isArray(scenarios) || scenarios.length === 0)
    yield makeMistake(
      ['scenario', 'scenarios'],
      'is no list of scenarios',
      'give a list with one scenario or more',
    );
  for (const [key, instead] of Object.entries({
    target: 'target: {url: …}',
    phases: 'load and duration',
  })) {
    if (config && typeof config === 'object' && Object.hasOwn(config, key))
      yield makeMistake(
        ['scenario', 'config', key],
        "is the study's own",
        `take it out: ${instead} of the study says it`,
      );
  }
}

/** @param {Study} study */
function* findSpikeMistakes({ load: { model, of }, scenario }) {
  if ((model === 'spike') !== (of !== undefined))
    yield makeMistake(
      ['load'],
      of === undefined ? 'does not say what there is a spike of' : 'is no spike of anything',
      'write {model: spike, of: <scenario>, base: <per second>, steps: …}',
    );
  const own = 'script' in scenario ? [] : /** @type {any[]} */ (scenario.inline.scenarios);
  const names = own.map(one => String(one?.name));
  if (of !== undefined && own.length > 0 && !names.includes(of))
    yield makeMistake(
      ['load', 'of'],
      `is ${showValue(of)}, which is no scenario`,
      `give the name of one: ${names.join(', ')}`,
    );
}

/** @param {Study} study */
function* findLoadMistakes(study) {
  const { load, durationSec, warmUpSec, blockWarmUpSec = 0, fairnessAt, repeats, enough } = study;
  const { steps, model } = load;
  if (fairnessAt && !listSteps(load).includes(fairnessAt))
    yield makeMistake(
      ['fairnessAt'],
      `is ${fairnessAt}, which is no step of the load`,
      `give one of ${listSteps(load).join(', ')}`,
    );
  if (model === 'burst' && warmUpSec + blockWarmUpSec > 0)
    yield makeMistake(
      ['warmUp'],
      'is nothing for bursts, which meet a target that does nothing else',
      'take it out',
    );
  if (model === 'spike' && blockWarmUpSec > 0)
    yield makeMistake(
      ['warmUp'],
      'is at most, and before a spike comes what comes all the time',
      'give a time such as 5s',
    );
  if (enough && enough.least > repeats)
    yield makeMistake(
      ['repeats', 'most'],
      `is ${repeats}, fewer than the least, ${enough.least}`,
      `give ${enough.least} or more`,
    );
  const leastSec = model === 'spike' ? 5 : 2;
  if (durationSec < leastSec)
    yield makeMistake(
      ['duration'],
      `is ${durationSec} s, which is too short`,
      `give ${leastSec}s or more: only whole seconds are counted`,
    );
  if (!Array.isArray(steps)) {
    if (steps.most < steps.from)
      yield makeMistake(
        ['load', 'steps', 'most'],
        `is ${steps.most}, less than the first step`,
        `give ${steps.from} or more`,
      );
    for (const key of /** @type {const} */ (['from', 'most'])) {
      if (!hasParts(model) && !Number.isInteger(steps[key]))
        yield partOfUser(['load', 'steps', key], steps[key], model);
    }
    return;
  }
  for (const [index, step] of steps.entries()) {
    const path = ['load', 'steps', index];
    const before = steps[index - 1];
    if (before !== undefined && step <= before)
      yield makeMistake(
        path,
        `is ${step}, which is not above ${before} before it`,
        'let steps ascend',
      );
    if (!hasParts(model) && !Number.isInteger(step)) yield partOfUser(path, step, model);
  }
}

/** @param {Path} path @param {number} step @param {Study['load']['model']} model */
function partOfUser(path, step, model) {
  return makeMistake(
    path,
    `is ${step}, and ${model === 'burst' ? 'bursts' : 'users'} are whole`,
    'give a whole number, or model: open for arrivals per second',
  );
}

/** @param {Study} study */
function* findScaleMistakes({ scaleOver, factors }) {
  if (scaleOver === null) return;
  const factor = factors.find(({ name }) => name === scaleOver);
  if (!factor) {
    yield makeUnknown(
      ['scaleOver'],
      'factor',
      scaleOver,
      factors.map(({ name }) => name),
    );
    return;
  }
  const wrong = factor.values.find(({ label }) => !(Number(label) > 0));
  if (wrong)
    yield makeMistake(
      ['scaleOver'],
      `is ${scaleOver}, whose value ${showValue(wrong.label)} is no number above 0`,
      'name a factor that counts something, such as workers',
    );
}

/** @param {Study} study */
function* findSizeMistakes(study) {
  const combinations = countCombinations(study.factors);
  if (combinations > MAX_COMBINATIONS) {
    yield makeMistake(
      ['factors'],
      `make ${formatCount(combinations)} variants`,
      'study fewer factors at a time',
    );
    return;
  }
  const variants = listVariants(study).length;
  if (variants === 0) yield makeMistake(['exclude'], 'leaves no variant', 'leave out less');
  const cells = variants * listSteps(study.load).length * study.repeats;
  if (cells > MAX_CELLS)
    yield makeMistake(
      [],
      `makes ${formatCount(cells)} cells, more than ${formatCount(MAX_CELLS)}`,
      `${formatCount(variants)} variants × ${listSteps(study.load).length} steps × ${study.repeats} repeats: leave some out`,
    );
}
