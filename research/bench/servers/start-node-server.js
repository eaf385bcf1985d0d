/** Starts a server of this folder as a process on a processor of its own. */
import path from 'node:path';
import { createInterface } from 'node:readline';
import { startChild } from '../../../lib/base/process/child.js';
import { onCore } from '../cores.js';

/**
 * @param {'slow-server.js' | 'socketio-server.js'} name
 * @param {{core: number, args?: readonly number[]}} options
 * @returns {Promise<{url: string, pid: number, ask: (path: string) => Promise<any>,
 *   stop: () => Promise<void>}>} `ask` reads JSON from it
 */
export async function startNodeServer(name, { core, args = [] }) {
  const [program = '', ...words] = onCore(core);
  const script = path.join(import.meta.dirname, name);
  const child = startChild(program, [...words, process.execPath, script, ...args.map(String)], {
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const lines = createInterface({ input: /** @type {any} */ (child.process.stdout) });
  const first = await Promise.race([lines[Symbol.asyncIterator]().next(), child.ended]);
  if (!('value' in first)) throw new Error(`${name} did not start`);
  const url = `http://127.0.0.1:${first.value}`;
  return {
    url,
    pid: child.pid,
    async ask(path) {
      const response = await fetch(`${url}${path}`, { headers: { connection: 'close' } });
      return response.json();
    },
    stop: async () => void (await child.stop()),
  };
}
