/** The script of a cell: the study's scenario with its target, its load and its lists. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makePathsAbsolute } from '../../record/load/script/absolute-paths.js';
import { readScript } from '../../record/load/script/read-script.js';
import { PLATEAU } from '../measure/find-plateau.js';
import { fillTemplates } from '../study-file/fill.js';

/** @import { Study } from '../study-file.d.ts' */
/** @import { CellKey } from '../study-records.d.ts' */

/**
 * More seconds' worth of open arrivals than this are never under way at once: the target is past all
 * use then, and memory is not endless. `MAX_VIRTUAL_USERS` of the study's settings says it otherwise.
 */
const BACKLOG_SEC = 5;
const LEAST_USERS = 100;

/**
 * @param {object} options
 * @param {Study} options.study
 * @param {CellKey} options.cell
 * @param {string} options.file to write, JSON
 * @param {string} options.target URL
 * @param {Record<string, unknown>} options.names of templates; others are Artillery's
 * @param {Record<string, unknown>[]} options.payload lists that were harvested
 * @throws {import('../../errors.js').LoadflameError} SCRIPT_…, STUDY_…
 */
export function writeCellScript({ study, cell, file, target, names, payload }) {
  const script = readScenario(study, names);
  const { config = {} } = script;
  const lists = [...payload, ...[config.payload ?? []].flat()];
  const whole = {
    ...script,
    config: {
      ...config,
      target,
      phases: planPhases(study, cell.step),
      ...(lists.length > 0 && { payload: lists }),
    },
  };
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(whole, null, 2)}\n`);
}

/**
 * The same load twice: before it is measured, and while it is.
 * @param {Study} study
 * @param {number} step
 * @returns {Record<string, unknown>[]}
 */
export function planPhases({ load, warmUpSec, durationSec, settings }, step) {
  const most = settings.MAX_VIRTUAL_USERS ?? Math.max(LEAST_USERS, Math.ceil(step * BACKLOG_SEC));
  const level =
    load.model === 'closed' ? { users: step } : { arrivalRate: step, maxVusers: Number(most) };
  return [
    { name: 'warm-up', duration: warmUpSec, ...level },
    { name: PLATEAU, duration: durationSec, ...level },
  ];
}

/**
 * Paths in a scenario are relative to the file that it stands in.
 * @param {Study} study
 * @param {Record<string, unknown>} names
 * @returns {Record<string, any>}
 */
function readScenario({ scenario, file }, names) {
  const source =
    'script' in scenario
      ? readScript(
          path.resolve(
            path.dirname(file),
            fillTemplates(scenario.script, names, { at: 'scenario' }),
          ),
        )
      : { file, script: scenario.inline, locate: () => file };
  const filled = fillTemplates(source.script, names, { at: 'scenario', keepUnknown: true });
  filled.config ??= {};
  makePathsAbsolute(filled, /** @type {any} */ (source));
  return filled;
}
