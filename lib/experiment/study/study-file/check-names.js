/** Fills all templates of a study for each of its variants, so that none fails after ten minutes. */
import { existsSync } from 'node:fs';
import { suggest } from '../../../base/files/closest.js';
import { findVariable, listTemplates } from '../../../base/files/templates.js';
import { listVariants, matchesFactors } from '../analysis/matrix.js';
import { fillTemplates, listPorts, makeVariables, OWN_VARIABLES } from './variables.js';

/** @import { Path } from '../../../base/files/read-yaml.js' */
/** @import { FactorMatch, Study } from '../../../run/facts/study-file.d.ts' */

/**
 * @typedef {object} Part of a study, whose texts may contain templates
 * @property {Path} path in the file
 * @property {unknown} value null or absent: the study has none
 * @property {'port' | 'step'} [knows] a variable that only exists in some places
 * @property {FactorMatch | null} [when]
 * @property {boolean} [keepOthers]
 * @property {{test: (filled: any) => boolean, allowed: string}} [becomes] condition for the filled text
 */

/** @typedef {(path: Path, problem: string, change: string) => Error} Complain */

const ADDRESS = {
  test: (/** @type {unknown} */ value) => isAddress(String(value)),
  allowed: 'an address that starts with http:// or https://, without user name and password',
};
const FILE = {
  test: (/** @type {unknown} */ value) => existsSync(String(value)),
  allowed: 'a file that exists, as seen from the study file',
};
const NUMBER = {
  test: (/** @type {unknown} */ value) => Number(value) > 0 && Number(value) <= 65_535,
  allowed: 'a number above 0, or a template that gives one',
};
const CPU_LIST = {
  test: (/** @type {unknown} */ value) => /^\d+(-\d+)?(,\d+(-\d+)?)*$/.test(String(value)),
  allowed:
    'cores as `taskset -c` takes them, such as 1-3 or 0,2, or a template that gives such a list',
};

/**
 * @param {Study} study
 * @param {object} options
 * @param {(path: Path) => string} options.locate
 * @param {Complain} options.complain
 * @throws {LoadflameError} STUDY_UNKNOWN_NAME, STUDY_INVALID
 */
export function checkNames(study, { locate, complain }) {
  const ports = Object.fromEntries(listPorts(study).map(name => [name, 1024]));
  const parts = listParts(study);
  /** In any variant. @type {Set<string>} */
  const known = new Set(OWN_VARIABLES);
  for (const variant of listVariants(study)) {
    const where = ` in the variant ${variant.id}`;
    const places = { seed: 0, ports, work: '/work' };
    const everywhere = makeVariables(study, variant, places, { where, locate });
    for (const name of Object.keys(everywhere)) known.add(name);
    const variables = {
      everywhere,
      port: { ...everywhere, STUDY_PORT: '1024' },
      step: { ...everywhere, STUDY_STEP: '1' },
    };
    for (const { path, value, knows = 'everywhere', when = null, keepOthers, becomes } of parts) {
      if ((value ?? null) === null || !matchesFactors(when, variant.factors)) continue;
      const filled = fillTemplates(value, variables[knows], {
        ...{ at: path.join('.'), keepOthers, where },
        locate: inner => locate([...path, ...inner]),
      });
      if (!becomes || becomes.test(filled)) continue;
      throw complain(
        path,
        `is "${filled}"${where}, which is not allowed`,
        `give ${becomes.allowed}`,
      );
    }
  }
  checkCommands(study, known, complain);
}

/**
 * @param {Study} study
 * @param {Set<string>} known variables
 * @param {Complain} complain
 */
function checkCommands({ services, record, setup, prepare, reset, cleanup }, known, complain) {
  /** @type {[Path, string | undefined][]} */
  const commands = [
    [['setup'], setup],
    [['prepare'], prepare],
    [['reset'], reset],
    [['cleanup'], cleanup],
  ];
  for (const { name, command } of services) commands.push([['services', name, 'command'], command]);
  for (const { name, command } of record.probes)
    commands.push([['record', 'probes', name, 'command'], command]);
  for (const [path, command = ''] of commands) {
    const [template] = listTemplates(command).flatMap(name => findVariable(name) ?? []);
    if (template !== undefined)
      throw complain(
        path,
        `has {{ $env.${template} }}, and a command has variables`,
        `write $${template}`,
      );
    for (const [, name = ''] of command.matchAll(/\$\{?(STUDY_\w+)/g)) {
      if (known.has(name)) continue;
      const names = [...known];
      const change = `${suggest(name, names, meant => `$${meant}`)}variables: ${names.join(', ')}`;
      throw complain(path, `has $${name}, which is no variable of this study`, change);
    }
  }
}

/** @param {Study} study @returns {Part[]} */
function listParts(study) {
  const { target, record, scenario } = study;
  return [
    { path: ['target', 'url'], value: target.url, becomes: ADDRESS },
    { path: ['target', 'gunicorn'], value: target.gunicorn },
    ...study.services.flatMap(listServiceParts),
    { path: ['settings'], value: study.settings },
    { path: ['load', 'cpus'], value: study.load.cpus, becomes: CPU_LIST },
    'script' in scenario
      ? { path: ['scenario'], value: scenario.script, knows: 'step', becomes: FILE }
      : { path: ['scenario'], value: scenario.inline, knows: 'step', keepOthers: true },
    ...record.processes.flatMap(({ name, port, cores, ...rest }) => {
      const path = ['record', 'processes', name];
      return [
        { path, value: rest },
        { path: [...path, 'port'], value: port, becomes: NUMBER },
        { path: [...path, 'cores'], value: cores, becomes: NUMBER },
      ];
    }),
    ...record.probes.map(({ name, url }) => ({
      path: ['record', 'probes', name, 'url'],
      value: url,
      becomes: ADDRESS,
    })),
    ...study.stages.map(({ servers }, index) => ({
      path: ['stages', index, 'servers'],
      value: servers,
      becomes: NUMBER,
    })),
  ];
}

/** @param {Study['services'][number]} service @returns {Part[]} */
function listServiceParts({ name, when, env, ready }) {
  const path = ['services', name];
  /** @type {Part[]} */
  const parts = [
    { path: [...path, 'env'], value: env },
    { path: [...path, 'ready', 'port'], value: ready.port, becomes: NUMBER },
    { path: [...path, 'ready', 'url'], value: ready.url, becomes: ADDRESS },
  ];
  return parts.map(part => ({ ...part, knows: 'port', when }));
}

/** @param {string} text */
function isAddress(text) {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return !username && !password;
}
