/** Secrets that a study names: its services get theirs, and its files hold none. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { createRedactor } from '../../../../lib/base/files/redaction.js';
import { readSecrets } from '../../../../lib/experiment/study/services/service-environment.js';
import { startServices } from '../../../../lib/experiment/study/services/start-services.js';
import { makeService, prepareStart } from './services.js';

const SECRET = 'hunter2-of-the-database';

test('a service gets the secrets that it names and no others, and its log is clean of them', async t => {
  process.env.DATABASE_PASSWORD = SECRET;
  t.after(() => delete process.env.DATABASE_PASSWORD);
  const say = 'echo "told [$DATABASE_PASSWORD] $OTHER_SECRET"; sleep 60';
  const services = ['told', 'untold'].map(name =>
    makeService(name, {
      command: say,
      ready: { log: 'told' },
      ...(name === 'told' && { secrets: ['DATABASE_PASSWORD'] }),
    }),
  );
  const secrets = readSecrets({ services });
  assert.deepEqual(secrets, { DATABASE_PASSWORD: SECRET });
  assert.ok(!JSON.stringify(services).includes(SECRET));
  const { options, live, logs } = await prepareStart(t);
  const { stop } = await startServices(services, {
    ...options,
    secrets,
    redactor: createRedactor([SECRET]),
    signal: new AbortController().signal,
  });
  t.after(stop);
  const own = readFileSync(path.join(live, 'told.log'), 'utf8');
  assert.match(own, new RegExp(`^told \\[${SECRET}\\] $`, 'm'));
  assert.match(readFileSync(path.join(live, 'untold.log'), 'utf8'), /^told \[\] $/m);
  await stop();
  assert.match(readFileSync(path.join(logs, 'told.log'), 'utf8'), /^told \[\[redacted\]\] $/m);
});

test('names a secret that is not set', () => {
  assert.throws(() => readSecrets({ secrets: ['NOBODY_HAS_SET_THIS'], services: [] }), {
    code: 'SETTING_MISSING',
    message: /NOBODY_HAS_SET_THIS/,
  });
});
