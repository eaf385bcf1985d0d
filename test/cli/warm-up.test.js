import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { warmUp } from '../../lib/cli/warm-up.js';
import { readConfig } from '../../lib/config/read-config.js';
import { findPySpy } from '../../lib/record/profiler/find-py-spy.js';
import { startGunicorn } from '../helpers/gunicorn.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

const SCRIPT = `
config: { target: "{{ $env.TARGET }}", phases: [{ duration: 1, arrivalRate: 1 }] }
scenarios: [{ flow: [{ get: { url: /burn/1 } }] }]
`;

test('a profiler that attaches later than the load may last interrupts nothing', async t => {
  const folder = makeTempFolder(t);
  const { url, masterPid } = await startGunicorn(t, { workers: 1 });
  const script = path.join(folder, 'load.yaml');
  writeFileSync(script, SCRIPT.replace('{{ $env.TARGET }}', url));
  const { path: real, version } = await findPySpy();
  const slow = path.join(folder, 'py-spy');
  writeFileSync(slow, `#!/bin/sh\nsleep 3\nexec '${real}' "$@"\n`);
  chmodSync(slow, 0o755);
  const server = { rootPid: masterPid, masterPid, kind: 'gunicorn', workerClass: null, threads: 1 };
  const found = await warmUp({
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
