import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { createServiceFinder } from '../../../lib/record/target/listening-socket.js';

const linux = { skip: process.platform === 'linux' ? false : 'needs /proc' };
const SERVER = `require('node:net').createServer(socket => socket.resume())
  .listen(0, '127.0.0.1', function () { console.log(this.address().port); });`;

/**
 * @param {import('node:test').TestContext} t @param {string} code @param {number} [uid]
 * @returns {Promise<{pid: number, said: string}>} with its first words
 */
async function run(t, code, uid) {
  const child = spawn(process.execPath, ['-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(uid && { uid }),
  });
  t.after(() => child.kill());
  const [said] = await once(child.stdout, 'data');
  return { pid: child.pid ?? 0, said: String(said).trim() };
}

/** @param {string} port */
const connect = port => `require('node:net').connect(${port}, '127.0.0.1')
  .on('connect', () => console.log('connected'));`;

test('a service that a process called is found, and not who calls the process', linux, async t => {
  const service = await run(t, SERVER);
  const worker = await run(
    t,
    `${SERVER.replace('console.log(', 'globalThis.port = (')} ${connect(service.said).replace("'connected'", 'globalThis.port')}`,
  );
  const caller = await run(t, connect(worker.said));
  const find = createServiceFinder();
  assert.deepEqual(find([worker.pid]), [service.pid]);
  assert.deepEqual(find([worker.pid]), [service.pid], 'each time');
  assert.deepEqual(find([service.pid]), [], 'it was only called');
  assert.deepEqual(find([caller.pid]), [worker.pid]);
});

const hasSs = spawnSync('ss', ['-V']).error ? { skip: 'needs ss' } : linux;

for (const name of ['a b.sock', '@abstract']) {
  test(`so is one behind a Unix socket: ${name}`, hasSs, async t => {
    const folder = mkdtempSync(path.join(tmpdir(), 'unix '));
    t.after(() => rmSync(folder, { recursive: true }));
    const isFile = !name.startsWith('@');
    const at = JSON.stringify(isFile ? path.join(folder, name) : `\0${path.basename(folder)}`);
    const serve = `require('node:net').createServer(() => {}).listen({ path: ${at} }, () => console.log('here'));`;
    const call = `require('node:net').connect({ path: ${at} }).on('connect', () => console.log('connected'));`;
    const service = await run(t, serve);
    const worker = await run(t, call);
    await run(t, serve.replace(at, `${at} + 2`));
    const find = createServiceFinder();
    assert.deepEqual(find([worker.pid]), [service.pid]);
    assert.deepEqual(find([service.pid]), [], 'it was only called');
  });
}

test('a process without connections has called nothing', linux, async t => {
  const server = createServer().listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { pid } = await run(t, "console.log('here'); setInterval(() => {}, 1000);");
  assert.deepEqual(createServiceFinder()([pid]), []);
});

/** Users whose ids no program here has. */
const [ONE_USER, OTHER_USER] = [64_117, 64_118];
const root =
  process.geteuid?.() === 0 ? linux : { skip: 'needs root, to start processes of two users' };

test(
  'of another user, whose open files are not readable, it is the only process without a parent',
  root,
  async t => {
    const service = await run(t, SERVER, ONE_USER);
    const file = path.resolve(
      import.meta.dirname,
      '../../../lib/record/target/listening-socket.js',
    );
    const finder = await run(
      t,
      `require('node:net').connect(${service.said}, '127.0.0.1').on('connect', async () => {
      const { createServiceFinder } = await import(${JSON.stringify(file)});
      console.log(JSON.stringify(createServiceFinder()([process.pid])));
    });`,
      OTHER_USER,
    );
    assert.deepEqual(JSON.parse(finder.said), [service.pid]);
    await run(t, SERVER, ONE_USER);
    const second = await run(
      t,
      `require('node:net').connect(${service.said}, '127.0.0.1').on('connect', async () => {
      const { createServiceFinder } = await import(${JSON.stringify(file)});
      console.log(JSON.stringify(createServiceFinder()([process.pid])));
    });`,
      OTHER_USER,
    );
    assert.deepEqual(JSON.parse(second.said), [], 'of two it is not known which');
  },
);
