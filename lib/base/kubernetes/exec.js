/** Runs programs in a container of a pod, as `kubectl exec` and `kubectl attach` do. */
import { PassThrough, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { LoadflameError } from '../errors.js';
import { plainLine } from '../files/plain-text.js';
import { parseThrottling } from '../process/cgroups.js';
import { ATTACH, EXEC } from './permissions.js';

/** @import { KubeConfig } from '@kubernetes/client-node' */
/** @import { WebSocket } from 'ws' */
/** @import { Throttling } from '../process/cgroups.js' */
/** @import { Asked } from './permissions.js' */

/** Limit of the output that `run` keeps: a list of processes has several kilobytes. */
const MOST_CHARS = 1 << 20;
const TIMEOUT_MS = 20_000;
const NOT_OPENED = /Unexpected server response: (\d+)/;
/** How runtimes report that an image lacks a program: containerd in the status, others on standard error. */
const NO_PROGRAM = /exec: \\*"[^"]+": (?:executable file not found|.*no such file or directory)/;
/** A runtime's message has an id and several prefixes before the reason. */
const MOST_REASON = 500;

/** @typedef {{pod: string, container: string}} Place */
/** @typedef {{exitCode: number | null, reason: string}} ProgramEnd `exitCode` null: not known, for that reason */

/**
 * @typedef {object} PodProgram
 * @property {Promise<ProgramEnd>} ended never rejects
 * @property {() => void} endInput closes its standard input, if it reads it
 * @property {() => void} leave closes the connection now; the program notices by its closed input and output
 */

/**
 * @typedef {object} StartOptions
 * @property {(bytes: Buffer) => void} onOutput
 * @property {(bytes: Buffer) => void} onError
 * @property {boolean} [reads] it reads its standard input, which stays open until `endInput`
 */

/**
 * @typedef {object} Attached
 * @property {(line: string) => void} write to its standard input
 * @property {() => void} leave closes the connection; the program keeps running
 */

/**
 * @param {KubeConfig} login
 * @param {string} namespace
 * @param {(status: number, asked: Asked, said: string) => LoadflameError} refuse status 0: there was no response
 */
export function createExec(login, namespace, refuse) {
  /** @param {Promise<any>} opening @param {Asked} asked @returns {Promise<WebSocket>} */
  const waitForOpen = async (opening, asked) => {
    try {
      const socket = await Promise.race([opening, sleep(TIMEOUT_MS, null, { ref: false })]);
      if (socket) return socket;
      throw new Error('it takes too long');
    } catch (error) {
      // If it still opens, close it immediately.
      opening.then(socket => socket.close()).catch(() => {});
      const said = plainLine(String(/** @type {Error} */ (error).message)).slice(0, 300);
      throw refuse(Number(NOT_OPENED.exec(said)?.[1] ?? 0), asked, said);
    }
  };
  /** @param {Place} place */
  const addressOf = ({ pod, container }) =>
    /** @type {const} */ ([encodeURIComponent(namespace), encodeURIComponent(pod), container]);

  /**
   * @param {Place} place
   * @param {string[]} command
   * @param {StartOptions} options
   * @returns {Promise<PodProgram>} resolves when it runs
   * @throws {LoadflameError} KUBE_…
   */
  const start = async (place, command, { onOutput, onError, reads = false }) => {
    const { Exec } = await import('@kubernetes/client-node');
    /** @type {PromiseWithResolvers<ProgramEnd>} */
    const { promise: ended, resolve: settle } = Promise.withResolvers();
    const input = reads ? new PassThrough() : null;
    const opening = new Exec(login).exec(
      ...[...addressOf(place), command, collect(onOutput), collect(onError), input, false],
      status => settle(readStatus(status)),
    );
    const socket = await waitForOpen(opening, { ...EXEC, name: place.pod });
    socket.on('close', () => settle({ exitCode: null, reason: 'the connection broke' }));
    return { ended, endInput: () => input?.end('\n'), leave: () => socket.terminate() };
  };

  /**
   * Attaches to the output and the input of the container's main program.
   * @param {Place} place
   * @param {(bytes: Buffer) => void} onOutput
   * @returns {Promise<Attached>}
   * @throws {LoadflameError} KUBE_…
   */
  const attach = async (place, onOutput) => {
    const { Attach } = await import('@kubernetes/client-node');
    const input = new PassThrough();
    const streams = /** @type {const} */ ([collect(onOutput), null, input, false]);
    const opening = new Attach(login).attach(...addressOf(place), ...streams);
    const socket = await waitForOpen(opening, { ...ATTACH, name: place.pod });
    return {
      write: line => void input.write(`${line}\n`),
      leave: () => socket.close(),
    };
  };

  /**
   * Runs a program to its end.
   * @param {Place} where
   * @param {string[]} command
   * @returns {Promise<ProgramEnd & {stdout: string, stderr: string}>}
   * @throws {LoadflameError} KUBE_…
   */
  const run = async (where, command) => {
    const said = { stdout: '', stderr: '' };
    const keep = (/** @type {keyof typeof said} */ name) => (/** @type {Buffer} */ bytes) => {
      if (said[name].length < MOST_CHARS) said[name] += bytes.toString();
    };
    const program = await start(where, command, {
      onOutput: keep('stdout'),
      onError: keep('stderr'),
    });
    const timer = setTimeout(program.leave, TIMEOUT_MS);
    const end = await program.ended;
    clearTimeout(timer);
    return { ...end, ...said };
  };
  return { start, run, attach };
}

/** @param {(bytes: Buffer) => void} onBytes */
function collect(onBytes) {
  const stream = new Writable({
    write(bytes, _encoding, done) {
      onBytes(bytes);
      done();
    },
  });
  // Bytes that arrive after the end belong to no program.
  return stream.on('error', () => {});
}

/** @param {import('@kubernetes/client-node').V1Status} status @returns {ProgramEnd} */
function readStatus({ status, message = '', details }) {
  if (status === 'Success') return { exitCode: 0, reason: '' };
  const code = details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message;
  return { exitCode: code ? Number(code) : null, reason: plainLine(message).slice(0, MOST_REASON) };
}

/** An image without a shell (distroless) lacks `sh`, `cat` and `tail`. @param {ProgramEnd & {stderr: string}} end */
export function lacksProgram({ exitCode, reason, stderr }) {
  return exitCode !== 0 && NO_PROGRAM.test(`${reason} ${stderr}`);
}

/** Where a container sees its own CPU quota: cgroup v2, and v1 by the names of its controllers. */
const CPU_STAT = ['', 'cpu/', 'cpu,cpuacct/'].map(folder => `/sys/fs/cgroup/${folder}cpu.stat`);

/**
 * How often a container ran into its CPU quota, as its own cgroup reports it.
 * @param {{exec: ReturnType<typeof createExec>}} cluster
 * @param {Place} place
 * @returns {Promise<Throttling | null>} null if the cgroup does not report it
 * @throws {LoadflameError} KUBE_…, POD_NO_PROGRAM
 */
export async function readCpuStat({ exec }, place) {
  const end = await exec.run(place, ['cat', ...CPU_STAT]);
  if (lacksProgram(end)) throw new LoadflameError('POD_NO_PROGRAM', { ...place, program: 'cat' });
  return parseThrottling(end.stdout);
}
