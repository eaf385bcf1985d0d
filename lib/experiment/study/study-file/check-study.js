/** Checks that a schema can't make: are the names of a study known, and do its numbers make sense? */
import { text } from '../../../base/config/parsers.js';
import { SETTINGS } from '../../../base/config/settings.js';
import { makeMistake, showValue } from '../../../base/files/check-shape.js';
import { suggest } from '../../../base/files/closest.js';
import { tryOr } from '../../../base/files/try-or.js';
import { formatCount } from '../../../base/format.js';
import { readScenarioBlock } from '../../preflight/scenario-block.js';
import {
  countCombinations,
  hasParts,
  listServers,
  listSteps,
  listVariants,
  nameVariable,
} from '../analysis/matrix.js';
import { isAllowed } from './formats.js';
import { OWN_VARIABLES } from './variables.js';

/** @import { Setting } from '../../../base/config/settings.js' */
/** @import { Mistake } from '../../../base/files/check-shape.js' */
/** @import { Path } from '../../../base/files/read-yaml.js' */
/** @import { Factor, FactorMatch, Study } from '../../../run/facts/study-file.d.ts' */

/** More is a mistake in the factors: at 25 s each, this many take a day and a half. */
const MAX_CELLS = 5000;
const MAX_COMBINATIONS = 50_000;

/**
 * @param {Study} study
 * @param {Factor[]} labelsOf factors of the full form, whose labels the quick one may name
 * @returns {Mistake | null} the first one; later rules rely on the checks of earlier ones
 */
export function findStudyMistake(study, labelsOf) {
  const rules = [
    findNameMistakes(study),
    findReferenceMistakes(study, labelsOf),
    findSettingMistakes(study),
    findLoadMistakes(study),
    findSizeMistakes(study),
  ];
  for (const mistakes of rules) for (const mistake of mistakes) return mistake;
  return null;
}

/** Two names that would make the same variable. @param {Study} study */
function* findNameMistakes(study) {
  const taken = new Set(OWN_VARIABLES);
  const named = [
    ...study.factors.flatMap(({ name, values }) => {
      const fields = new Set(values.flatMap(value => Object.keys(value.fields)));
      return [[], ...[...fields].map(field => [field])].map(parts => ({
        path: ['factors', name],
        variable: nameVariable(name, ...parts),
      }));
    }),
    ...study.services.map(({ name }) => ({
      path: ['services', name],
      variable: nameVariable('PORT', name),
    })),
    ...study.ports.map((name, index) => ({
      path: ['ports', index],
      variable: nameVariable('PORT', name),
    })),
  ];
  for (const { path, variable } of named) {
    if (taken.has(variable)) {
      const mistake = makeMistake(path, `makes ${variable}, which exists`, 'give another name');
      yield { ...mistake, isKey: typeof path[1] === 'string' };
    }
    taken.add(variable);
  }
}

/** @typedef {{path: Path, what: string, name: string, known: string[], isKey?: boolean}} Reference */

/** @param {Study} study @param {Factor[]} labelsOf */
function* findReferenceMistakes(study, labelsOf) {
  for (const { path, what, name, known, isKey = false } of listReferences(study, labelsOf)) {
    if (known.includes(name)) continue;
    const change = `${suggest(name, known)}known here: ${known.join(', ') || 'none'}`;
    const problem = `names ${showValue(name)}, which is no ${what} of this study`;
    yield { ...makeMistake(path, problem, change), isKey };
  }
  const { scaleOver, factors } = study;
  const scaled = factors.find(({ name }) => name === scaleOver);
  const wrong = scaled?.values.find(({ label }) => !(Number(label) > 0));
  if (wrong)
    yield makeMistake(
      ['scaleOver'],
      `is ${scaleOver}, whose value ${showValue(wrong.label)} is no number above 0`,
      'name a factor that counts something, such as workers',
    );
}

/** Every name that refers to another part of the file. @param {Study} study @param {Factor[]} labelsOf @returns {Reference[]} */
function listReferences(study, labelsOf) {
  const { factors, services, record, stages, load, scenario } = study;
  const factorNames = factors.map(({ name }) => name);
  const serviceNames = services.map(({ name }) => name);
  const probeNames = record.probes.map(({ name }) => name);
  const scenarios = 'script' in scenario ? null : /** @type {any} */ (scenario.inline).scenarios;
  /**
   * @param {Path} path
   * @param {string | null | undefined} name
   * @param {string} what
   * @param {string[]} known
   * @returns {Reference[]}
   */
  const refer = (path, name, what, known) =>
    name === null || name === undefined ? [] : [{ path, name, what, known }];
  /** @param {Path} path @param {FactorMatch | null | undefined} match @returns {Reference[]} */
  const referTo = (path, match) =>
    Object.entries(match ?? {}).flatMap(([factor, labels]) => {
      const at = [...path, factor];
      const values = [...factors, ...labelsOf].flatMap(own =>
        own.name === factor ? own.values.map(({ label }) => label) : [],
      );
      return [
        { path: at, what: 'factor', name: factor, known: factorNames, isKey: true },
        ...labels.flatMap(label =>
          refer(at, label, `value of the factor ${factor}`, [...new Set(values)]),
        ),
      ];
    });
  return [
    ...(study.workloads ?? []).flatMap((name, index) =>
      refer(['workloads', index], name, 'factor', factorNames),
    ),
    ...refer(['scaleOver'], study.scaleOver, 'factor', factorNames),
    ...referTo(['objective', 'when'], study.objective?.when),
    ...study.exclude.flatMap((match, index) => referTo(['exclude', index], match)),
    ...services.flatMap(({ name, when }) => referTo(['services', name, 'when'], when)),
    ...listServers(study.target).flatMap(one =>
      'service' in one ? refer(['target', 'gunicorn'], one.service, 'service', serviceNames) : [],
    ),
    ...record.processes.flatMap(({ name, service }) =>
      refer(['record', 'processes', name, 'service'], service, 'service', serviceNames),
    ),
    ...refer(['throughput', 'probe'], study.throughput?.probe, 'probe', probeNames),
    ...stages.flatMap(({ backlog }, index) =>
      refer(['stages', index, 'backlog'], backlog.probe, 'probe', probeNames),
    ),
    ...refer(
      ['load', 'of'],
      scenarios && load.of,
      'scenario',
      [scenarios ?? []].flat().flatMap((/** @type {any} */ one) => one?.name ?? []),
    ),
  ];
}

