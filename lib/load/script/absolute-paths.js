/** Makes paths absolute: in a script they are relative to it, and Artillery gets a copy in another folder. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { isPlain } from '../../base/files/read-yaml.js';
import { isRegularFile } from '../../base/files/regular-file.js';
import { replaceTemplates } from '../../base/files/templates.js';
import { readPayload } from '../generator/prepare-plan.js';
import { refuseScript } from './read-script.js';

/** @import { PayloadSpec, Script } from '../script.d.ts' */
/** @import { ScriptSource } from './read-script.js' */

const MODULE_ENDINGS = ['', '.js', '.cjs', '.mjs', '.ts', '.json', '/index.js'];

/**
 * @typedef {object} NamedFile
 * @property {'processor' | 'payload' | 'upload'} what
 * @property {Record<string, any>} holder of the name
 * @property {string} key of the name in it
 * @property {(string | number)[]} at path from the script's root; empty for an upload
 */

/**
 * @param {Script} script is modified: the paths of processor, payloads and uploads become absolute, and so do
 *   `{{ $dirname }}` and `{{ $scenarioFile }}`
 * @param {ScriptSource} source
 * @throws {LoadflameError} SCRIPT_INVALID
 */
export function makePathsAbsolute(script, source) {
  const folder = path.dirname(source.file);
  const places = new Map([
    ['$dirname', folder],
    ['$scenarioFile', source.file],
  ]);
  replaceInTexts(script, text =>
    replaceTemplates(text, (name, template) => places.get(name) ?? template),
  );
  for (const { what, holder, key, at } of listNamedFiles(script)) {
    const place = path.resolve(folder, holder[key]);
    const found = what === 'processor' ? findModule(place) : existsSync(place) && place;
    if (!found && what !== 'upload') {
      const change = 'correct the path; it is relative to the script';
      refuseScript(source, at, `the ${what} ${holder[key]} does not exist`, change);
    }
    holder[key] = found || place;
  }
}

/**
 * Lists the files that a script names.
 * @param {Script} script
 * @returns {NamedFile[]} without names that depend on the virtual user
 */
export function listNamedFiles(script) {
  const { config } = script;
  const { payload = [] } = config;
  /** @type {NamedFile[]} */
  const payloads = [payload].flat().map((holder, i) => {
    const at = ['config', 'payload', ...(Array.isArray(payload) ? [i] : []), 'path'];
    return { what: 'payload', holder, key: 'path', at };
  });
  const at = ['config', 'processor'];
  /** @type {NamedFile} */
  const processor = { what: 'processor', holder: config, key: 'processor', at };
  const own = payloads.filter(({ holder }) => !`${holder?.path}`.includes('{{'));
  const all = [processor, ...own, ...listUploads(script)];
  return all.filter(({ holder, key }) => typeof holder?.[key] === 'string');
}

/**
 * Without a row, or with too few columns, every user would get `undefined`.
 * @param {Script} script with absolute paths
 * @param {ScriptSource} source
 * @throws {LoadflameError} SCRIPT_INVALID
 */
export function checkPayloads(script, source) {
  for (const { what, holder, at } of listNamedFiles(script)) {
    if (what !== 'payload') continue;
    const name = `the payload ${path.basename(holder.path)}`;
    const [row] = readPayload(/** @type {PayloadSpec} */ (holder));
    if (!row) refuseScript(source, at, `${name} has no rows`, 'add rows to the file');
    const { fields = [] } = holder;
    if (!Array.isArray(row) || row.length >= fields.length) continue;
    const delimiter = [';', '\t', '|', ','].find(sign => row.join('').includes(sign));
    const change = delimiter
      ? `write \`delimiter: ${JSON.stringify(delimiter)}\``
      : 'correct either';
    const problem = `${name} has ${row.length} of the ${fields.length} columns in \`fields\``;
    refuseScript(source, at, problem, change);
  }
}

/**
 * Finds a module by the name that a processor or an import uses.
 * @param {string} file maybe without its extension
 */
export function findModule(file) {
  return MODULE_ENDINGS.map(ending => file + ending).find(isRegularFile);
}

/** `formData: {file: {fromFile: …}}`. @param {any} node @returns {NamedFile[]} */
function listUploads(node) {
  if (node === null || typeof node !== 'object') return [];
  const isUpload = isPlain(node) && !`${node.fromFile}`.startsWith('{{');
  /** @type {NamedFile} */
  const own = { what: 'upload', holder: node, key: 'fromFile', at: [] };
  return [...(isUpload ? [own] : []), ...Object.values(node).flatMap(listUploads)];
}

/** @param {any} node @param {(text: string) => string} replace */
function replaceInTexts(node, replace) {
  if (node === null || typeof node !== 'object') return;
  for (const [key, value] of Object.entries(node)) {
    if (typeof value === 'string') node[key] = replace(value);
    else replaceInTexts(value, replace);
  }
}
