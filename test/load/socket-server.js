/** A server of socket.io in Python for the tests of a file, and what it was sent. */
import path from 'node:path';
import { createInterface } from 'node:readline';
import { after, before } from 'node:test';
import { startChild } from '../../lib/base/process/child.js';

const PYTHON = path.resolve('.venv/bin/python');
const SERVER = path.join(import.meta.dirname, 'fixtures', 'socket_server.py');

export function prepareSocketServer() {
  /** @type {import('../../lib/base/process/child.js').OwnedChild} */
  let server;
  /** @type {Record<string, any>[]} what the server was sent */
  const seen = [];
  let target = '';
  before(async () => {
    server = startChild(PYTHON, [SERVER], { stdout: 'pipe', stderr: 'inherit' });
    const stdout = /** @type {import('node:stream').Readable} */ (server.process.stdout);
    await new Promise(resolve => {
      createInterface({ input: stdout }).on('line', line => {
        const message = JSON.parse(line);
        if (message.kind !== 'listening') seen.push({ ...message, at: Date.now() });
        else {
          target = `http://127.0.0.1:${message.port}`;
          resolve(undefined);
        }
      });
    });
  });
  after(() => server.stop({ signal: 'SIGKILL' }));
  return { seen, url: () => target };
}
