/** A server that switches protocols unasked, and a promise that never settles: no command ends well because of them. */
import assert from 'node:assert/strict';
import net from 'node:net';
import { test } from 'node:test';
import { execa } from 'execa';
import { listen } from '../helpers/listen.js';
import { readError, runLoadflame } from '../helpers/run-loadflame.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const MAIN = new URL('../../lib/cli/main.js', import.meta.url).href;
const TABLE = new URL('../../lib/cli/command-table.js', import.meta.url).href;
const SWITCHING =
  'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';

for (const [title, closes] of /** @type {const} */ ([
  ['keeps the connection', false],
  ['closes the connection', true],
]))
  test(`a target that switches protocols and ${title} is an error`, async t => {
    const server = net.createServer(socket => {
      socket.on('error', () => {});
      socket.once('data', () => (closes ? socket.end(SWITCHING) : socket.write(SWITCHING)));
    });
    const url = await listen(t, server);
    const folder = makeTempFolder(t);
    for (const [exit, ...args] of /** @type {const} */ ([
      [4, 'test', `${url}/`],
      [4, 'init', '--url', url],
    ])) {
      const ended = await runLoadflame(folder, args);
      const { code, message } = readError(ended.stderr);
      assert.deepEqual([ended.exit, code], [exit, 'TARGET_UNREACHABLE'], ended.stderr);
      assert.match(message ?? '', /status 101/);
    }
    const { exit, stdout } = await runLoadflame(folder, ['doctor', '--target', url]);
    assert.equal(exit, 3);
    assert.match(stdout, /^FAIL +target: .*status 101/m);
  });

test('a command whose promise never settles ends with exit code 1', async () => {
  const program = `
    import { main } from '${MAIN}';
    import { COMMANDS } from '${TABLE}';
    import { registerHooks } from 'node:module';
    const url = 'data:text/javascript,export const run = () => new Promise(() => {});';
    registerHooks({
      resolve: (name, context, next) =>
        name.endsWith('/forever.js') ? { url, shortCircuit: true } : next(name, context),
    });
    COMMANDS.push({ name: 'forever', about: '', help: '' });
    await main(['node', 'loadflame', 'forever']);`;
  const args = ['--input-type=module', '--eval', program];
  const { exitCode, stdout, stderr } = await execa(process.execPath, args, { reject: false });
  assert.equal(exitCode, 1, stderr);
  assert.equal(stdout, '');
  assert.match(stderr, /^error: nothing is left to wait for\nThis is a bug in loadflame/m);
});
