/** Flags of a load, Artillery's own and ours, checked. */
import { InvalidArgumentError, Option } from 'commander';
import { LoadflameError } from '../errors.js';

const MOST_WORKERS = 256;

/** Adds the flags to a command. @param {import('commander').Command} command */
export function loadFlags(command) {
  command
    .addOption(
      new Option('--engine <name>', 'what runs the scenarios')
        .choices(['loadflame', 'artillery'])
        .default('loadflame'),
    )
    .option('--workers <n>', 'threads that send; the default suits phases and CPUs', parseWorkers)
    .option('-e, --environment <name>', "environment of the script's config.environments")
    .option('-c, --config <file>', 'YAML or JSON file that is merged over the script')
    .option('--overrides <json>', 'JSON that is merged over the script')
    .option('-v, --variables <json>', 'JSON with variables for the script')
    .option('--payload <file>', 'CSV file that replaces the payload of the script')
    .option('-o, --output <file>', "also write Artillery's own JSON")
    .option('--scenario-name <name>', 'run only this scenario')
    .option('-k, --insecure', 'accept any TLS certificate');
}

/** @param {string} text */
function parseWorkers(text) {
  const workers = Number(text);
  if (/^\d+$/.test(text) && workers >= 1 && workers <= MOST_WORKERS) return workers;
  throw new InvalidArgumentError(`A whole number from 1 to ${MOST_WORKERS} is allowed.`);
}

/**
 * @param {Record<string, any>} options of the command
 * @returns {import('../record/load/start-load.js').LoadOptions}
 * @throws {LoadflameError} OPTION_NOT_JSON
 */
export function readLoadOptions({
  engine,
  workers,
  environment,
  config,
  overrides,
  variables,
  payload,
  output,
  scenarioName,
  insecure,
}) {
  return {
    engine,
    workers,
    environment,
    config,
    overrides: parseJson('--overrides', overrides),
    variables: parseJson('--variables', variables),
    payload,
    output,
    scenarioName,
    insecure,
  };
}

/** @param {string} option @param {string | undefined} text */
function parseJson(option, text) {
  if (text === undefined) return undefined;
  try {
    const value = JSON.parse(text);
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value;
  } catch {
    // told below, like JSON of another shape
  }
  throw new LoadflameError('OPTION_NOT_JSON', { option, value: text });
}
