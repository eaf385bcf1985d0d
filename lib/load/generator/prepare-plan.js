/** Turns a prepared script into the plan for workers: fills templates of its configuration, and reads CSV files. */
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import path from 'node:path';
import { LoadflameError } from '../../base/errors.js';
import { readRegularFile } from '../../base/files/regular-file.js';
import { FUNCTIONS } from '../engine/flow/functions.js';
import { fillTemplate } from '../engine/flow/template.js';

/** @import { PayloadSpec, Script } from '../script.d.ts' */

const require = createRequire(import.meta.url);

/**
 * @typedef {object} Plan
 * @property {Script} script ready to run; rows of CSV files are in
 *   `config.payload[].data`
 * @property {string} testRunId
 */

/**
 * @param {Script} script with absolute paths; is modified
 * @param {object} options
 * @param {string} options.file the user's script
 * @param {string} [options.environment]
 * @param {boolean} [options.insecure] accept any TLS certificate
 * @returns {Promise<Plan>}
 * @throws {Error} for an unreadable CSV file
 */
export async function preparePlan(script, { file, environment, insecure }) {
  const testRunId = process.env.ARTILLERY_TEST_RUN_ID || `t${randomUUID()}`;
  const vars = { $testId: testRunId, $processEnvironment: process.env, $env: process.env };
  // What the engine fills for each user is left as written: a filled value is never read again.
  const { defaults, socketio, ws, http, ...once } = script.config;
  const context = { vars: { ...vars, $environment: environment }, funcs: FUNCTIONS };
  const fill = (/** @type {any} */ value) => fillTemplate(value, context);
  const config = { ...fill(once), defaults, socketio };
  config.http = { ...fill({ ...http, defaults: null }), defaults: http?.defaults };
  config.ws = ws && { ...ws, timeout: fill(ws.timeout) };
  if (insecure) config.tls = { ...config.tls, rejectUnauthorized: false };
  config.phases ??= [{ duration: 1, arrivalCount: 1 }];
  const folder = path.dirname(file);
  if (config.payload)
    config.payload = [config.payload].flat().map((/** @type {PayloadSpec} */ spec) => {
      const place = path.resolve(folder, spec.path);
      return { ...spec, data: readPayload({ ...spec, path: place }) };
    });
  // Artillery's plugins use these names.
  const places = { _environment: environment, _scriptPath: file, _configPath: file };
  return { script: { ...script, ...places, config }, testRunId };
}

/**
 * @param {PayloadSpec} spec with an absolute path
 * @returns {any[][]} rows
 * @throws {LoadflameError} SCRIPT_INVALID: it cannot be read, or has rows of different lengths
 */
export function readPayload(spec) {
  const { skipEmptyLines = true, cast = true, skipHeader, delimiter, options } = spec;
  try {
    return require('csv-parse/lib/sync.js')(readRegularFile(spec.path), {
      skip_empty_lines: skipEmptyLines,
      cast,
      from_line: skipHeader === true ? 2 : 1,
      delimiter: delimiter || ',',
      ...options,
    });
  } catch (cause) {
    const problem = /** @type {Error} */ (cause).message;
    const data = { at: spec.path, problem, change: 'correct the file' };
    throw new LoadflameError('SCRIPT_INVALID', data, { cause });
  }
}
