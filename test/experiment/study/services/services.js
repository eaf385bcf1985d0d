/** Services of tests: the real servers of servers.yaml, and programs of our own that misbehave. */
import { chmodSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { makeFolder } from '../../../../lib/base/files/own-files.js';
import { quoteForShell } from '../../../../lib/base/format.js';
import { listProcesses, readStartTicks } from '../../../../lib/base/process/process-table.js';
import { allocatePorts } from '../../../../lib/experiment/study/services/allocate-ports.js';
import { startServices } from '../../../../lib/experiment/study/services/start-services.js';
import { buildService } from '../../../../lib/experiment/study/study-file/build-study.js';
import { makeVariables } from '../../../../lib/experiment/study/study-file/variables.js';
import { listDescendants } from '../../../../lib/record/target/process-family.js';
import { makeTempFolder } from '../../../helpers/temp-folder.js';

/** @typedef {import('../../../../lib/run/facts/study-file.d.ts').Service} Service */

const SERVERS = parse(readFileSync(path.join(import.meta.dirname, 'servers.yaml'), 'utf8'));
const STUDIES = path.resolve(import.meta.dirname, '../../../../studies');

/** @param {string} name a server of servers.yaml @returns {Service} */
export function findServer(name) {
  return buildService(name, SERVERS[name]);
}

/** @param {string} study one of ours @param {string} name of its service @returns {Service} */
export function findStudyService(study, name) {
  const file = path.join(STUDIES, `${study}.yaml`);
  return buildService(name, parse(readFileSync(file, 'utf8')).services[name]);
}

/** @param {string} name @param {Record<string, unknown>} data as in a study file @returns {Service} */
export function makeService(name, data) {
  return buildService(name, data);
}

/** A command of Node, for the shell. @param {string} code @param {...string} args */
export function nodeCommand(code, ...args) {
  return `exec ${[process.execPath, '-e', code, ...args].map(quoteForShell).join(' ')}`;
}

/**
 * What services are started with: ports, a folder; all are stopped with the test.
 * @param {import('node:test').TestContext} t
 * @param {string[]} [names] of services that get a port
 * @param {string} [cwd] folder of the study
 */
export async function prepareStart(t, names = [], cwd = import.meta.dirname) {
  const folder = makeTempFolder(t);
  chmodSync(folder, 0o711);
  const ports = await allocatePorts(names);
  const study = {
    file: path.join(cwd, 'study.yaml'),
    factors: [],
    target: { url: '', gunicorn: null, workers: null },
  };
  const work = path.join(folder, 'work');
  makeFolder(work);
  const variables = {
    ...makeVariables(study, { id: 'all', label: 'all', factors: {} }, { seed: 1, ports, work }),
  };
  const [live, logs] = [path.join(folder, 'live'), path.join(folder, 'logs')];
  const options = { variables, cwd, live, logs };
  /** @type {string[]} */
  const progress = [];
  /** @param {Service[]} services @param {AbortSignal} [signal] */
  const start = async (services, signal = new AbortController().signal) => {
    const onProgress = (/** @type {string} */ text) => progress.push(text);
    const running = await startServices(services, { ...options, signal, onProgress });
    t.after(running.stop);
    return running;
  };
  return { options, work, live, logs, ports, progress, start };
}

/**
 * Watches what these processes have started so far.
 * @param {Iterable<number>} pids
 * @returns {() => number[]} which of them are alive
 */
export function watchFamilies(pids) {
  const members = [...pids].flatMap(pid => [pid, ...listDescendants(pid)]);
  const born = new Map(members.map(pid => [pid, readStartTicks(pid)]));
  return () =>
    listProcesses()
      .filter(one => born.get(one.pid) === one.startTicks && one.state !== 'Z')
      .map(({ pid }) => pid);
}
