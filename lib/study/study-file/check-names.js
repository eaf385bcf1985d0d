/** Fills all templates of a study for each of its variants, so that none fails after ten minutes. */
import { existsSync } from 'node:fs';
import { findClosest } from '../../files/closest.js';
import { listTemplates } from '../../files/templates.js';
import { fillTemplates } from './fill.js';
import { listVariants, matchesFactors } from './matrix.js';
import { listPorts, makeVariables, nameVariable, OWN_VARIABLES } from './variables.js';

/** @import { Path } from '../../files/read-yaml.js' */
/** @import { FactorMatch, Study } from '../../facts/study-file.d.ts' */

/**
 * @typedef {object} Part of a study, whose texts may hold templates
 * @property {Path} path in the file
 * @property {unknown} value
 * @property {'port' | 'step'} [knows] a variable that only exists in some places
 * @property {FactorMatch | null} [when]
 * @property {boolean} [keepOthers]
 * @property {{test: (filled: any) => boolean, allowed: string}} [becomes] what the filled text has to be
 */

const ADDRESS = {
  test: (/** @type {unknown} */ value) => isAddress(String(value)),
  allowed: 'an address that starts with http:// or https://, without user name and password',
};
const FILE = {
  test: (/** @type {unknown} */ value) => existsSync(String(value)),
  allowed: 'a file that exists, as seen from the study file',
};
const PORT = {
  test: (/** @type {unknown} */ value) => isWhole(value, 1, 65_535),
  allowed: 'a port, such as "{{ $env.STUDY_PORT }}"',
};
const COUNT = {
  test: (/** @type {unknown} */ value) => isWhole(value, 1, 10_000),
  allowed: 'a whole number of at least 1, or a template that gives one',
};
const CORES = {
  test: (/** @type {unknown} */ value) => Number(value) > 0 && Number(value) <= 10_000,
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
 * @param {(path: Path, problem: string, change: string) => Error} options.complain
 * @throws {LoadflameError} STUDY_UNKNOWN_NAME, STUDY_INVALID
 */
export function checkNames(study, { locate, complain }) {
  const ports = Object.fromEntries(listPorts(study).map(name => [name, 1024]));
  const parts = listParts(study);
  /** Of any variant. @type {Set<string>} */
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
      if (!matchesFactors(when, variant.factors)) continue;
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
  checkOtherTemplates(study, known, complain);
  checkCommands(study, known, complain);
}

/**
 * A scenario has templates of its own; those that name a factor or a port are meant for the study.
 * @param {Study} study @param {Set<string>} known
 * @param {(path: Path, problem: string, change: string) => Error} complain
 */
function checkOtherTemplates({ scenario, factors }, known, complain) {
  const isStudys = (/** @type {string} */ name) =>
    known.has(nameVariable(name)) &&
    (name.startsWith('port.') || factors.some(factor => factor.name === name.split('.')[0]));
  const name = listTemplates(JSON.stringify(scenario)).find(isStudys);
  if (name === undefined) return;
  const problem = `has {{ ${name} }}, a name of the study`;
  throw complain(['scenario'], problem, `write {{ $env.${nameVariable(name)} }}`);
}

/**
 * @param {Study} study @param {Set<string>} known
 * @param {(path: Path, problem: string, change: string) => Error} complain
 */
function checkCommands(study, known, complain) {
  for (const { path, command } of listCommands(study)) {
    const template = listTemplates(command).find(name => known.has(nameVariable(name)));
    if (template !== undefined)
      throw complain(
        path,
        `has {{ ${template} }}, and a command has variables`,
        `write $${nameVariable(template)}`,
      );
    for (const [, name = ''] of command.matchAll(/\$\{?(STUDY_\w+)/g)) {
      if (known.has(name)) continue;
      const meant = findClosest(name, [...known]);
      const change = `${meant ? `did you mean $${meant}? ` : ''}variables: ${[...known].join(', ')}`;
      throw complain(path, `has $${name}, which is no variable of this study`, change);
    }
  }
}

/** @param {Study} study @returns {{path: Path, command: string}[]} with their places in the file */
function listCommands({ services, record, setup, prepare, reset, cleanup }) {
  const all = [
    ...Object.entries({ setup, prepare, reset, cleanup }).map(([key, command]) => ({
      path: [key],
      command,
    })),
    ...services.flatMap(({ name, command, ready }) => [
      { path: ['services', name, 'command'], command },
      {
        path: ['services', name, 'ready', 'command'],
        command: ready.kind === 'command' ? ready.command : undefined,
      },
    ]),
    ...record.probes.map(({ name, command }) => ({
      path: ['record', 'probes', name, 'command'],
      command,
    })),
  ];
  return all.flatMap(({ path, command }) => (command ? [{ path, command }] : []));
}

/** @param {Study} study @returns {Part[]} */
function listParts(study) {
  const { target, record } = study;
  /** @type {(Part | null)[]} */
  const parts = [
    { path: ['target', 'url'], value: target.url, becomes: ADDRESS },
    { path: ['target', 'gunicorn'], value: target.gunicorn },
    optional(['target', 'workers'], target.workers, COUNT),
    ...study.services.flatMap(listServiceParts),
    { path: ['settings'], value: study.settings },
    optional(['load', 'cpus'], study.load.cpus ?? null, CPU_LIST),
    ...study.lists.map(({ name, from, match, crawl }) => ({
      path: ['lists', name],
      value: { from, match, crawl },
    })),
    listScenarioPart(study.scenario),
    ...record.processes.flatMap(({ name, port, cores, ...rest }) => [
      { path: ['record', 'processes', name], value: rest },
      optional(['record', 'processes', name, 'port'], port, PORT),
      optional(['record', 'processes', name, 'cores'], cores, CORES),
    ]),
    ...record.probes.map(({ name, url }) =>
      optional(['record', 'probes', name, 'url'], url, ADDRESS),
    ),
    { path: ['targets'], value: study.targets, knows: 'step' },
    ...study.stages.map(({ servers }, index) =>
      optional(['stages', index, 'servers'], servers, COUNT),
    ),
  ];
  return parts.filter(entry => entry !== null);
}

/** @param {Study['scenario']} scenario @returns {Part} */
function listScenarioPart(scenario) {
  const path = ['scenario'];
  if ('script' in scenario) return { path, value: scenario.script, knows: 'step', becomes: FILE };
  return { path, value: scenario.inline, knows: 'step', keepOthers: true };
}

/** @param {Path} path @param {unknown} value @param {Part['becomes']} becomes @returns {Part | null} */
function optional(path, value, becomes) {
  return value === null ? null : { path, value, becomes };
}

/** @param {Study['services'][number]} service @returns {Part[]} */
function listServiceParts({ name, when, env, ready }) {
  const path = ['services', name];
  const { port = null, url = null } = /** @type {{port?: string, url?: string}} */ (ready);
  return [
    { path: [...path, 'env'], value: env },
    optional([...path, 'ready', 'port'], port, PORT),
    optional([...path, 'ready', 'url'], url, ADDRESS),
  ].flatMap(part => (part ? [{ ...part, knows: /** @type {const} */ ('port'), when }] : []));
}

/** @param {string} text */
function isAddress(text) {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return !username && !password;
}

/** @param {unknown} value @param {number} min @param {number} max */
function isWhole(value, min, max) {
  return Number.isInteger(Number(value)) && Number(value) >= min && Number(value) <= max;
}
