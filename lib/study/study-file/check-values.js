/** Whether the numbers of a study make sense, and how much work they are. */
import { formatCount } from '../../format.js';
import { parseItemPath } from '../lists/item-path.js';
import { listSteps } from './list-steps.js';
import { countCombinations, listVariants } from './list-variants.js';
import { makeMistake, makeUnknown } from './mistake.js';
import { showValue } from './show-value.js';

/** @import { Study } from '../study-file.d.ts' */
/** @import { Path } from './parse-study-file.js' */

/** More than this is a slip in the factors: at 25 s each it is a day and a half. */
const MAX_CELLS = 5000;
const MAX_COMBINATIONS = 50_000;

/** @param {Study} study */
export function* findListMistakes({ lists }) {
  for (const { name, from, match } of lists) {
    if (!/^(\/(?!\/)|https?:\/\/|file:|\{\{)/.test(from))
      yield makeMistake(
        ['lists', name, 'from'],
        `is ${showValue(from)}, which is not allowed`,
        'give a path of the target such as /api/v1/content/, an address, or file:<path>',
      );
    const isPath = match.startsWith('$');
    const isRight = isPath ? parseItemPath(match) : new RegExp(`${match}|`).exec('')?.length !== 1;
    if (!isRight)
      yield makeMistake(
        ['lists', name, 'match'],
        `is ${showValue(match)}, which ${isPath ? 'is no path' : 'has no group'}`,
        isPath
          ? 'give a path such as $.items[*].href'
          : 'put what is an item in parentheses: href="([^"]+)"',
      );
  }
}

/** @param {Study} study */
export function* findScenarioMistakes({ scenario }) {
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
export function* findLoadMistakes({ load, durationSec }) {
  const { steps, model } = load;
  if (durationSec < 2)
    yield makeMistake(
      ['duration'],
      `is ${durationSec} s, which is too short`,
      'give 2s or more: only whole seconds are counted',
    );
  if (!Array.isArray(steps)) {
    if (steps.most < steps.from)
      yield makeMistake(
        ['load', 'steps', 'most'],
        `is ${steps.most}, less than the first step`,
        `give ${steps.from} or more`,
      );
    for (const key of /** @type {const} */ (['from', 'most'])) {
      if (model === 'closed' && !Number.isInteger(steps[key]))
        yield partOfUser(['load', 'steps', key], steps[key]);
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
    if (model === 'closed' && !Number.isInteger(step)) yield partOfUser(path, step);
  }
}

/** @param {Path} path @param {number} step */
function partOfUser(path, step) {
  return makeMistake(
    path,
    `is ${step}, and users are whole`,
    'give a whole number, or model: open for arrivals per second',
  );
}

/** @param {Study} study */
export function* findScaleMistakes({ scaleOver, factors }) {
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
export function* findObjectiveMistakes({ objective }) {
  if (!objective) return;
  const { clients, intervalSec } = objective;
  if (clients !== null && !intervalSec)
    yield makeMistake(
      ['objective', 'clients'],
      'lacks the interval in which each comes once',
      'add interval: 30m',
    );
  if (intervalSec !== null && clients === null)
    yield makeMistake(
      ['objective', 'interval'],
      'lacks the clients that come in it',
      'add clients: 1250',
    );
}

/** @param {Study} study */
export function* findSizeMistakes(study) {
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
