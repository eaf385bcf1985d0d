/** The target of a block: its services, its gunicorn with so many workers, its lists. */
import path from 'node:path';
import { findGunicorn } from '../../target/find-gunicorn.js';
import { harvestLists } from '../lists/harvest-lists.js';
import { resizeGunicorn } from '../services/resize-gunicorn.js';
import { startServices } from '../services/start-services.js';
import { fillTemplates } from '../study-file/fill.js';
import { matchesFactors } from '../study-file/matches-factors.js';
import { namesFor } from '../study-file/names.js';
import { readCellConfig } from './cell-config.js';
import { fillRecord } from './fill-record.js';
import { findVariant } from './find-variant.js';
import { nameBlock } from './name-cell.js';
import { makeWorkFolder } from './study-folder.js';

/** @import { Block } from '../study-records.d.ts' */

/**
 * @typedef {object} BlockTarget
 * @property {string} url
 * @property {(step: number) => Record<string, unknown>} names of templates
 * @property {import('../../config/read-config.js').Config} config of its runs
 * @property {number | null} gunicornPid
 * @property {Record<string, unknown>[]} payload lists that were harvested
 * @property {import('./fill-record.js').FilledRecord} record
 * @property {Promise<import('../../errors.js').LoadflameError>} failure of a service; never settles otherwise
 * @property {() => Promise<void>} stop
 */

/**
 * @param {import('./run-study.js').Attempt} attempt
 * @param {Block} block
 * @param {string} work temporary folder of its services, to be made
 * @returns {Promise<BlockTarget>} when it is ready
 * @throws {import('../../errors.js').LoadflameError} what its parts throw; nothing of the block is at work then
 */
export async function startTarget(attempt, block, work) {
  const { plan, files, signal, onProgress } = attempt;
  const { study } = plan;
  const variant = findVariant(plan, block.variant);
  const name = nameBlock(plan, block);
  makeWorkFolder(work);
  const { ports, services: kept } = await attempt.kept.start(variant);
  const names = namesFor(study, variant, { ports, work });
  const own = study.services.filter(
    ({ scope, when }) => scope === 'variant' && matchesFactors(when, variant.factors),
  );
  const logs = path.join(files.services, name);
  const started = await startServices(own, { names, work, logs, signal, onProgress });
  try {
    const pids = new Map([...kept.pids, ...started.pids]);
    const at = { where: ` in the variant ${variant.id}` };
    const url = String(fillTemplates(study.target.url, names, { at: 'target.url', ...at }));
    const gunicornPid = await findTargetGunicorn(study.target.gunicorn, { pids, names });
    await resize(attempt, gunicornPid, names);
    if (study.lists.length > 0) onProgress('harvesting lists …');
    const folder = path.join(files.lists, name);
    const studyDir = path.dirname(study.file);
    const lists = fillTemplates(study.lists, names, { at: 'lists', ...at });
    const { payload } = await harvestLists(lists, {
      url,
      folder,
      studyDir,
      ports: Object.values(ports).flat(),
      signal,
    });
    return {
      url,
      names: step => namesFor(study, variant, { ports, work, step }),
      config: readCellConfig(study, { names, target: url, folder: files.folder }),
      gunicornPid,
      payload,
      record: fillRecord(study.record, { names, pids, url }),
      failure: Promise.race([kept.failure, started.failure]),
      stop: started.stop,
    };
  } catch (error) {
    await started.stop();
    throw error;
  }
}

/**
 * @param {import('../study-file.d.ts').Target['gunicorn']} gunicorn
 * @param {{pids: Map<string, number>, names: Record<string, unknown>}} options
 * @returns {Promise<number | null>} null: this variant has none
 */
async function findTargetGunicorn(gunicorn, { pids, names }) {
  // Some variants may do without it.
  if (gunicorn === null || ('service' in gunicorn && !pids.has(gunicorn.service))) return null;
  const filled = fillTemplates(gunicorn, names, { at: 'target.gunicorn' });
  const where =
    'service' in filled
      ? { childPid: pids.get(filled.service) ?? null }
      : 'pidFile' in filled
        ? { pidFile: String(filled.pidFile) }
        : { pid: Number(filled.pid) };
  return (await findGunicorn(where)).masterPid;
}

/**
 * In place: an API that runs on keeps its caches and its code.
 * @param {import('./run-study.js').Attempt} attempt
 * @param {number | null} gunicornPid
 * @param {Record<string, unknown>} names
 */
async function resize({ plan, signal, onProgress }, gunicornPid, names) {
  const { workers } = plan.study.target;
  if (workers === null || gunicornPid === null) return;
  const count = Number(fillTemplates(workers, names, { at: 'target.workers' }));
  onProgress(`changing gunicorn to ${count} workers …`);
  await resizeGunicorn(gunicornPid, count, { signal });
}
