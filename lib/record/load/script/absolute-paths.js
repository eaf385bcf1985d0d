/** Paths in a script are relative to it; what Artillery is given lies elsewhere. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { LoadflameError } from '../../../errors.js';
import { isPlain } from '../../../read-yaml.js';
import { isRegularFile } from '../../../regular-file.js';
import { replaceTemplates } from '../../../templates.js';

/** @import { ScriptSource } from './read-script.js' */

const PROCESSOR_ENDINGS = ['', '.js', '.cjs', '.mjs', '.ts', '/index.js'];

/**
 * @param {Record<string, any>} script is changed: processor, payloads and uploads are absolute, and
 *   so are `{{ $dirname }}` and `{{ $scenarioFile }}`
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
  const { config } = script;
  if (typeof config.processor === 'string') {
    const found = findProcessor(path.resolve(folder, config.processor));
    if (!found) refuseMissing('processor', config.processor, ['config', 'processor'], source);
    config.processor = found;
  }
  const payloads = [config.payload ?? []].flat();
  for (const [i, payload] of payloads.entries()) {
    if (typeof payload?.path !== 'string' || payload.path.includes('{{')) continue;
    const file = path.resolve(folder, payload.path);
    const at = Array.isArray(config.payload) ? [i, 'path'] : ['path'];
    if (!existsSync(file)) {
      refuseMissing('payload', payload.path, ['config', 'payload', ...at], source);
    }
    payload.path = file;
  }
  makeUploadsAbsolute(script, folder);
}

/** @param {string} file */
function findProcessor(file) {
  return PROCESSOR_ENDINGS.map(ending => file + ending).find(isRegularFile);
}

/**
 * @param {string} what
 * @param {string} name
 * @param {(string | number)[]} at
 * @param {ScriptSource} source
 * @returns {never}
 */
function refuseMissing(what, name, at, source) {
  throw new LoadflameError('SCRIPT_INVALID', {
    at: source.locate(at),
    problem: `the ${what} ${name} does not exist`,
    change: 'correct the path; it is relative to the script',
  });
}

/** `formData: {file: {fromFile: …}}`. @param {any} node @param {string} folder */
function makeUploadsAbsolute(node, folder) {
  if (node === null || typeof node !== 'object') return;
  if (isPlain(node) && typeof node.fromFile === 'string' && !node.fromFile.startsWith('{{')) {
    node.fromFile = path.resolve(folder, node.fromFile);
  }
  for (const value of Object.values(node)) makeUploadsAbsolute(value, folder);
}

/** @param {any} node @param {(text: string) => string} replace */
function replaceInTexts(node, replace) {
  if (node === null || typeof node !== 'object') return;
  for (const [key, value] of Object.entries(node)) {
    if (typeof value === 'string') node[key] = replace(value);
    else replaceInTexts(value, replace);
  }
}
