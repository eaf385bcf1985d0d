import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../../lib/base/config/read-config.js';
import { measureCapacity } from '../../lib/experiment/measure-capacity.js';
import { findPySpy } from '../../lib/record/profiler/find-py-spy.js';
import { startGunicorn } from '../helpers/gunicorn.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const SCRIPT = `
config: { target: "{{ $env.TARGET }}", phases: [{ duration: 1, arrivalRate: 1 }] }
scenarios: [{ flow: [{ get: { url: /sleep/20 } }] }]
`;

// They wait for their measurements.
describe('the capacity of a target', { concurrency: true }, () => {
  test('a profiler that attaches later than the load may last interrupts nothing', async t => {
    const folder = makeTempFolder(t);
    const { url, masterPid } = await startGunicorn(t, { workers: 1 });
    const script = path.join(folder, 'load.yaml');
    writeFileSync(script, SCRIPT.replace('{{ $env.TARGET }}', url));
    const { path: real, version } = await findPySpy();
    const slow = path.join(folder, 'py-spy');
    writeFileSync(slow, `#!/bin/sh\nsleep 3\nexec '${real}' "$@"\n`);
    chmodSync(slow, 0o755);
    const server = {
      rootPid: masterPid,
      masterPid,
      kind: 'gunicorn',
      workerClass: null,
      threads: 1,
    };
    const found = await measureCapacity({
      script,
      mostMs: 2000,
      config: readConfig({ flags: { TARGET: url, PROFILER: 'py-spy' }, env: {} }),
      command: 'loadflame start',
      profile: /** @type {any} */ ({ pySpy: { path: slow, version }, server }),
      signal: new AbortController().signal,
      onProgress: () => {},
      onNote: () => {},
    });
    assert.ok(found.takenPerSec >= 0);
  });

  test('a user whose scenario outlasts the measurement counts by its requests', async t => {
    const server = createServer(async (_, response) => {
      await sleep(400);
      response.end();
    }).listen(0, '127.0.0.1');
    t.after(() => server.close());
    await once(server, 'listening');
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    const folder = makeTempFolder(t);
    const script = path.join(folder, 'load.yaml');
    const target = `http://127.0.0.1:${port}`;
    const steps = Array(20).fill('{ get: { url: /sleep/20 } }').join(', ');
    writeFileSync(
      script,
      SCRIPT.replace('{{ $env.TARGET }}', target).replace('{ get: { url: /sleep/20 } }', steps),
    );
    const { takenPerSec } = await measureCapacity({
      script,
      config: readConfig({ flags: { TARGET: target }, env: {} }),
      command: 'loadflame start',
      profile: null,
      signal: new AbortController().signal,
      onProgress: () => {},
      onNote: () => {},
    });
    // Four users, each of them 20 · 0.4 s.
    assert.ok(takenPerSec > 0.35 && takenPerSec < 0.55, `${takenPerSec}`);
  });
});
