/** Packs what a worker inside a cluster needs: the script with its files, and the settings of the load. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { LoadflameError } from '../../base/errors.js';
import { isRegularFile } from '../../base/files/regular-file.js';
import { findVariable, listTemplates } from '../../base/files/templates.js';
import { sum } from '../../base/math/summary.js';
import { findModule, listNamedFiles } from '../script/absolute-paths.js';
import { GIVEN, MOST_BYTES } from './describe-job.js';

/** @import { Phase, Script } from '../script.d.ts' */
/** @import { LoadOptions, Settings } from '../load.d.ts' */
/** @import { PreparedScript } from '../prepare-script.js' */

/** Folder to which a worker writes its script, the script's files and its run. */
export const WORK = '/tmp/loadflame';
/** Settings of this machine, and settings that are used only after the load. */
const NOT_OF_LOAD =
  /^(?:KUBE|LOG_|PROFILE|PYSPY|SERVER_|GUNICORN_|ALSO|CHROME_|THRESHOLDS|RULES_|BACKENDS|ALLOWED_|OTEL_)/;
const RELATIVE_IMPORT = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g;
const OWN_VARIABLE = /process\.env(?:\.|\[['"])(\w+)/g;

/**
 * The input of all workers, besides the script's files.
 * @typedef {object} PackedJob
 * @property {string} name of the script
 * @property {number} workers
 * @property {number} waitSec time until all of them must be up
 * @property {Pick<LoadOptions, 'environment' | 'scenarioName' | 'insecure'>} options
 * @property {Script} script prepared
 * @property {Record<string, string>} places key → path of a file below `WORK`
 */

/**
 * Packs everything in one Secret: scripts, CSV files and code may contain secrets, too.
 * @param {PreparedScript} prepared
 * @param {Settings} settings
 * @param {LoadOptions} options
 * @param {Pick<PackedJob, 'workers' | 'waitSec'>} job
 * @returns {Record<string, Buffer>} by key of the Secret
 * @throws {LoadflameError} KUBE_FILES_TOO_LARGE
 */
export function packLoad(prepared, settings, options, { workers, waitSec }) {
  const { environment, scenarioName, insecure } = options;
  const { endpoints, ...own } = prepared.script.config.loadflame ?? {};
  const phases = prepared.script.config.phases?.map(writePhase);
  const config = { ...prepared.script.config, loadflame: own, phases };
  const script = structuredClone({ ...prepared.script, config });
  const named = listNamedFiles(script).filter(({ holder, key }) => isRegularFile(holder[key]));
  const found = new Set(named.map(({ holder, key }) => holder[key]));
  for (const { what, holder, key } of named)
    if (what === 'processor') addImports(holder[key], found);
  const above = findCommonFolder([...found]);
  const files = [...found].map((file, index) => {
    const place = path.join('files', path.relative(above, file)).replaceAll(path.sep, '/');
    return { key: `file-${index}`, file, place, bytes: readFileSync(file) };
  });
  const moved = new Map(files.map(({ file, place }) => [file, path.posix.join(WORK, place)]));
  for (const { holder, key } of named) holder[key] = moved.get(holder[key]);
  /** @type {PackedJob} */
  const job = {
    ...{ name: prepared.name, workers, waitSec, script },
    options: { environment, scenarioName, insecure },
    places: Object.fromEntries(files.map(({ key, place }) => [key, place])),
  };
  /** @type {Record<string, Buffer>} */
  const all = {
    'job.json': Buffer.from(JSON.stringify(job)),
    ...Object.fromEntries(files.map(({ key, bytes }) => [key, bytes])),
    ...packSettings(prepared, settings),
  };
  const bytes = sum(Object.values(all).map(({ length }) => length));
  if (bytes > MOST_BYTES) {
    const [largest] = files.toSorted((a, b) => b.bytes.length - a.bytes.length);
    const name = path.basename(largest?.file ?? prepared.file);
    throw new LoadflameError('KUBE_FILES_TOO_LARGE', { bytes, most: MOST_BYTES, largest: name });
  }
  return all;
}

/** The phase as the user wrote it: reading it again adds `more` to its rate again. @param {Phase} phase with numbers */
function writePhase(phase) {
  if (!phase.more) return phase;
  const { arrivalCount = 0, arrivalRate = arrivalCount / (phase.duration ?? 1), ...rest } = phase;
  const own = arrivalRate - sum(Object.values(phase.more));
  return { ...rest, arrivalRate: Math.max(0, own) };
}

/** Adds the relative imports of a processor, recursively. @param {string} file @param {Set<string>} found */
function addImports(file, found) {
  for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(RELATIVE_IMPORT)) {
    const imported = findModule(path.resolve(path.dirname(file), name));
    if (!imported || found.has(imported)) continue;
    found.add(imported);
    addImports(imported, found);
  }
}

/** @param {string[]} files */
function findCommonFolder(files) {
  let above = path.dirname(files[0] ?? '/');
  while (files.some(file => path.relative(above, file).startsWith('..')))
    above = path.dirname(above);
  return above;
}

/**
 * Packs settings that are set, and variables that the script or its processor names.
 * @param {PreparedScript} prepared
 * @param {Settings} settings
 * @returns {Record<string, Buffer>}
 */
function packSettings({ text, hooks }, settings) {
  const given = settings.all.filter(
    ({ name, text: value }) => value !== '' && settings.isSet(name) && !NOT_OF_LOAD.test(name),
  );
  const known = new Set(settings.all.map(({ name }) => name));
  const named = [
    ...listTemplates(text).map(template => findVariable(template) ?? ''),
    ...[...hooks.matchAll(OWN_VARIABLE)].map(([, name = '']) => name),
  ];
  const taken = named.flatMap(name => {
    const value = process.env[name];
    return value === undefined || known.has(name) ? [] : [[name, value]];
  });
  const values = {
    ...Object.fromEntries(taken),
    ...Object.fromEntries(given.map(({ name, text: value }) => [name, value])),
  };
  const users = values.OIDC_USERS;
  const csv = users && existsSync(users) ? { 'users.csv': readFileSync(users) } : null;
  if (csv) values.OIDC_USERS = `${GIVEN}/users.csv`;
  return { 'settings.json': Buffer.from(JSON.stringify(values)), ...csv };
}