/** @param {Study} study */
function* findSettingMistakes({ settings, scenario }) {
  const declared = listDeclared(scenario);
  const known = [...SETTINGS, ...(declared ?? [])];
  for (const [name, value] of Object.entries(settings)) {
    const path = ['settings', name];
    const setting = known.find(one => one.name === name);
    if (!setting) {
      if (declared === null) continue;
      const names = known.filter(({ secret }) => !secret).map(one => one.name);
      const change = `${suggest(name, names)}\`loadflame doctor --print-config\` lists all; a script declares its own in \`config.loadflame.variables\``;
      yield { ...makeMistake(path, 'is not a setting of loadflame', change), isKey: true };
    } else if (setting.secret) {
      yield makeMistake(
        path,
        'is a secret, and a study is kept with its results',
        `set ${name} in envs.sh or in the environment, and name it: secrets: [${name}]`,
      );
    } else if (name === 'TARGET') {
      yield makeMistake(path, "is the study's own", 'write the address as target: {url: …}');
    } else if (setting.parser && !value.includes('{{') && !isAllowed(setting.parser, value)) {
      yield makeMistake(
        path,
        `is ${showValue(value)}, which is not allowed`,
        `give ${setting.parser.allowed}`,
      );
    }
  }
}

/**
 * Variables that the study's scenario declares; null while its file is unknown, or where it can't be read.
 * @param {Study['scenario']} scenario
 * @returns {Pick<Setting, 'name' | 'secret' | 'parser'>[] | null}
 */
function listDeclared(scenario) {
  if ('inline' in scenario) {
    const { config } = /** @type {Record<string, any>} */ (scenario.inline);
    const variables = Object.entries(config?.loadflame?.variables ?? {});
    return variables.map(([name, variable]) => ({ name, secret: variable?.secret, parser: text }));
  }
  const { script } = scenario;
  return script.includes('{{') ? null : tryOr(null, () => readScenarioBlock(script).variables);
}

/** @param {Study} study */
function* findLoadMistakes({ load: { model, of, steps }, durationSec }) {
  if ((model === 'spike') !== (of !== undefined))
    yield makeMistake(
      ['load'],
      of === undefined ? 'does not say what there is a spike of' : 'is no spike of anything',
      'write {model: spike, of: <scenario>, base: <per second>, steps: …}',
    );
  const leastSec = model === 'spike' ? 5 : 2;
  if (durationSec < leastSec)
    yield makeMistake(
      ['duration'],
      `is ${durationSec} s, which is too short`,
      `give ${leastSec}s or more: only whole seconds are counted`,
    );
  const isList = Array.isArray(steps);
  const given = isList ? steps : [steps.from, steps.most];
  for (const [index, step] of given.entries()) {
    const path = ['load', 'steps', isList ? index : index === 0 ? 'from' : 'most'];
    const before = given[index - 1] ?? 0;
    if (isList ? step <= before : step < before)
      yield makeMistake(
        path,
        `is ${step}, which is not above ${before} before it`,
        'let steps ascend',
      );
    if (!hasParts(model) && !Number.isInteger(step))
      yield makeMistake(
        path,
        `is ${step}, and ${model === 'burst' ? 'bursts' : 'users'} are whole`,
        'give a whole number, or model: open for arrivals per second',
      );
  }
}

/** @param {Study} study */
function* findSizeMistakes({ factors, exclude, load, repeats }) {
  const combinations = countCombinations(factors);
  if (combinations > MAX_COMBINATIONS) {
    yield makeMistake(
      ['factors'],
      `make ${formatCount(combinations)} variants`,
      'study fewer factors at a time',
    );
    return;
  }
  const variants = listVariants({ factors, exclude }).length;
  if (variants === 0) yield makeMistake(['exclude'], 'leaves no variant', 'leave out less');
  const steps = listSteps(load).length;
  const cells = variants * steps * repeats;
  if (cells > MAX_CELLS)
    yield makeMistake(
      [],
      `makes ${formatCount(cells)} cells, more than ${formatCount(MAX_CELLS)}`,
      `${formatCount(variants)} variants × ${steps} steps × ${repeats} repeats: leave some out`,
    );
}
