import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { readConfig } from '../../../lib/base/config/read-config.js';
import { createRedactor } from '../../../lib/base/files/redaction.js';
import { startServer } from '../../../lib/experiment/server/start-server.js';
import { findFreePort, waitUntil } from '../../helpers/gunicorn.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

const SECRETS = { SHOP_DB_PASSWORD: 'kn0wn-Zebra-17' };
/** Says what it knows, of one line too much and of one no end, and what it gives out before anybody else knows it. */
const SERVER = `
if (process.argv[2] === 'without-a-port') {
  console.error('can not reach', process.env.SHOP_DB_PASSWORD);
  process.exit(3);
}
console.log('starting with', process.env.SHOP_DB_PASSWORD, 'of', process.env.HOME);
process.stdout.write('x'.repeat(16380) + process.env.SHOP_DB_PASSWORD + '\\n');
process.stdout.write('y'.repeat(262140) + process.env.SHOP_DB_PASSWORD + '\\n');
require('http').createServer((request, response) => {
  if (request.url === '/login') console.error('gives', 'learned-Zebra-22');
  if (request.url === '/end') {
    process.stdout.write('password=' + 'last-Zebra-23', () => process.exit(3));
  }
  response.end('learned-Zebra-22');
}).listen(process.argv[2], '127.0.0.1');
`;

/** @param {import('node:test').TestContext} t @param {(port: number) => string} command */
async function start(t, command) {
  const folder = makeTempFolder(t);
  const file = path.join(folder, 'server.cjs');
  writeFileSync(file, SERVER);
  const port = await findFreePort();
  const env = { ...process.env, ...SECRETS };
  const flags = { TARGET: `http://127.0.0.1:${port}` };
  const config = readConfig({ env, flags, folder: null });
  const redactor = createRedactor(config.secrets);
  const starting = startServer(`'${process.execPath}' '${file}' ${command(port)}`, {
    ...{ config, redactor, root: folder, signal: new AbortController().signal },
    say() {},
    env,
  });
  const server = await starting;
  t.after(server.stop);
  return { server, redactor, url: flags.TARGET, log: path.join(folder, 'server.log') };
}

test('logs the output of the server by whole lines, without secrets', async t => {
  const { server, redactor, url, log } = await start(t, String);
  await waitUntil(() => existsSync(log), 'the log of the server');
  redactor.add(await (await fetch(`${url}/login`)).text());
  await fetch(`${url}/end`).catch(() => {});
  await server.stop();
  const lines = readFileSync(log, 'utf8').split('\n');
  assert.equal(lines[0], `starting with [redacted] of ${process.env.HOME}`);
  assert.deepEqual(lines.slice(3), ['gives [redacted]', 'password=[redacted]', '']);
  for (const line of lines.slice(1, 3)) assert.match(line, /^(?:x|y){4096}…$/);
});

test('reports the last output of a server that does not start, without secrets', async t => {
  await assert.rejects(
    start(t, () => 'without-a-port'),
    error => {
      const { message, code } =
        /** @type {import('../../../lib/base/errors.js').LoadflameError} */ (error);
      assert.equal(code, 'SERVER_COMMAND_FAILED');
      assert.match(message, /it ended \(exit code 3\)\n+can not reach \[redacted\]$/);
      return true;
    },
  );
});

test("a command that the shell cannot parse fails with the shell's message", async t => {
  await assert.rejects(
    start(t, () => '"app:app'),
    { code: 'SERVER_COMMAND_FAILED', message: /[Uu]nterminated quoted string/ },
  );
});
