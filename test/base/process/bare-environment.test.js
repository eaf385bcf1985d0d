import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { readConfig } from '../../../lib/base/config/read-config.js';
import { createRedactor } from '../../../lib/base/files/redaction.js';
import { isSecretVariable } from '../../../lib/base/process/bare-environment.js';
import { startChild } from '../../../lib/base/process/child.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

/** What nobody declared, and what looks like a secret and is none. */
const VARIABLES = {
  SHOP_DB_PASSWORD: 'kn0wn-Zebra-17',
  SHOP_DATABASE: 'postgresql://shop:0ther-Zebra-18@db/shop',
  SHOP_HEADERS: 'accept=x,authorization=Bearer third-Zebra-19',
  SHOP_COPY: 'the fourth-Zebra-20 of OIDC',
  SHOP_USES_TOKEN: 'true',
  SHOP_ASKPASS: '/usr/bin/env',
  SHOP_COLOR: 'blue',
};

/** @param {import('node:test').TestContext} t @param {Record<string, string>} variables */
function setEnvironment(t, variables) {
  const before = { ...process.env };
  Object.assign(process.env, variables);
  t.after(() => {
    for (const name of Object.keys(variables)) delete process.env[name];
    Object.assign(process.env, before);
  });
}

test('a started program inherits no undeclared secret', async t => {
  setEnvironment(t, { ...VARIABLES, OIDC_PASSWORD: 'fourth-Zebra-20' });
  readConfig({ folder: null });
  const file = path.join(makeTempFolder(t), 'seen');
  const write = `require('fs').writeFileSync(${JSON.stringify(file)}, JSON.stringify(process.env))`;
  await startChild(process.execPath, ['-e', write], { env: { MORE: 'told' } }).ended;
  const { PATH, PWD, MORE, ...seen } = JSON.parse(readFileSync(file, 'utf8'));
  assert.equal(PATH, process.env.PATH);
  assert.equal(PWD, process.env.PWD);
  assert.equal(MORE, 'told');
  assert.doesNotMatch(JSON.stringify(seen), /Zebra/);
  assert.equal(seen.SHOP_COLOR, 'blue');
  assert.equal(seen.SHOP_ASKPASS, '/usr/bin/env');
});

test('the key of the companion is a secret, and LOADFLAME=1 is none', () => {
  readConfig({ env: {}, folder: null });
  assert.equal(isSecretVariable('LOADFLAME', '1'), false);
  assert.equal(isSecretVariable('LOADFLAME', 'correct-horse-battery'), true);
});

test('the values of such variables, and of those in files, are known secrets', t => {
  const folder = makeTempFolder(t);
  writeFileSync(path.join(folder, '.env'), 'OTHER_API_KEY=fifth-Zebra-21\n');
  const { secrets } = readConfig({ env: VARIABLES, folder });
  const { redactText } = createRedactor(secrets);
  for (const secret of ['kn0wn-Zebra-17', '0ther-Zebra-18', 'fifth-Zebra-21'])
    assert.equal(redactText(`it said ${secret} here`), 'it said [redacted] here');
  const plain = 'color: blue, ready: true, by /usr/bin/env';
  assert.equal(redactText(plain), plain);
});
