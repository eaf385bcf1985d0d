/** gunicorn's control socket (gunicorn ≥ 25.1): the only authoritative source for its master and workers. */
import { once } from 'node:events';
import { connect } from 'node:net';
import path from 'node:path';
import { listUnixSockets } from './listening-socket.js';

/** A healthy arbiter responds within a millisecond; do not wait for a stuck one. */
const TIMEOUT_MS = 1500;

/**
 * @typedef {object} ControlInfo
 * @property {number} masterPid
 * @property {number[]} workers
 * @property {number | null} dirtyArbiterPid
 * @property {string | null} workerClass `sync`, `gthread`, …
 * @property {number | null} threads of a worker
 * @property {string | null} appName
 * @property {string[]} binds
 */

/**
 * Finds the control socket of a master, wherever its configuration puts it, among the sockets that it holds. Only
 * names that look like one are used: the application would receive a query on its own socket as a broken request.
 * @param {number} masterPid
 * @returns {string | null}
 */
export function findControlSocket(masterPid) {
  const isControl = (/** @type {string} */ file) =>
    path.isAbsolute(file) && /ctl/.test(path.basename(file));
  return listUnixSockets(masterPid).find(isControl) ?? null;
}

/**
 * Queries a gunicorn about itself.
 * @param {string} socketPath
 * @returns {Promise<ControlInfo>}
 * @throws {Error} if nothing responds, or not in gunicorn's protocol
 */
export async function readControlSocket(socketPath) {
  const ask = async (/** @type {string} */ command) => askControlSocket(socketPath, command);
  const all = await ask('show all');
  const config = await ask('show config');
  const listeners = await ask('show listeners');
  const masterPid = all.arbiter?.pid;
  if (!Number.isInteger(masterPid)) throw new Error('the response names no master');
  return {
    masterPid,
    workers: (all.web_workers ?? []).map((/** @type {{pid: number}} */ worker) => worker.pid),
    dirtyArbiterPid: all.dirty_arbiter?.pid ?? null,
    workerClass: shortWorkerClass(config.worker_class, config.threads),
    threads: Number(config.threads) || null,
    appName: typeof config.proc_name === 'string' ? config.proc_name : null,
    binds: (listeners.listeners ?? []).map((/** @type {{address: string}} */ one) =>
      String(one.address).replace(/^https?:\/\//, ''),
    ),
  };
}

/**
 * One command and its response: in both directions, 4 bytes of length (big-endian), then JSON.
 * @param {string} socketPath
 * @param {string} command
 * @returns {Promise<Record<string, any>>}
 */
async function askControlSocket(socketPath, command) {
  const socket = connect(socketPath);
  const late = new Error(`no response within ${TIMEOUT_MS} ms`);
  const timer = setTimeout(() => socket.destroy(late), TIMEOUT_MS);
  try {
    await once(socket, 'connect');
    const payload = Buffer.from(JSON.stringify({ id: 1, command, args: [] }));
    const length = Buffer.alloc(4);
    length.writeUInt32BE(payload.length);
    socket.write(Buffer.concat([length, payload]));
    let received = Buffer.alloc(0);
    for await (const chunk of socket) {
      received = Buffer.concat([received, chunk]);
      if (received.length >= 4 && received.length >= 4 + received.readUInt32BE()) break;
    }
    const answer = JSON.parse(received.subarray(4).toString('utf8'));
    if (answer.status !== 'ok') throw new Error(String(answer.error));
    return answer.data;
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}

/**
 * gunicorn reports the class as text: `<class 'gunicorn.workers.gthread.ThreadWorker'>`, or as configured.
 * @param {unknown} text @param {unknown} threads
 */
function shortWorkerClass(text, threads) {
  if (typeof text !== 'string') return null;
  const module = /gunicorn\.workers\.(\w+)\./.exec(text)?.[1];
  if (!module) return /^<class '(.+)'>$/.exec(text)?.[1] ?? text;
  if (module === 'sync' && Number(threads) > 1) return 'gthread';
  return { ggevent: 'gevent', gtornado: 'tornado', gasgi: 'asgi' }[module] ?? module;
}
