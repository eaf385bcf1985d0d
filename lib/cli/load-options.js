/** Flags of a load, Artillery's own and ours, checked. */
import { LoadflameError } from '../errors.js';

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
  log,
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
    log,
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
