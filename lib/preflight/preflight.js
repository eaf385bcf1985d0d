/** What is checked before any load is sent: an error now is cheaper than a run of errors. */
import { prepareLoad } from '../record/load/start-load.js';
import { idsExist, login, targetAnswers } from './checks.js';
import { runChecks } from './run-checks.js';

/** Only scripts that speak of offices and services are checked for them. */
const NAMES_IDS = /OFFICE_ID|SERVICE_ID/;

/**
 * @param {import('../config/read-config.js').Config} config
 * @param {{script: string, options: import('../record/load/start-load.js').LoadOptions} | null} load
 * @returns {Promise<string[]>} warnings, a line each
 * @throws {LoadflameError} the first thing that makes the run senseless
 */
export async function preflight(config, load) {
  if (!load) return [];
  const prepared = prepareLoad(load.script, config, load.options);
  const wantsIds = NAMES_IDS.test(prepared.text);
  if (!config.isSet('TARGET')) {
    if (wantsIds) config.require('TARGET');
    return [];
  }
  const checks = wantsIds ? [targetAnswers, login, idsExist] : [targetAnswers];
  const results = await runChecks(checks, config);
  const failed = results.find(({ error }) => error !== null);
  if (failed?.error) throw failed.error;
  return results.filter(({ level }) => level === 'warn').map(({ text }) => `warning: ${text}`);
}
