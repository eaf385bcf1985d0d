/** `npm run test:slow servers`: what `loadflame ping` shows of an ASGI app under a real uvicorn. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAsgi } from '../helpers/asgi.js';
import { runLoadflame } from '../helpers/run-loadflame.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

test('shows how long a request under uvicorn blocks the event loop, and its CPU', async t => {
  const { url } = await startAsgi(t);
  const folder = makeTempFolder(t);
  const ping = (/** @type {string} */ path) =>
    runLoadflame(folder, ['ping', url + path, '-n', '2', '--json']);
  const { exit, stdout, stderr } = await ping('/blocks');
  assert.equal(exit, 0, stderr);
  for (const { server, phases } of JSON.parse(stdout).requests) {
    assert.ok(server.blockedMs > 100 && server.blockedMs <= phases.firstByteMs);
    assert.ok(server.cpuMs < server.blockedMs / 2, 'a wait, and no work');
  }
  const light = JSON.parse((await ping('/light')).stdout);
  assert.deepEqual([light.reported, light.requests[0].server.blockedMs], [2, null]);
  assert.ok(light.requests[0].phases.opening && !light.requests[1].phases.opening);
});
