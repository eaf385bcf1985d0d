/** Services that a study starts once and keeps, and the ports of all. */
import path from 'node:path';
import { allocatePorts } from '../services/allocate-ports.js';
import { startServices } from '../services/start-services.js';
import { matchesFactors } from '../study-file/matrix.js';
import { namesFor } from '../study-file/names.js';

/** @import { RunningServices } from '../services/start-services.js' */
/** @import { Variant } from '../../facts/study-records.d.ts' */
/** @import { Attempt } from './run-study.js' */

/**
 * @typedef {object} SharedServices
 * @property {(variant: Variant) => Promise<{ports: Record<string, number[]>, services: RunningServices}>} start
 *   what a variant needs and is not there yet; throws as `startServices`
 * @property {() => Promise<void>} stop
 */

/**
 * @param {Pick<Attempt, 'plan' | 'files' | 'redactor' | 'secrets' | 'work' | 'signal' | 'onProgress' | 'onNote'>} attempt
 * @returns {SharedServices}
 */
export function createSharedServices({ plan, files, work: root, ...common }) {
  const { study } = plan;
  const kept = study.services.filter(({ scope }) => scope === 'study');
  /** Ports of what is kept stay; else each block gets new ones. @type {Record<string, number[]> | null} */
  let ports = null;
  /** @type {Map<string, RunningServices>} */
  const running = new Map();
  let starts = 0;
  const { services: logs } = files;

  return {
    async start(variant) {
      ports = kept.length > 0 && ports ? ports : await allocatePorts(study.ports);
      const needed = kept.filter(({ when }) => matchesFactors(when, variant.factors));
      for (const service of needed) {
        if (running.has(service.name)) continue;
        starts++;
        const work = path.join(root, `kept-${starts}`);
        const names = namesFor(study, variant, { ports, work });
        const started = await startServices([service], { ...common, logs, names, work });
        running.set(service.name, started);
        // The next block gets a new one.
        void started.failure.then(() => running.delete(service.name));
      }
      const all = needed.flatMap(({ name }) => running.get(name) ?? []);
      return {
        ports,
        services: {
          pids: new Map(all.flatMap(({ pids }) => [...pids])),
          failure: Promise.race(all.map(({ failure }) => failure)),
          stop: async () => {},
        },
      };
    },
    async stop() {
      for (const services of [...running.values()].toReversed()) await services.stop();
      running.clear();
    },
  };
}
