/** Programs that run in a container of a pod, as `kubectl exec` has them. */
import { PassThrough, Writable } from 'node:stream';
import { plainLine } from '../../plain-text.js';

/** @import { KubeConfig } from '@kubernetes/client-node' */
/** @import { LoadflameError } from '../../errors.js' */

/** Of what `run` keeps: a list of processes has some kilobytes. */
const MOST_BYTES = 1 << 20;
const TIMEOUT_MS = 20_000;
const NOT_OPENED = /Unexpected server response: (\d+)/;

/** @typedef {{pod: string, container: string}} Place */
/** @typedef {{exitCode: number | null, reason: string}} ProgramEnd `exitCode` null: it is not told, and the reason says why */

/**
 * @typedef {object} PodProgram
 * @property {Promise<ProgramEnd>} ended never rejects
 * @property {() => void} endInput closes what it reads from, where it reads
 * @property {() => void} leave the connection ends now, and its program is told by its input and output
 */

/**
 * @typedef {object} StartOptions
 * @property {(bytes: Buffer) => void} onOutput
 * @property {(bytes: Buffer) => void} onError
 * @property {boolean} [reads] from its standard input, which stays open until `endInput`
 */

/**
 * @param {KubeConfig} login
 * @param {string} namespace
 * @param {(status: number, where: {pod?: string, said: string}) => LoadflameError} refuse 0: there was no answer
 */
export function createExec(login, namespace, refuse) {
  /**
   * @param {Place} where
   * @param {string[]} command
   * @param {StartOptions} options
   * @returns {Promise<PodProgram>} when it runs
   * @throws {LoadflameError} KUBE_…
   */
  const start = async ({ pod, container }, command, { onOutput, onError, reads = false }) => {
    const { Exec } = await import('@kubernetes/client-node');
    /** @type {(end: ProgramEnd) => void} */
    let settle = () => {};
    /** @type {Promise<ProgramEnd>} */
    const ended = new Promise(resolve => {
      settle = resolve;
    });
    const input = reads ? new PassThrough() : null;
    const opening = new Exec(login).exec(
      ...[encodeURIComponent(namespace), encodeURIComponent(pod), container, command],
      ...[collect(onOutput), collect(onError), input, false],
      status => settle(readStatus(status)),
    );
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error('it takes too long')), TIMEOUT_MS);
    });
    try {
      const socket = /** @type {import('ws').WebSocket} */ (await Promise.race([opening, late]));
      socket.on('close', () => settle({ exitCode: null, reason: 'the connection broke' }));
      return {
        ended,
        endInput: () => input?.end('\n'),
        leave: () => socket.terminate(),
      };
    } catch (error) {
      // Should it be opened after all, it is left at once.
      opening.then(socket => socket.close()).catch(() => {});
      const said = plainLine(String(/** @type {Error} */ (error).message)).slice(0, 300);
      throw refuse(Number(NOT_OPENED.exec(said)?.[1] ?? 0), { pod, said });
    } finally {
      clearTimeout(timer);
    }
  };

  /**
   * Runs one to its end.
   * @param {Place} where
   * @param {string[]} command
   * @param {AbortSignal} [signal]
   * @returns {Promise<ProgramEnd & {stdout: string, stderr: string}>}
   * @throws {LoadflameError} KUBE_…
   */
  const run = async (where, command, signal) => {
    const outputs = [createOutput(), createOutput()];
    const [stdout, stderr] = /** @type {[Output, Output]} */ (outputs);
    const program = await start(where, command, { onOutput: stdout.add, onError: stderr.add });
    const limit = AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), ...(signal ? [signal] : [])]);
    limit.addEventListener('abort', program.leave, { once: true });
    if (limit.aborted) program.leave();
    const end = await program.ended;
    limit.removeEventListener('abort', program.leave);
    return { ...end, stdout: stdout.text(), stderr: stderr.text() };
  };
  return { start, run };
}

/** @typedef {ReturnType<typeof createOutput>} Output */

/** The beginning of what is printed. */
function createOutput() {
  /** @type {Buffer[]} */
  const parts = [];
  let bytes = 0;
  return {
    /** @param {Buffer} part */
    add: part => {
      if (bytes < MOST_BYTES) parts.push(part.subarray(0, MOST_BYTES - bytes));
      bytes += part.length;
    },
    text: () => Buffer.concat(parts).toString(),
  };
}

/** @param {(bytes: Buffer) => void} onBytes */
function collect(onBytes) {
  const stream = new Writable({
    write(bytes, _encoding, done) {
      onBytes(bytes);
      done();
    },
  });
  // What comes after the end is of no program.
  return stream.on('error', () => {});
}

/** @param {import('@kubernetes/client-node').V1Status} status @returns {ProgramEnd} */
function readStatus({ status, message = '', details }) {
  if (status === 'Success') return { exitCode: 0, reason: '' };
  const code = details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message;
  return { exitCode: code ? Number(code) : null, reason: plainLine(message).slice(0, 300) };
}
