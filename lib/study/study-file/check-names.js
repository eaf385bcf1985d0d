/** Fills all templates of a study for each of its variants, so that none fails after ten minutes. */
import { existsSync } from 'node:fs';
import { fillTemplates } from './fill.js';
import { listVariants, matchesFactors } from './matrix.js';
import { listActions, listCopies, namesFor } from './names.js';

/** @import { Path } from '../../files/read-yaml.js' */
/** @import { FactorMatch, Study } from '../../facts/study-file.d.ts' */

/**
 * @typedef {object} Part of a study, whose texts may hold templates
 * @property {Path} path in the file
 * @property {unknown} value
 * @property {'dir' | 'step' | 'batch'} [knows] a name that only exists in some places
 * @property {FactorMatch | null} [when]
 * @property {boolean} [keepUnknown]
 * @property {boolean} [isShared] by all variants, so it has to be the same in all
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
  allowed: 'a port, such as "{{ port.api }}"',
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
  const ports = Object.fromEntries(
    Object.entries(study.ports).map(([name, count]) => [name, Array(count).fill(1024)]),
  );
  const parts = listParts(study);
  /** What is started once, for all variants. @type {Map<Part, string>} */
  const shared = new Map();
  for (const variant of listVariants(study)) {
    const where = ` in the variant ${variant.id}`;
    const given = { ports, work: '/work' };
    const names = {
      everywhere: namesFor(study, variant, given, { locate }),
      dir: namesFor(study, variant, { ...given, dir: '/work/dir' }, { locate }),
      step: namesFor(study, variant, { ...given, step: 1 }, { locate }),
      batch: { ...namesFor(study, variant, given, { locate }), batch: 1 },
    };
    const copied = study.services.flatMap(service =>
      service.copies
        ? [
            optional(['services', service.name, 'copies'], service.copies, COUNT),
            ...listCopies(service, names.everywhere).flatMap(copy =>
              listServiceParts({ ...copy, name: service.name }),
            ),
          ]
        : [],
    );
    for (const part of [...parts, ...copied]) {
      if (part === null) continue;
      const { path, value, knows = 'everywhere', when = null, ...rest } = part;
      const { keepUnknown, isShared, becomes } = rest;
      if (!matchesFactors(when, variant.factors)) continue;
      const filled = fillTemplates(value, names[knows], {
        at: path.join('.'),
        keepUnknown,
        where,
        locate: inner => locate([...path, ...inner]),
      });
      if (becomes && !becomes.test(filled)) {
        const problem = `is "${filled}"${where}, which is not allowed`;
        throw complain(path, problem, `give ${becomes.allowed}`);
      }
      if (!isShared) continue;
      const written = JSON.stringify(filled);
      if (written !== (shared.get(part) ?? written)) {
        const problem = 'is started once for the study, and differs between variants';
        throw complain(path, problem, 'take the factors out of it, or give it scope: variant');
      }
      shared.set(part, written);
    }
  }
}

/** @param {Study} study @returns {Part[]} */
function listParts(study) {
  const { target, record } = study;
  /** @type {(Part | null)[]} */
  const parts = [
    { path: ['target', 'url'], value: target.url, becomes: ADDRESS },
    { path: ['target', 'gunicorn'], value: target.gunicorn },
    optional(['target', 'workers'], target.workers, COUNT),
    ...study.services.filter(({ copies }) => !copies).flatMap(listServiceParts),
    { path: ['settings'], value: study.settings, knows: 'step' },
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
    ...record.probes.flatMap(({ name, url, command }) => [
      optional(['record', 'probes', name, 'url'], url, ADDRESS),
      { path: ['record', 'probes', name, 'command'], value: command },
    ]),
    { path: ['targets'], value: study.targets, knows: 'step' },
    ...[...listActions(study)].flatMap(({ path, action: value, knows }) => [
      { path, value, knows },
      ...(value.kind === 'batches'
        ? [
            optional([...path, 'batches', 'to'], value.to, COUNT),
            optional([...path, 'batches', 'by'], value.by, COUNT),
          ]
        : []),
    ]),
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
  return { path, value: scenario.inline, knows: 'step', keepUnknown: true };
}

/** @param {Path} path @param {unknown} value @param {Part['becomes']} becomes @returns {Part | null} */
function optional(path, value, becomes) {
  return value === null ? null : { path, value, becomes };
}

/** @param {Study['services'][number]} service @returns {Part[]} */
function listServiceParts({ name, when, scope, command, prepare, after, env, files, cwd, ready }) {
  const path = ['services', name];
  /** @type {Part} */
  const common = { path, value: null, knows: 'dir', when, isShared: scope === 'study' };
  const { kind, ...readyFields } = ready;
  return [
    { ...common, value: { command, prepare, after, env, files, cwd } },
    { ...common, path: [...path, 'ready'], value: readyFields },
    ...(kind === 'port'
      ? [{ ...common, path: [...path, 'ready', 'port'], value: ready.port, becomes: PORT }]
      : []),
    ...(kind === 'url'
      ? [{ ...common, path: [...path, 'ready', 'url'], value: ready.url, becomes: ADDRESS }]
      : []),
  ];
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
