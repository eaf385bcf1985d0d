/** The services of one variant. */
import { once } from 'node:events';
import { connect } from 'node:net';
import path from 'node:path';
import { LoadflameError } from '../../../base/errors.js';
import { makeFolder } from '../../../base/files/own-files.js';
import { sendGet } from '../../../base/files/read-body.js';
import { createRedactor } from '../../../base/files/redaction.js';
import { throwIfInterrupted } from '../../../base/process/interruptible.js';
import {
  describeEnd,
  publishLog,
  readLog,
  refuseMissing,
  shell,
  tailLog,
} from '../../server/run-command.js';
import { findProgram, startGroup } from '../../server/start-group.js';
import { waitUntilReady } from '../../server/wait-until-ready.js';
import { nameVariable } from '../analysis/matrix.js';
import { fillTemplates } from '../study-file/variables.js';
import { makeEnvironment, pickSecrets } from './service-environment.js';

/** @import { Redactor } from '../../../base/files/redaction.js' */
/** @import { Ready, Service } from '../../../run/facts/study-file.d.ts' */
/** @import { OwnedGroup, Surroundings } from '../../server/start-group.js' */

/**
 * @typedef {object} RunningServices
 * @property {Map<string, number>} pids service → pid of its program
 * @property {() => Promise<void>} stop all, the last one first; idempotent
 * @property {Promise<LoadflameError>} failure resolves with STUDY_SERVICE_DIED as soon as one ends that
 *   was not stopped; never settles otherwise
 */

/**
 * Starts services in their order, each one when the one before it is ready. If one fails, those before it are
 * stopped.
 * @param {Service[]} services may contain templates
 * @param {object} options
 * @param {Record<string, string>} options.variables of the study; each service also gets its own port
 * @param {string} options.cwd where they run
 * @param {string} options.live folder of ours for their output until they have ended
 * @param {string} options.logs folder; each service gets a file in it when it has ended
 * @param {Record<string, string>} [options.secrets] for the services that name them
 * @param {Pick<Redactor, 'redactText'>} [options.redactor] for what the logs contain
 * @param {AbortSignal} options.signal ends the start; later `stop` does
 * @param {(text: string) => void} [options.onProgress] `redis: starting`
 * @returns {Promise<RunningServices>}
 * @throws {LoadflameError} as `startService`
 */
export async function startServices(services, options) {
  const { variables, cwd, live, logs, secrets = {}, redactor = createRedactor() } = options;
  const { signal, onProgress = () => {} } = options;
  makeFolder(live);
  makeFolder(logs);
  /** @type {RunningService[]} */
  const running = [];
  const stop = async () => {
    for (const service of running.toReversed()) await service.stop();
  };
  try {
    for (const service of services) {
      const { name } = service;
      const own = { ...variables, STUDY_PORT: variables[nameVariable('PORT', name)] ?? '' };
      const { env, ready } = fillTemplates({ env: service.env, ready: service.ready }, own, {
        at: `services.${name}`,
      });
      const log = path.join(live, `${name}.log`);
      const publish = () => publishLog(log, path.join(logs, `${name}.log`), redactor.redactText);
      const surroundings = {
        cwd,
        env: makeEnvironment({ ...own, ...env, ...pickSecrets(secrets, service.secrets) }, cwd),
        log,
      };
      throwIfInterrupted(signal);
      onProgress(`${name}: starting`);
      const one = await startService({ ...service, ready }, surroundings, signal).catch(
        async error => {
          await publish();
          throw error;
        },
      );
      /** @type {Promise<void> | undefined} */
      let stopped;
      running.push({ ...one, stop: () => (stopped ??= one.stop().then(publish)) });
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

/**
 * @typedef {object} RunningService
 * @property {string} name
 * @property {number} pid
 * @property {() => Promise<void>} stop
 * @property {Promise<LoadflameError>} failure STUDY_SERVICE_DIED when it ends before it is stopped
 */

/**
 * @param {Service} service without templates
 * @param {Surroundings} surroundings
 * @param {AbortSignal} signal
 * @returns {Promise<RunningService>} ready
 * @throws {LoadflameError} STUDY_PROGRAM_MISSING, STUDY_SERVICE_ENDED, STUDY_SERVICE_NOT_READY, INTERRUPTED
 */
async function startService(service, surroundings, signal) {
  const { name } = service;
  const group = startGroup(shell(service.command), surroundings, service.stopSignal);
  try {
    await untilReady(service, group, surroundings.log, signal);
  } catch (error) {
    await group.stop();
    throw error;
  }
  let isStopping = false;
  /** @type {PromiseWithResolvers<LoadflameError>} */
  const { promise: failure, resolve } = Promise.withResolvers();
  group.ended.then(async end => {
    if (isStopping) return;
    const tail = tailLog(surroundings.log);
    // What a dead leader leaves behind (the workers of nginx) would keep its port.
    await group.stop();
    resolve(
      new LoadflameError('STUDY_SERVICE_DIED', { service: name, end: describeEnd(end), tail }),
    );
  });
  const stop = () => {
    isStopping = true;
    return group.stop();
  };
  return { name, pid: findProgram(group.pid), stop, failure };
}

/**
 * @param {Service} service
 * @param {OwnedGroup} group
 * @param {string} log
 * @param {AbortSignal} signal
 */
async function untilReady({ name, ready }, group, log, signal) {
  const isReady = async (/** @type {AbortSignal} */ endOfWait) => {
    const { port, url, log: pattern } = ready;
    if (port !== undefined) return canConnect(Number(port), endOfWait);
    if (url !== undefined) return answers(url, endOfWait);
    return pattern === undefined || new RegExp(pattern, 'm').test(readLog(log));
  };
  const seconds = ready.timeoutSec;
  const end = await waitUntilReady(group, isReady, { seconds, signal });
  if (end === null) return;
  const tail = tailLog(log);
  if (end === 'late')
    throw new LoadflameError('STUDY_SERVICE_NOT_READY', {
      service: name,
      seconds,
      why: describeWait(ready),
      tail,
    });
  refuseMissing(end, `the service ${name}`, tail);
  const hint =
    'its command has to stay in the foreground (nginx: `daemon off;`, redis-server: `--daemonize no`)';
  const data = { service: name, end: describeEnd(end), tail };
  throw new LoadflameError('STUDY_SERVICE_ENDED', data, end.exitCode === 0 ? { hint } : {});
}

const LOOK_TIMEOUT_MS = 2_000;

/** @param {Ready} ready @returns {string} the condition that it still waits for */
function describeWait({ port, url, log }) {
  if (port !== undefined) return `nothing listens on 127.0.0.1:${port}`;
  return url !== undefined ? `${url} does not respond with 2xx` : `its log does not say /${log}/`;
}

/** @param {number} port @param {AbortSignal} signal */
async function canConnect(port, signal) {
  const socket = connect({ port, host: '127.0.0.1' });
  const connected = await once(socket, 'connect', { signal: within(signal) }).catch(() => null);
  socket.destroy();
  return connected !== null;
}

/** @param {string} url @param {AbortSignal} signal */
async function answers(url, signal) {
  try {
    const response = await sendGet(new URL(url), { signal: within(signal) });
    response.destroy();
    return Math.floor((response.statusCode ?? 0) / 100) === 2;
  } catch {
    return false;
  }
}

/** @param {AbortSignal} signal */
function within(signal) {
  return AbortSignal.any([signal, AbortSignal.timeout(LOOK_TIMEOUT_MS)]);
}
