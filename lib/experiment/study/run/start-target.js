/** The target of a block: its services, the study's commands, and a login if it needs one. */
import path from 'node:path';
import { readConfig } from '../../../base/config/read-config.js';
import { saysUnchecked } from '../../../load/prepare-script.js';
import { NO_ACCESS } from '../../../record/probes/read-probe.js';
import { findServer } from '../../../record/target/find-server.js';
import { startLogin } from '../../login.js';
import { publishLog, runCommand, shell } from '../../server/run-command.js';
import { findVariant } from '../../strategies/steps.js';
import { listServers, matchesFactors } from '../analysis/matrix.js';
import { makeEnvironment, pickSecrets } from '../services/service-environment.js';
import { startServices } from '../services/start-services.js';
import { fillTemplates, makeVariables } from '../study-file/variables.js';
import { nameBlock } from './plan-cell.js';

/** @import { Config } from '../../../base/config/read-config.js' */
/** @import { Access } from '../../../record/probes/read-probe.js' */
/** @import { SessionOptions } from '../../session.js' */
/** @import { FoundServer } from '../../../record/target/find-server.js' */
/** @import { ProcessGroup, Study, Target } from '../../../run/facts/study-file.d.ts' */
/** @import { Block } from '../../../run/facts/study-records.d.ts' */
/** @import { Attempt } from './attempt.d.ts' */

/**
 * @typedef {object} BlockTarget
 * @property {string} url
 * @property {Record<string, string>} variables of the study
 * @property {Config} config of its runs
 * @property {FoundServer[]} servers
 * @property {FilledRecord} record
 * @property {Access} access for the study's own requests
 * @property {Promise<Error>} failure of a service; never settles otherwise
 * @property {() => Promise<void>} stop
 */

/**
 * @param {Attempt} attempt
 * @param {Block} block
 * @returns {Promise<BlockTarget>} when it is ready
 * @throws the errors of its parts; nothing of the block is running then
 */
