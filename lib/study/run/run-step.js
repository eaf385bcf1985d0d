/** The commands of a study beside its services: `setup`, `prepare`, `reset`, `cleanup`. */
import path from 'node:path';
import { NO_ACCESS } from '../../record/probes/read-probe.js';
import { publishLog, runCommand } from '../services/run-command.js';
import { makeEnvironment, pickSecrets } from '../services/service-environment.js';

/** @import { Access } from '../../record/probes/read-probe.js' */
/** @import { Attempt } from './run-study.js' */

/**
 * Nothing where the study has no such command. It is told the token of the target's login, where that has one.
 * @param {Pick<Attempt, 'plan' | 'files' | 'redactor' | 'secrets' | 'live' | 'onProgress'>} attempt
 * @param {'setup' | 'prepare' | 'reset' | 'cleanup'} name
 * @param {{variables: Record<string, string>, url?: string, access?: Access, signal: AbortSignal}} options
 *   `url` of the target
 * @throws {LoadflameError} as `runCommand`, and of the login
 */
export async function runStep({ plan, files, redactor, secrets, live, onProgress }, name, options) {
  const { study } = plan;
  const command = study[name];
  if (command === undefined) return;
  const { variables, url, access = NO_ACCESS, signal } = options;
  onProgress(`${name} …`);
  const { headers } = url === undefined ? {} : await access(new URL(url));
  const token = headers?.authorization?.replace(/^Bearer /, '');
  const cwd = path.dirname(study.file);
  const log = path.join(live, `${name}.log`);
  const own = { ...variables, ...(token && { STUDY_TOKEN: token }) };
  const env = makeEnvironment({ ...own, ...pickSecrets(secrets, study.secrets) }, cwd);
  await runCommand(command, { cwd, env, log }, { owner: `\`${name}\``, signal }).finally(() =>
    publishLog(log, path.join(files.services, `${name}.log`), redactor.redactText),
  );
}
