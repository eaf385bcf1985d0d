/** The settings of a study's runs. */
import { readConfig } from '../../config/read-config.js';
import { fillTemplates } from '../study-file/fill.js';

/** What belongs to this machine, and not to a target. */
const OF_MACHINE = ['PYSPY', 'RULES_FILE'];

/**
 * A study that starts its own services is the same on every machine: settings of the user's own API,
 * its login above all, do not reach it. Where it measures an API that somebody runs, they do.
 * @param {import('../study-file.d.ts').Study} study
 * @param {object} options
 * @param {Record<string, unknown>} options.names of templates
 * @param {string} options.target URL
 * @param {string} options.folder of the study, in which there are no settings
 * @returns {import('../../config/read-config.js').Config}
 * @throws {import('../../errors.js').LoadflameError} SETTING_…
 */
export function readCellConfig(study, { names, target, folder }) {
  const filled = Object.entries(fillTemplates(study.settings, names, { at: 'settings' }));
  const settings = Object.fromEntries(filled.map(([name, value]) => [name, String(value)]));
  const given = { flags: { ...settings, TARGET: target }, flagSource: 'study' };
  if (study.services.length === 0) return readConfig(given);
  const env = Object.fromEntries(OF_MACHINE.map(name => [name, process.env[name]]));
  return readConfig({ ...given, env, folder });
}
