/** What a schema can not say of a study: whether its names are known, and its numbers make sense. */
import { findClosest } from '../../closest.js';
import { SETTINGS } from '../../config/settings.js';
import { formatCount } from '../../format.js';
import { parseItemPath } from '../lists/item-path.js';
import { showValue } from './explain-schema-error.js';
import { listSteps } from './list-steps.js';
import { countCombinations, listVariants } from './list-variants.js';
import { RESERVED_NAMES } from './names.js';
import { FORMATS } from './units.js';

/** @import { Factor, Study } from '../study-file.d.ts' */
/** @import { Mistake } from './explain-schema-error.js' */
/** @import { Path } from './parse-study-file.js' */

/** More than this is a slip in the factors: at 25 s each it is a day and a half. */
const MAX_CELLS = 5000;
const MAX_COMBINATIONS = 50_000;

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

/** @param {Path} path @param {string} problem @param {string} change @returns {Mistake} */
function mistake(path, problem, change) {
  return { path, isKey: false, problem, change };
}

/**
 * @param {Path} path @param {string} what a service, a factor … @param {string} name
 * @param {string[]} known @returns {Mistake}
 */
function unknown(path, what, name, known) {
  const meant = findClosest(name, known);
  const change = `${meant ? `did you mean ${meant}? ` : ''}known here: ${known.join(', ') || 'none'}`;
  return mistake(path, `names ${showValue(name)}, which is no ${what} of this study`, change);
}

/** @param {Study} study */
function* findNameMistakes({ variables, factors, lists }) {
  /** @type {Map<string, string>} */
  const taken = new Map(RESERVED_NAMES.map(name => [name, 'a name of loadflame']));
  const own = [
    ...Object.keys(variables).map(name => ({ path: ['variables', name], what: 'a variable' })),
    ...factors.map(({ name }) => ({ path: ['factors', name], what: 'a factor' })),
    ...lists.map(({ name }) => ({ path: ['lists', name], what: 'a list' })),
  ];
  for (const { path, what } of own) {
    const name = path[1] ?? '';
    const other = taken.get(name);
    if (other) {
      const change = `take another name: {{ ${name} }} can stand for one thing only`;
      yield { ...mistake(path, `is ${other} already`, change), isKey: true };
    }
    taken.set(name, what);
  }
}

/** @param {Study} study */
function* findLabelMistakes({ factors }) {
  const { label: format } = FORMATS;
  for (const { name, values } of factors) {
    for (const [index, { label }] of values.entries()) {
      if (!format?.test(label))
        yield mistake(
          ['factors', name, index],
          `is ${showValue(label)}, which is not allowed`,
          `give ${format?.allowed}`,
        );
      if (values.findIndex(value => value.label === label) < index)
        yield mistake(
          ['factors', name, index],
          `is ${showValue(label)} a second time`,
          'name each value once',
        );
    }
  }
}

/** @param {Study} study @param {Context} context */
function* findMatchMistakes({ factors, exclude, services }, { labelsOf }) {
  const matches = [
    ...exclude.map((match, index) => ({ path: ['exclude', index], match })),
    ...services.map(({ name, when }) => ({ path: ['services', name, 'when'], match: when ?? {} })),
  ];
  const known = [...factors, ...labelsOf];
  for (const { path, match } of matches) {
    for (const [factor, labels] of Object.entries(match)) {
      const at = [...path, factor];
      const same = known.filter(({ name }) => name === factor);
      if (same.length === 0) {
        const names = factors.map(({ name }) => name);
        yield { ...unknown(at, 'factor', factor, names), isKey: true };
      }
      const allLabels = [
        ...new Set(same.flatMap(({ values }) => values.map(({ label }) => label))),
      ];
      const wrong = labels.find(label => !allLabels.includes(label));
      if (wrong !== undefined) yield unknown(at, `value of the factor ${factor}`, wrong, allLabels);
    }
  }
}

/** @param {Study} study */
function* findReferenceMistakes({ services, target, record, throughput, stages, reset }) {
  const serviceNames = services.map(({ name }) => name);
  const probeNames = record.probes.map(({ name }) => name);
  const { gunicorn } = target;
  const named = [
    ...(gunicorn && 'service' in gunicorn
      ? [{ path: ['target', 'gunicorn', 'service'], name: gunicorn.service }]
      : []),
    ...record.processes.flatMap(({ name, service }) =>
      service === null ? [] : [{ path: ['record', 'processes', name, 'service'], name: service }],
    ),
  ];
  for (const { path, name } of named) {
    if (!serviceNames.includes(name)) yield unknown(path, 'service', name, serviceNames);
  }
  const probes = [
    ...(throughput ? [{ path: ['throughput', 'probe'], name: throughput.probe }] : []),
    ...stages.map(({ backlog }, index) => ({
      path: ['stages', index, 'backlog'],
      name: backlog.probe,
    })),
    ...reset.flatMap((action, index) =>
      action.kind === 'wait'
        ? [{ path: ['reset', index, 'wait', 'probe'], name: action.probe }]
        : [],
    ),
  ];
  for (const { path, name } of probes) {
    if (!probeNames.includes(name)) yield unknown(path, 'probe', name, probeNames);
  }
  if (target.workers !== null && !gunicorn)
    yield mistake(
      ['target', 'workers'],
      'has no gunicorn to resize',
      'name it: gunicorn: {service: api}',
    );
}

