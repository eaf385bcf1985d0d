/** Whether what a study names is there: factors, values, services, probes, settings. */

import { text } from '../../config/parsers.js';
import { SETTINGS } from '../../config/settings.js';
import { makeMistake, showValue } from '../../files/check-shape.js';
import { findClosest } from '../../files/closest.js';
import { readScenarioBlock } from '../../preflight/scenario-block.js';
import { FORMATS, isAllowed } from './units.js';
import { listPorts, listServers, nameVariable, OWN_VARIABLES } from './variables.js';

/** @import { Mistake } from '../../files/check-shape.js' */
/** @import { Path } from '../../files/read-yaml.js' */
/** @import { Setting } from '../../config/settings.js' */
/** @import { Factor, Study } from '../../facts/study-file.d.ts' */

/** Two names that make the same variable. @param {Study} study */
export function* findNameMistakes(study) {
  const taken = new Set(OWN_VARIABLES);
  const named = [
    ...study.factors.flatMap(({ name, values }) => [
      { path: ['factors', name], variable: nameVariable(name) },
      ...[...new Set(values.flatMap(({ fields }) => Object.keys(fields)))].map(field => ({
        path: ['factors', name],
        variable: nameVariable(name, field),
      })),
    ]),
    ...listPorts(study).map((name, index) => ({
      path:
        index < study.services.length
          ? ['services', name]
          : ['ports', index - study.services.length],
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

/** @param {Study} study */
export function* findLabelMistakes({ factors }) {
  const { label: format } = FORMATS;
  for (const { name, values } of factors) {
    for (const [index, { label }] of values.entries()) {
      if (!format?.test(label))
        yield makeMistake(
          ['factors', name, index],
          `is ${showValue(label)}, which is not allowed`,
          `give ${format?.allowed}`,
        );
      if (values.findIndex(value => value.label === label) < index)
        yield makeMistake(
          ['factors', name, index],
          `is ${showValue(label)} a second time`,
          'name each value once',
        );
    }
  }
}

/** @param {Study} study @param {{labelsOf: Factor[]}} context of the full form */
export function* findMatchMistakes(study, { labelsOf }) {
  const { factors, exclude, needs = [], services, objective, workloads = [] } = study;
  const names = factors.map(({ name }) => name);
  for (const [index, name] of workloads.entries()) {
    if (!names.includes(name)) yield makeUnknown(['workloads', index], 'factor', name, names);
  }
  const matches = [
    { path: ['objective', 'when'], match: objective?.when ?? {} },
    ...exclude.map((match, index) => ({ path: ['exclude', index], match })),
    ...needs.map(({ when }, index) => ({ path: ['needs', index, 'when'], match: when })),
    ...services.map(({ name, when }) => ({ path: ['services', name, 'when'], match: when ?? {} })),
  ];
  const known = [...factors, ...labelsOf];
  for (const { path, match } of matches) {
    for (const [factor, labels] of Object.entries(match)) {
      const at = [...path, factor];
      const same = known.filter(({ name }) => name === factor);
      if (same.length === 0) {
        yield { ...makeUnknown(at, 'factor', factor, names), isKey: true };
      }
      const allLabels = [
        ...new Set(same.flatMap(({ values }) => values.map(({ label }) => label))),
      ];
      const wrong = labels.find(label => !allLabels.includes(label));
      if (wrong !== undefined)
        yield makeUnknown(at, `value of the factor ${factor}`, wrong, allLabels);
    }
  }
}

/** @param {Study} study */
export function* findReferenceMistakes(study) {
  const { services, target, record, throughput, stages } = study;
  const serviceNames = services.map(({ name }) => name);
  const probeNames = record.probes.map(({ name }) => name);
  const servers = listServers(target);
  const named = [
    ...servers.flatMap((one, index) => {
      const place = Array.isArray(target.gunicorn) ? [index, 'service'] : ['service'];
      return 'service' in one
        ? [{ path: ['target', 'gunicorn', ...place], name: one.service }]
        : [];
    }),
    ...record.processes.flatMap(({ name, service }) =>
      service === null ? [] : [{ path: ['record', 'processes', name, 'service'], name: service }],
    ),
  ];
  for (const { path, name } of named) {
    if (!serviceNames.includes(name)) yield makeUnknown(path, 'service', name, serviceNames);
  }
  const probes = [
    ...(throughput ? [{ path: ['throughput', 'probe'], name: throughput.probe }] : []),
    ...stages.map(({ backlog }, index) => ({
      path: ['stages', index, 'backlog'],
      name: backlog.probe,
    })),
  ];
  for (const { path, name } of probes) {
    if (!probeNames.includes(name)) yield makeUnknown(path, 'probe', name, probeNames);
  }
  if (target.workers !== null && servers.length === 0)
    yield makeMistake(
      ['target', 'workers'],
      'has no gunicorn to resize',
      'name it: gunicorn: {service: api}',
    );
}

/** @param {Study} study */
export function* findSettingMistakes({ settings, scenario }) {
  const declared = listDeclared(scenario);
  const known = [...SETTINGS, ...(declared ?? [])];
  for (const [name, value] of Object.entries(settings)) {
    const path = ['settings', name];
    const setting = known.find(one => one.name === name);
    if (!setting) {
      if (declared === null) continue;
      const names = known.filter(({ secret }) => !secret).map(one => one.name);
      const meant = findClosest(name, names);
      const change = `${meant ? `did you mean ${meant}? ` : ''}\`loadflame doctor --print-config\` lists all; a script declares its own in \`config.loadflame.variables\``;
      yield { ...makeMistake(path, 'is not a setting of loadflame', change), isKey: true };
    } else if (setting.secret) {
      yield makeMistake(
        path,
        'is a secret, and a study is kept with its results',
        `set ${name} in envs.sh or in the environment, and name it: secrets: [${name}]`,
      );
    } else if (name === 'TARGET') {
      yield makeMistake(path, "is the study's own", 'write the address as target: {url: …}');
    } else if (!value.includes('{{') && !isAllowed(setting.parser, value)) {
      yield makeMistake(
        path,
        `is ${showValue(value)}, which is not allowed`,
        `give ${setting.parser.allowed}`,
      );
    }
  }
}

/**
 * Variables that the study's scenario declares; null where its file is not known yet, or cannot be read.
 * @param {Study['scenario']} scenario
 * @returns {Pick<Setting, 'name' | 'secret' | 'parser'>[] | null}
 */
function listDeclared(scenario) {
  if ('inline' in scenario) {
    const { config } = /** @type {Record<string, any>} */ (scenario.inline);
    const variables = Object.entries(config?.loadflame?.variables ?? {});
    return variables.map(([name, variable]) => ({ name, secret: variable?.secret, parser: text }));
  }
  try {
    return scenario.script.includes('{{') ? null : readScenarioBlock(scenario.script).variables;
  } catch {
    return null;
  }
}

/**
 * @param {Path} path @param {string} what a service, a factor … @param {string} name
 * @param {string[]} known @returns {Mistake}
 */
export function makeUnknown(path, what, name, known) {
  const meant = findClosest(name, known);
  const change = `${meant ? `did you mean ${meant}? ` : ''}known here: ${known.join(', ') || 'none'}`;
  return makeMistake(path, `names ${showValue(name)}, which is no ${what} of this study`, change);
}
