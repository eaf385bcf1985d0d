/** The services of one variant, or of the whole study. */
import { chmodSync, lchownSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { LoadflameError } from '../../errors.js';
import { makeFolder } from '../../files/own-files.js';
import { createRedactor } from '../../files/redaction.js';
import { replaceFile } from '../../files/replace-file.js';
import { throwIfInterrupted } from '../../process/interruptible.js';
import { fillTemplates } from '../study-file/fill.js';
import { listCopies } from '../study-file/names.js';
import {
  describeEnd,
  measureLog,
  publishLog,
  requireProgram,
  runCommand,
  tailLog,
} from './run-command.js';
import { findUser, makeEnvironment, pickSecrets } from './service-environment.js';
import { startGroup } from './start-group.js';
import { describeWait, isOpen, waitUntilReady } from './wait-until-ready.js';

/** @import { ChildEnd } from '../../process/child.js' */
/** @import { Redactor } from '../../files/redaction.js' */
/** @import { Service } from '../../facts/study-file.d.ts' */
/** @import { User } from './service-environment.js' */
/** @import { OwnedGroup, Surroundings } from './start-group.js' */

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
 * @param {string} options.logs folder; each service gets a file in it when it has ended
 * @param {Record<string, string>} [options.secrets] for the services that name them
 * @param {Pick<Redactor, 'redactText'>} [options.redactor] of what is in them
 * @param {AbortSignal} options.signal ends the start; later `stop` does
 * @param {(text: string) => void} [options.onProgress] `redis: starting`
 * @param {(line: string) => void} [options.onNote] what its user should know
 * @returns {Promise<RunningServices>}
 * @throws {LoadflameError} as `startService`
 */
export async function startServices(services, options) {
  const { names, work, logs, redactor = createRedactor(), signal, onProgress } = options;
  const { secrets = {}, onNote = () => {} } = options;
  checkPrograms(services, names);
  const copies = services.flatMap(service => listCopies(service, names));
  makeFolder(work);
  makeFolder(logs);
  // Another user passes through, and sees nothing but its own folder.
  if (services.some(({ user }) => user !== null)) chmodSync(work, 0o711);
  /** @type {RunningService[]} */
  const running = [];
  const stop = async () => {
    for (const service of running.toReversed()) await service.stop();
  };
  try {
    for (const service of copies) {
      const dir = path.join(work, service.name);
      const filled = fillService(service, names, dir);
      const log = `${dir}.log`;
      const publish = () =>
        publishLog(log, path.join(logs, `${service.name}.log`), redactor.redactText);
      const one = await startService(filled, { dir, log, secrets, signal, onProgress }).catch(
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
      if (await isOpen(filled.command, one.pid))
        onNote(
          `warning: the service ${service.name} accepts commands from every user of this machine: it asks for no password; give it {{ password }} (docs/studies.md)`,
        );
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
 * @property {number} pid of the process that its command became
 * @property {() => Promise<void>} stop
 * @property {Promise<LoadflameError>} failure STUDY_SERVICE_DIED when it ends before it is stopped
 */

/**
 * @param {Service} service without templates
 * @param {{dir: string, log: string, secrets: Record<string, string>, signal: AbortSignal, onProgress?: (text: string) => void}} options
 * @returns {Promise<RunningService>} ready
 * @throws {LoadflameError} STUDY_USER_UNKNOWN, STUDY_FILE_OUTSIDE, STUDY_PROGRAM_MISSING,
 *   STUDY_COMMAND_FAILED, STUDY_SERVICE_ENDED, STUDY_SERVICE_NOT_READY, INTERRUPTED
 */
async function startService(service, { dir, log, secrets, signal, onProgress = () => {} }) {
  const { name, install } = service;
  const owner = `the service ${name}`;
  const user = await findUser(service.user, name);
  makeServiceFolder(dir, service, user);
  const surroundings = {
    cwd: path.resolve(dir, service.cwd ?? '.'),
    // The home of who we are is closed to somebody else.
    env: makeEnvironment({
      ...(user ? { HOME: dir } : {}),
      ...service.env,
      ...pickSecrets(secrets, service.secrets),
    }),
    user,
    log,
  };
  /** @param {string[][]} commands */
  const runAll = async commands => {
    for (const command of commands) {
      onProgress(`${name}: ${path.basename(command[0] ?? '')}`);
      await runCommand(command, surroundings, { owner, install, signal });
    }
  };
  throwIfInterrupted(signal);
  await runAll(service.prepare);
  requireProgram(service.command, surroundings, { owner, install });
  const logFrom = measureLog(surroundings.log);
  onProgress(`${name}: starting`);
  const group = startGroup(service.command, surroundings, service.stopSignal);
  try {
    await untilReady(service, group, { surroundings, logFrom }, signal);
    await runAll(service.after);
  } catch (error) {
    await group.stop();
    throw error;
  }
  let isStopping = false;
  /** @type {PromiseWithResolvers<LoadflameError>} */
  const { promise: failure, resolve } = Promise.withResolvers();
  group.ended.then(async end => {
    if (isStopping) return;
    const tail = tailLog(surroundings.log, logFrom);
    // What a dead leader leaves (the workers of nginx) would keep its port.
    await group.stop();
    resolve(
      new LoadflameError('STUDY_SERVICE_DIED', { service: name, end: describeEnd(end), tail }),
    );
  });
  const stop = () => {
    isStopping = true;
    return group.stop();
  };
  return { name, pid: group.pid, stop, failure };
}

/**
 * @param {Service} service
 * @param {OwnedGroup} group
 * @param {{surroundings: Surroundings, logFrom: number}} look
 * @param {AbortSignal} signal
 */
async function untilReady(service, group, look, signal) {
  const over = new AbortController();
  const timeout = AbortSignal.timeout(service.readyTimeoutSec * 1000);
  const endOfWait = AbortSignal.any([signal, timeout, over.signal]);
  group.ended.then(() => over.abort());
  const { surroundings, logFrom } = look;
  const log = surroundings.log;
  await waitUntilReady(service.ready, look, endOfWait).catch(cause => {
    if (!endOfWait.aborted) throw cause;
  });
  throwIfInterrupted(signal);
  // A port that somebody else has looks ready, while the service finds it taken and ends.
  if (!group.isAlive())
    throw describeEarlyEnd(service.name, await group.ended, tailLog(log, logFrom));
  if (!endOfWait.aborted) return;
  throw new LoadflameError('STUDY_SERVICE_NOT_READY', {
    service: service.name,
    seconds: service.readyTimeoutSec,
    why: describeWait(service.ready),
    tail: tailLog(log, logFrom),
  });
}

/** @param {string} service @param {ChildEnd} end @param {string} tail */
function describeEarlyEnd(service, end, tail) {
  const hint =
    end.exitCode === 0
      ? 'its command has to stay in the foreground (nginx: `daemon off;`, redis-server: `--daemonize no`)'
      : undefined;
  const data = { service, end: describeEnd(end), tail };
  return new LoadflameError('STUDY_SERVICE_ENDED', data, hint ? { hint } : {});
}

/**
 * Nothing is written into a folder that is given away: its user could put a link there, for us to write through.
 * @param {string} dir that is not there yet, where it is given away
 * @param {Service} service
 * @param {User | null} user who owns it in the end
 */
function makeServiceFolder(dir, { name, files }, user) {
  makeFolder(dir, { isNew: user !== null });
  for (const [file, text] of Object.entries(files)) {
    const target = path.resolve(dir, file);
    const [first] = path.relative(dir, target).split(path.sep);
    if (first === '..' || first === '')
      throw new LoadflameError('STUDY_FILE_OUTSIDE', { service: name, file });
    replaceFile(target, text, { code: 'RUN_FOLDER_UNWRITABLE' });
  }
  if (!user) return;
  // The folder itself last: until then nobody else gets to what is in it.
  const entries = readdirSync(dir, { recursive: true, encoding: 'utf8' });
  for (const entry of [...entries, '.']) lchownSync(path.join(dir, entry), user.uid, user.gid);
}

/**
 * Are the programs of these services there? Before the first is started: a long start for nothing is a
 * nuisance. What is named by its path may be made by the service itself, and is looked for later.
 * @param {Service[]} services may hold templates
 * @param {Record<string, unknown>} names for them; `dir` is not needed
 * @throws {LoadflameError} STUDY_PROGRAM_MISSING
 */
export function checkPrograms(services, names) {
  for (const unfilled of services.flatMap(service => listCopies(service, names))) {
    const service = fillService(unfilled, names, '/');
    const { ready } = service;
    const surroundings = { env: makeEnvironment(service.env), cwd: '/' };
    const looks = ready.kind === 'command' ? [ready.command] : [];
    for (const command of [...service.prepare, service.command, ...service.after, ...looks]) {
      if (command[0]?.includes('/')) continue;
      const owner = `the service ${service.name}`;
      requireProgram(command, surroundings, { owner, install: service.install });
    }
  }
}

/**
 * @param {Service} service @param {Record<string, unknown>} names
 * @param {string} dir the service's own folder
 * @returns {Service} without templates
 */
function fillService(service, names, dir) {
  return fillTemplates(service, { ...names, dir }, { at: `services.${service.name}` });
}