/** @param {Study} study */
function* findSettingMistakes({ settings }) {
  for (const name of Object.keys(settings)) {
    const path = ['settings', name];
    const setting = SETTINGS.find(known => known.name === name);
    const names = SETTINGS.filter(({ secret }) => !secret).map(known => known.name);
    if (!setting) {
      const meant = findClosest(name, names);
      const change = `${meant ? `did you mean ${meant}? ` : ''}\`loadflame doctor --print-config\` lists all`;
      yield { ...mistake(path, 'is not a setting of loadflame', change), isKey: true };
    } else if (setting.secret) {
      yield mistake(
        path,
        'is a secret, and a study is kept with its results',
        `set ${name} in the environment`,
      );
    } else if (name === 'TARGET') {
      yield mistake(path, "is the study's own", 'write the address as target: {url: …}');
    }
  }
}

/** @param {Study} study */
function* findListMistakes({ lists }) {
  for (const { name, from, match } of lists) {
    if (!/^(\/(?!\/)|https?:\/\/|file:|\{\{)/.test(from))
      yield mistake(
        ['lists', name, 'from'],
        `is ${showValue(from)}, which is not allowed`,
        'give a path of the target such as /api/v1/content/, an address, or file:<path>',
      );
    const isPath = match.startsWith('$');
    const isRight = isPath ? parseItemPath(match) : new RegExp(`${match}|`).exec('')?.length !== 1;
    if (!isRight)
      yield mistake(
        ['lists', name, 'match'],
        `is ${showValue(match)}, which ${isPath ? 'is no path' : 'has no group'}`,
        isPath
          ? 'give a path such as $.items[*].href'
          : 'put what is an item in parentheses: href="([^"]+)"',
      );
  }
}

/** @param {Study} study */
function* findScenarioMistakes({ scenario }) {
  if ('script' in scenario) return;
  const { scenarios, config } = /** @type {Record<string, any>} */ (scenario.inline);
  if (!Array.isArray(scenarios) || scenarios.length === 0)
    yield mistake(
      ['scenario', 'scenarios'],
      'is no list of scenarios',
      'give a list with one scenario or more',
    );
  for (const [key, instead] of Object.entries({
    target: 'target: {url: …}',
    phases: 'load and duration',
  })) {
    if (config && typeof config === 'object' && Object.hasOwn(config, key))
      yield mistake(
        ['scenario', 'config', key],
        "is the study's own",
        `take it out: ${instead} of the study says it`,
      );
  }
}

/** @param {Study} study */
function* findLoadMistakes({ load, durationSec }) {
  const { steps, model } = load;
  if (durationSec < 2)
    yield mistake(
      ['duration'],
      `is ${durationSec} s, which is too short`,
      'give 2s or more: only whole seconds are counted',
    );
  if (!Array.isArray(steps)) {
    if (steps.most < steps.from)
      yield mistake(
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
      yield mistake(path, `is ${step}, which is not above ${before} before it`, 'let steps ascend');
    if (model === 'closed' && !Number.isInteger(step)) yield partOfUser(path, step);
  }
}

/** @param {Path} path @param {number} step */
function partOfUser(path, step) {
  return mistake(
    path,
    `is ${step}, and users are whole`,
    'give a whole number, or model: open for arrivals per second',
  );
}

/** @param {Study} study */
function* findScaleMistakes({ scaleOver, factors }) {
  if (scaleOver === null) return;
  const factor = factors.find(({ name }) => name === scaleOver);
  if (!factor) {
    yield unknown(
      ['scaleOver'],
      'factor',
      scaleOver,
      factors.map(({ name }) => name),
    );
    return;
  }
  const wrong = factor.values.find(({ label }) => !(Number(label) > 0));
  if (wrong)
    yield mistake(
      ['scaleOver'],
      `is ${scaleOver}, whose value ${showValue(wrong.label)} is no number above 0`,
      'name a factor that counts something, such as workers',
    );
}

/** @param {Study} study */
function* findObjectiveMistakes({ objective }) {
  if (!objective) return;
  const { clients, intervalSec } = objective;
  if (clients !== null && !intervalSec)
    yield mistake(
      ['objective', 'clients'],
      'lacks the interval in which each comes once',
      'add interval: 30m',
    );
  if (intervalSec !== null && clients === null)
    yield mistake(
      ['objective', 'interval'],
      'lacks the clients that come in it',
      'add clients: 1250',
    );
}

/** @param {Study} study */
function* findSizeMistakes(study) {
  const combinations = countCombinations(study.factors);
  if (combinations > MAX_COMBINATIONS) {
    yield mistake(
      ['factors'],
      `make ${formatCount(combinations)} variants`,
      'study fewer factors at a time',
    );
    return;
  }
  const variants = listVariants(study).length;
  if (variants === 0) yield mistake(['exclude'], 'leaves no variant', 'leave out less');
  const cells = variants * listSteps(study.load).length * study.repeats;
  if (cells > MAX_CELLS)
    yield mistake(
      [],
      `makes ${formatCount(cells)} cells, more than ${formatCount(MAX_CELLS)}`,
      `${formatCount(variants)} variants × ${listSteps(study.load).length} steps × ${study.repeats} repeats: leave some out`,
    );
}
