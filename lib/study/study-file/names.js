/** What `{{ name }}` stands for in one variant. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { LoadflameError } from '../../errors.js';
import { formatPath } from '../../files/read-yaml.js';
import { listTemplates } from '../../files/templates.js';
import { fillTemplates } from './fill.js';
import { matchesFactors } from './matrix.js';

/** @import { Path } from '../../files/read-yaml.js' */
/** @import { Action, Gunicorn, Service, Study } from '../../facts/study-file.d.ts' */
/** @import { Variant } from '../../facts/study-records.d.ts' */

/** As many as a name has ports at most. */
const MOST_COPIES = 100;

/** Names that a study can not give to its own variables, factors and lists. */
export const RESERVED_NAMES = Object.freeze([
  'port',
  'ports',
  'addresses',
  'copy',
  'dir',
  'work',
  'studyDir',
  'password',
  'python',
  'cpus',
  'step',
  'batch',
]);

/** Of the services of a study, new at each start: a machine has other users. */
export const PASSWORD = randomBytes(16).toString('hex');

/** @param {Study['target']} target @returns {Gunicorn[]} */
export function listServers({ gunicorn }) {
  return [gunicorn ?? []].flat();
}

/**
 * What is done before blocks and between cells, and in batches of it.
 * @param {Pick<Study, 'prepare' | 'reset'>} study
 * @returns {Generator<{path: Path, action: Action, knows?: 'batch'}>} with its place in the file
 */
export function* listActions({ prepare = [], reset }) {
  for (const [key, actions] of Object.entries({ prepare, reset }))
    for (const [index, action] of actions.entries()) {
      const path = [key, index];
      const own = action.kind === 'batches' ? action.actions : [];
      yield { path, action: { ...action, ...(own.length > 0 && { actions: [] }) } };
      for (const [at, inner] of own.entries())
        yield { path: [...path, 'batches', 'do', at], action: inner, knows: 'batch' };
    }
}

/**
 * A service that is started several times: each has its number and, of each name, a port of its own.
 * @param {Service} service
 * @param {Record<string, unknown>} names
 * @returns {Service[]} `api`, `api.2`, `api.3`
 */
export function listCopies(service, names) {
  const { name, copies } = service;
  if (!copies) return [service];
  const at = `services.${name}.copies`;
  const count = Math.min(MOST_COPIES, Number(fillTemplates(copies, names, { at })) || 1);
  return Array.from({ length: count }, (_, index) => {
    const own = Object.keys(names).filter(key => /^ports\.[\w-]+$/.test(key));
    const ports = own.flatMap(key => {
      const port = names[`${key}.${index}`];
      return port === undefined ? [] : [[`${key}.copy`, port]];
    });
    const ownNames = { copy: index + 1, ...Object.fromEntries(ports) };
    const filled = fillTemplates(service, ownNames, { at, keepUnknown: true });
    return { ...filled, name: index > 0 ? `${name}.${index + 1}` : name, copies: null };
  });
}

/** Pids of a service and its copies. @param {Map<string, number>} pids @param {string} service */
export function pidsOf(pids, service) {
  return [...pids].flatMap(([name, pid]) =>
    name === service || name.startsWith(`${service}.`) ? [pid] : [],
  );
}

/**
 * @typedef {object} Places
 * @property {Record<string, number[]>} ports free ports of each of the study's names
 * @property {string} [dir] folder of one service; the name is unknown without it
 * @property {string} [work] temporary folder of all services of a block
 * @property {number} [step] load of a cell
 */

/**
 * @param {Pick<Study, 'file' | 'variables' | 'factors' | 'services'>} study
 * @param {Variant} variant
 * @param {Places} places
 * @param {{locate?: (path: Path) => string}} [options] for errors
 * @returns {Record<string, unknown>} flat, without prototype: `workers`, `cache.url`, `port.api`
 * @throws {LoadflameError} STUDY_UNKNOWN_NAME, STUDY_INVALID where names go round in a circle
 */
export function namesFor(study, variant, { ports, dir, work, step }, { locate } = {}) {
  const studyDir = path.dirname(study.file);
  /** @type {Record<string, unknown>} */
  const names = Object.create(null);
  Object.assign(names, { studyDir, python: findPython(studyDir), cpus: availableParallelism() });
  names.password = PASSWORD;
  for (const [name, value] of Object.entries({ dir, work, step })) {
    if (value !== undefined) names[name] = value;
  }
  for (const [name, free] of Object.entries(ports)) {
    names[`port.${name}`] = free[0];
    names[`ports.${name}`] = free;
    for (const [index, port] of free.entries()) names[`ports.${name}.${index}`] = port;
  }
  const own = listOwnNames(study, variant);
  const where = ` in the variant ${variant.id}`;
  for (const name of own.keys()) resolve(name, []);
  for (const [name, free] of Object.entries(ports)) {
    const isOwn = (/** @type {Service} */ service) =>
      service.copies && JSON.stringify(service).includes(`ports.${name}.copy`);
    const owner = study.services.find(
      one => isOwn(one) && matchesFactors(one.when, variant.factors),
    );
    const used = owner ? free.slice(0, listCopies(owner, names).length) : free;
    names[`addresses.${name}`] = used.map(port => `http://127.0.0.1:${port}`).join(',');
  }
  return names;

  /** A value may name others: those first. @param {string} name @param {string[]} trail */
  function resolve(name, trail) {
    const entry = own.get(name);
    if (!entry || name in names) return;
    const key = formatPath(entry.path);
    if (trail.includes(name)) {
      const problem = `stands for itself: ${[...trail.slice(trail.indexOf(name)), name].join(' → ')}`;
      const change = 'let one of these names stand for a plain value';
      const at = locate?.(entry.path) ?? study.file;
      throw new LoadflameError('STUDY_INVALID', { at, key, problem, change });
    }
    for (const other of listTemplates(entry.value)) resolve(other, [...trail, name]);
    names[name] = fillTemplates(entry.value, names, {
      at: key,
      where,
      locate: () => locate?.(entry.path) ?? study.file,
    });
  }
}

/**
 * Variables, and the variant's factors.
 * @param {Pick<Study, 'variables' | 'factors'>} study @param {Variant} variant
 */
function listOwnNames({ variables, factors }, variant) {
  /** @type {Map<string, {value: unknown, path: (string | number)[]}>} */
  const own = new Map();
  for (const [name, value] of Object.entries(variables)) {
    own.set(name, { value, path: ['variables', name] });
  }
  for (const { name, values } of factors) {
    const index = values.findIndex(({ label }) => label === variant.factors[name]);
    const { label = '', fields = {} } = values[index] ?? {};
    own.set(name, { value: asNumber(label), path: ['factors', name, index] });
    for (const [field, value] of Object.entries(fields)) {
      own.set(`${name}.${field}`, { value, path: ['factors', name, label, field] });
    }
  }
  return own;
}

/** A label that reads like a number is one: `size: "{{ payload }}"` in a scenario. @param {string} label */
function asNumber(label) {
  return String(Number(label)) === label && Number.isFinite(Number(label)) ? Number(label) : label;
}

/** The virtual environment of the project in which the study lies. @param {string} folder */
function findPython(folder) {
  for (let at = folder; ; at = path.dirname(at)) {
    const python = path.join(at, '.venv', 'bin', 'python');
    if (existsSync(python)) return python;
    if (at === path.dirname(at)) return 'python3';
  }
}