export async function startTarget(attempt, block) {
  const { plan, files, redactor, secrets, places, signal, onProgress } = attempt;
  const { study } = plan;
  const variant = findVariant(plan, block.variant);
  const name = nameBlock(plan, block);
  const variables = makeVariables(study, variant, { ...places, seed: plan.seed });
  const cwd = path.dirname(study.file);
  const own = study.services.filter(({ when }) => matchesFactors(when, variant.factors));
  const started = await startServices(own, {
    ...{ variables, cwd, secrets, redactor, signal, onProgress },
    live: attempt.live,
    logs: path.join(files.services, name),
  });
  /** @type {ReturnType<typeof createTargetAccess> | null} */
  let login = null;
  const stop = async () => {
    await login?.stop();
    await started.stop();
  };
  try {
    const { pids, failure } = started;
    const { STUDY_TARGET: url = '' } = variables;
    const config = readCellConfig(study, { variables, target: url, secrets });
    for (const secret of config.secrets) redactor.add(secret, { forever: true });
    login = createTargetAccess(attempt, { target: url, config, scenario: study.scenario });
    const { access } = login;
    const servers = await findTargetServers(study.target, { pids, variables });
    const record = fillRecord(study.record, { variables, pids, url, access, cwd });
    await runStep(attempt, 'prepare', { variables, url, access, signal });
    return { url, variables, config, servers, record, access, failure, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * @param {Target} target
 * @param {{pids: Map<string, number>, variables: Record<string, string>}} options
 * @returns {Promise<FoundServer[]>} those that this variant has
 */
async function findTargetServers(target, { pids, variables }) {
  const filled = fillTemplates(listServers(target), variables, { at: 'target.gunicorn' });
  const found = filled.flatMap(one => {
    if ('service' in one) {
      const childPid = pids.get(one.service);
      return childPid === undefined ? [] : [findServer({ childPid })];
    }
    const { pidFile = null, pid = null } = /** @type {Record<string, string>} */ (one);
    return [findServer({ pidFile, pid: Number(pid) || null })];
  });
  return Promise.all(found);
}

/** Settings of this machine, not of a target. */
const OF_MACHINE = ['PROFILER', 'PYSPY', 'RULES_FILE', 'KUBECONFIG'];

/**
 * A study that starts its own services is the same on every machine: settings of the user's own API, above all its
 * login, do not reach it unless the study names them. They do where the study measures an API that the user runs.
 * @param {Study} study
 * @param {object} options
 * @param {Record<string, string>} options.variables
 * @param {string} options.target URL
 * @param {Record<string, string>} options.secrets
 * @returns {Config}
 * @throws {LoadflameError} SETTING_…
 */
function readCellConfig(study, { variables, target, secrets }) {
  const filled = Object.entries(fillTemplates(study.settings, variables, { at: 'settings' }));
  const settings = Object.fromEntries(filled.map(([name, value]) => [name, String(value)]));
  const given = { flags: { ...settings, TARGET: target }, flagSource: 'study' };
  if (study.services.length === 0) return readConfig(given);
  const env = Object.fromEntries(OF_MACHINE.map(name => [name, process.env[name]]));
  const own = pickSecrets(secrets, study.secrets);
  return readConfig({ ...given, env: { ...env, ...own }, folder: null });
}

/**
 * @typedef {object} FilledRecord
 * @property {SessionOptions['processes']} processes
 * @property {SessionOptions['probes']} probes
 * @property {Record<string, number | null>} componentsMost most cores that a group can use; null: all
 */

/**
 * @param {Study['record']} record
 * @param {{variables: Record<string, string>, pids: Map<string, number>, url: string, access: Access, cwd: string}} options
 *   `pids` of services
 * @returns {FilledRecord} without groups of services that this variant lacks
 */
function fillRecord({ processes, probes }, { variables, pids, url, access, cwd }) {
  const groups = fillTemplates(processes, variables, { at: 'record.processes' }).filter(
    ({ service }) => service === undefined || pids.has(service),
  );
  return {
    processes: groups.map(group => ({
      name: group.name,
      members: group.members,
      selector: toSelector(group, pids),
    })),
    probes: probes.map(probe => ({
      ...probe,
      access,
      url: probe.url
        ? new URL(fillTemplates(probe.url, variables, { at: 'record.probes' }), url).href
        : null,
      command: probe.command ? shell(probe.command) : null,
      surroundings: { cwd, env: makeEnvironment(variables, cwd) },
    })),
    componentsMost: Object.fromEntries(
      groups.map(({ name, cores }) => [name, cores === undefined ? null : Number(cores)]),
    ),
  };
}

/** @param {ProcessGroup} group @param {Map<string, number>} pids */
function toSelector({ service, pidFile, port, commandLine }, pids) {
  if (service !== undefined) return { pid: pids.get(service) ?? 0 };
  if (pidFile !== undefined) return { pidFile };
  if (port !== undefined) return { port: Number(port) };
  return { commandLine: String(commandLine) };
}

/**
 * Runs a command of the study, if it has one. It gets the token of the target's login, if there is one.
 * @param {Pick<Attempt, 'plan' | 'files' | 'redactor' | 'secrets' | 'live' | 'onProgress'>} attempt
 * @param {'setup' | 'prepare' | 'reset' | 'cleanup'} name
 * @param {{variables: Record<string, string>, url?: string, access?: Access, signal: AbortSignal}} options
 *   `url` of the target
 * @throws {LoadflameError} as `runCommand`, and those of the login
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

/**
 * One login per block, made when the first request needs it; its token is renewed before it expires. A failed login
 * is not retried, because providers lock accounts. Origins other than the target's never get the token.
 * @param {Pick<Attempt, 'redactor' | 'insecure' | 'onProgress' | 'onNote'>} attempt
 * @param {{target: string, config: Config, scenario: Study['scenario']}} options
 * @returns {{access: Access, stop: () => Promise<void>}}
 */
function createTargetAccess(attempt, { target, config, scenario }) {
  const { redactor, insecure, onProgress, onNote } = attempt;
  const { origin } = new URL(target);
  const isUnchecked = insecure || saysUnchecked(JSON.stringify(scenario));
  /** @type {ReturnType<typeof startLogin> | null} */
  let login = null;
  return {
    async access(place) {
      if (place.origin !== origin) return {};
      login ??= startLogin(config, redactor, { target, onProgress, onNote });
      const token = (await login)?.tokens.tokens()[0];
      return {
        ...(isUnchecked && { rejectUnauthorized: /** @type {const} */ (false) }),
        ...(token && { headers: { authorization: `Bearer ${token}` } }),
      };
    },
    async stop() {
      await (await login?.catch(() => null))?.stop();
    },
  };
}
