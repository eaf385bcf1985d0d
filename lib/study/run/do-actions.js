/** What a study does to its target beside the load: `prepare` before each block, `reset` between two cells. */
import path from 'node:path';
import { readProbe } from '../../record/probes/read-probe.js';
import { runActions } from '../services/run-actions.js';
import { publishLog } from '../services/run-command.js';

/** @import { Attempt } from './run-study.js' */
/** @import { BlockTarget } from './start-target.js' */

/**
 * @param {Attempt} attempt
 * @param {'prepare' | 'reset'} at
 * @param {Pick<BlockTarget, 'url' | 'access' | 'record' | 'config'>} target
 * @param {{names: Record<string, unknown>, signal: AbortSignal}} options `names` of templates
 * @throws {LoadflameError} as `runActions`
 */
export async function doActions({ plan, files, redactor, work }, at, target, { names, signal }) {
  const log = path.join(work, `${at}.log`);
  const { url, access, config } = target;
  await runActions(plan.study[at] ?? [], {
    ...{ at, names, target: url, access, log, signal },
    readProbe: name => readNamedProbe(target, name, signal),
    async connect() {
      const { connectCluster } = await import('../../record/cluster/connect.js');
      return connectCluster(config, redactor);
    },
  }).finally(() => publishLog(log, path.join(files.services, `${at}.log`), redactor.redactText));
}

/** @param {Pick<BlockTarget, 'record'>} target @param {string} name @param {AbortSignal} signal */
export function readNamedProbe({ record }, name, signal) {
  const probe = record.probes?.find(one => one.name === name);
  if (!probe) throw new TypeError(`the study has no probe ${name}`);
  return readProbe(probe, { signal });
}
