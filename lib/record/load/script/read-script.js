/** Reads an Artillery script (YAML or JSON) and remembers where everything stands in it. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { LineCounter, parseDocument } from 'yaml';
import { LoadflameError } from '../../../errors.js';
import { quoteTemplates } from '../../../quote-templates.js';
import { isPlain, mergeInto } from './merge-script.js';

/**
 * @typedef {object} ScriptSource
 * @property {string} file absolute
 * @property {string} text
 * @property {Record<string, any>} script plain data
 * @property {(at: (string | number)[]) => string} locate `file:line:column` of a value, or of the
 *   nearest thing around it that stands in the file
 * @property {(at: (string | number)[]) => boolean} has a value stands there
 */

/**
 * @param {string} file
 * @returns {ScriptSource}
 * @throws {LoadflameError} SCRIPT_NOT_FOUND, SCRIPT_FORMAT, SCRIPT_SYNTAX
 */
export function readScript(file) {
  const absolute = path.resolve(file);
  if (!/\.(ya?ml|json)$/i.test(absolute)) throw new LoadflameError('SCRIPT_FORMAT', { file });
  let text;
  try {
    text = readFileSync(absolute, 'utf8');
  } catch (cause) {
    const reason = /** @type {NodeJS.ErrnoException} */ (cause).code;
    throw new LoadflameError('SCRIPT_NOT_FOUND', { file, reason }, { cause });
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, merge: true, prettyErrors: false });
  const position = (/** @type {number} */ offset) => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  const [error] = document.errors;
  if (error) {
    throw new LoadflameError('SCRIPT_SYNTAX', {
      at: position(error.pos[0]),
      problem: error.message.replace(/\.$/, ''),
    });
  }
  quoteTemplates(document);
  /** @param {(string | number)[]} at */
  const locate = at => {
    for (let length = at.length; length >= 0; length--) {
      const node = /** @type {any} */ (document.getIn(at.slice(0, length), true));
      if (node?.range) return position(node.range[0]);
    }
    return file;
  };
  const script = document.toJS({ maxAliasCount: 10_000 });
  if (script === null || typeof script !== 'object' || Array.isArray(script)) {
    const problem = 'a script is a map with `config` and `scenarios`';
    throw new LoadflameError('SCRIPT_SYNTAX', { at: `${file}:1:1`, problem });
  }
  return { file: absolute, text, script, locate, has: at => document.hasIn(at) };
}

/**
 * A script, and a file with its configuration (or a part of it) that is merged over it.
 * @param {string} file
 * @param {string} configFile the paths of a processor and of CSV files in it are relative to it
 * @returns {ScriptSource}
 * @throws {LoadflameError} SCRIPT_NOT_FOUND, SCRIPT_FORMAT, SCRIPT_SYNTAX
 */
export function readScriptWithConfig(file, configFile) {
  const source = readScript(file);
  const over = readScript(configFile);
  const { config } = over.script;
  if (isPlain(config)) {
    const folder = path.dirname(over.file);
    if (typeof config.processor === 'string') {
      config.processor = path.resolve(folder, config.processor);
    }
    for (const payload of [config.payload ?? []].flat()) {
      if (typeof payload?.path === 'string' && !payload.path.includes('{{')) {
        payload.path = path.resolve(folder, payload.path);
      }
    }
  }
  mergeInto(source.script, over.script);
  return { ...source, locate: at => (over.has(at) ? over.locate(at) : source.locate(at)) };
}
