/** The services of one variant, or of the whole study. */
import { chmodSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { checkPrograms, fillService } from './check-programs.js';
import { startService } from './start-service.js';

/** @typedef {import('../study-file.d.ts').Service} Service */
/** @typedef {import('../../errors.js').LoadflameError} LoadflameError */

/**
 * @typedef {object} RunningServices
 * @property {Map<string, number>} pids service → pid of the process that its command became
 * @property {() => Promise<void>} stop all, the last one first; idempotent
 * @property {Promise<LoadflameError>} failure resolves with STUDY_SERVICE_DIED as soon as one ends that
 *   was not stopped; never settles otherwise
 */

/**
 * Starts services in their order, each when the one before it is ready. When one fails, those before it
 * are stopped again.
 * @param {Service[]} services may hold templates
 * @param {object} options
 * @param {Record<string, unknown>} options.names for the templates; `dir` is added
 * @param {string} options.work absolute; each service gets a folder in it, `{{ dir }}`
 * @param {string} options.logs folder; each service gets a file in it
 * @param {AbortSignal} options.signal ends the start; later `stop` does
 * @param {(text: string) => void} [options.onProgress] `redis: starting`
 * @returns {Promise<RunningServices>}
 * @throws {LoadflameError} as `startService`
 */
export async function startServices(services, { names, work, logs, signal, onProgress }) {
  checkPrograms(services, names);
  mkdirSync(work, { recursive: true });
  // Another user passes through, and sees nothing but its own folder.
  if (services.some(({ user }) => user !== null)) chmodSync(work, 0o711);
  /** @type {import('./start-service.js').RunningService[]} */
  const running = [];
  const stop = async () => {
    for (const service of running.toReversed()) await service.stop();
  };
  try {
    for (const service of services) {
      const dir = path.join(work, service.name);
      const filled = fillService(service, names, dir);
      running.push(await startService(filled, { dir, logs, signal, onProgress }));
      const dead = await Promise.race([...running.map(one => one.failure), Promise.resolve(null)]);
      if (dead) throw dead;
    }
  } catch (error) {
    await stop();
    throw error;
  }
  const pids = new Map(running.map(({ name, pid }) => [name, pid]));
  return { pids, stop, failure: Promise.race(running.map(one => one.failure)) };
}
