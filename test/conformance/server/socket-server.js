/** The socket.io server, which is Python's, as the servers that are load-tested with this program. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { startChild } from '../../../lib/base/process/child.js';

const VENV = path.resolve(import.meta.dirname, '../../../.venv/bin/python');
const PYTHON = existsSync(VENV) ? VENV : 'python3';
const SERVER = path.join(import.meta.dirname, 'socket_server.py');

/** @param {import('./request-log.js').RequestLog} log */
export function createSocketServer(log) {
  /** @type {ReturnType<typeof startChild> | null} */
  let child = null;
  /** @type {Promise<Record<string, string>> | null} */
  let starting = null;

  const start = async () => {
    child = startChild(PYTHON, ['-u', SERVER], { stdout: 'pipe', stderr: 'pipe' });
    const { stdout } = child.process;
    if (!stdout) throw new Error('no output of the socket.io server');
    const lines = createInterface({ input: stdout });
    const first = await Promise.race([
      new Promise(resolve => lines.once('line', resolve)),
      child.ended.then(end =>
        Promise.reject(new Error(`socket.io server: ${JSON.stringify(end)}`)),
      ),
    ]);
    const address = `127.0.0.1:${JSON.parse(first).port}`;
    log.nameAddress('<SOCKET>', address);
    lines.on('line', line => log.add(line));
    return { SOCKET: `http://${address}` };
  };

  return {
    start: () => (starting ??= start()),
    close: async () => {
      await child?.stop({ signal: 'SIGKILL', graceMs: 1000 });
    },
  };
}
