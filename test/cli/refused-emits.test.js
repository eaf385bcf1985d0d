import assert from 'node:assert/strict';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { startChild } from '../../lib/base/process/child.js';
import { PYTHON } from '../helpers/gunicorn.js';
import { callLoadflame } from '../helpers/run-loadflame.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const SERVER = path.resolve(import.meta.dirname, '../load/fixtures/socket_server.py');

test('reports emits that the server refuses, whatever broadcasts arrive', async t => {
  const folder = makeTempFolder(t);
  const log = path.join(folder, 'api.log');
  const stderr = openSync(log, 'w');
  const server = startChild(PYTHON, [SERVER], { stdout: 'pipe', stderr });
  closeSync(stderr);
  t.after(() => server.stop({ signal: 'SIGKILL' }));
  const lines = createInterface({
    input: /** @type {import('node:stream').Readable} */ (server.process.stdout),
  });
  const port = await new Promise(resolve => {
    lines.once('line', line => resolve(JSON.parse(line).port));
  });
  lines.on('line', () => {});
  const script = `
config:
  socketio: { path: /sock, transports: [websocket] }
  phases: [{ duration: 2, arrivalCount: 20 }]
scenarios:
  - { engine: socketio, flow: [{ emit: { channel: logged, data: 1 } }, { think: 1 }] }
`;
  writeFileSync(path.join(folder, 'script.yaml'), script);
  const args = ['test', 'script.yaml', '--target', `http://127.0.0.1:${port}`, '--full'];
  const { exit, stdout } = await callLoadflame(folder, args, { LOG_FILES: log });
  assert.equal(exit, 5, stdout);
  const text = stdout.replace(/\s+/g, ' ');
  assert.match(
    text,
    /✖ 20 socket\.io emits, and the server refused some: the log has 20 × .*Socket error/,
  );
  assert.match(text, /events received \(broadcasts\): \d+/);
});
