/** From a prepared script to what workers run: templates of its configuration, rows of CSV files, its processor. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fillTemplate } from '../engine/flow/template.js';
import { FUNCTIONS } from './context.js';

/** @import { PayloadSpec, Script } from '../script.d.ts' */

/**
 * @typedef {object} Plan
 * @property {Script} script ready to run; rows of CSV files are in
 *   `config.payload[].data`
 * @property {string} testRunId
 */

/**
 * @param {Script} script with absolute paths; is changed
 * @param {object} options
 * @param {string} options.file of the script as the user has it
 * @param {string} [options.environment]
 * @param {boolean} [options.insecure] accept any TLS certificate
 * @returns {Promise<Plan>}
 * @throws {Error} a CSV file that cannot be read
 */
export async function preparePlan(script, { file, environment, insecure }) {
  const testRunId = process.env.ARTILLERY_TEST_RUN_ID || `t${randomUUID()}`;
  const vars = { $testId: testRunId, $processEnvironment: process.env, $env: process.env };
  // What only a virtual user has is empty here, as under Artillery.
  const config = fillTemplate(script.config, {
    vars: { ...vars, $environment: environment },
    funcs: FUNCTIONS,
  });
  if (insecure) config.tls = { ...config.tls, rejectUnauthorized: false };
  config.phases ??= [{ duration: 1, arrivalCount: 1 }];
  const folder = path.dirname(file);
  if (config.payload) {
    const rows = [config.payload].flat().map(spec => readRows(spec, folder));
    config.payload = await Promise.all(rows);
  }
  // Plugins of Artillery's know them by these names.
  const places = { _environment: environment, _scriptPath: file, _configPath: file };
  return { script: { ...script, ...places, config }, testRunId };
}

/** @param {PayloadSpec} spec of a CSV file @param {string} folder of the script */
async function readRows(spec, folder) {
  const { default: parseCsv } = await import('csv-parse/lib/sync.js');
  const { skipEmptyLines = true, cast = true, skipHeader, delimiter, options } = spec;
  const data = parseCsv(readFileSync(path.resolve(folder, spec.path), 'utf8'), {
    skip_empty_lines: skipEmptyLines,
    cast,
    from_line: skipHeader === true ? 2 : 1,
    delimiter: delimiter || ',',
    ...options,
  });
  return { ...spec, data };
}
