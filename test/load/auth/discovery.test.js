import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { readConfig } from '../../../lib/base/config/read-config.js';
import { createRedactor } from '../../../lib/base/files/redaction.js';
import { startLogin } from '../../../lib/experiment/login.js';
import { checkIssuer, discoverProvider } from '../../../lib/load/auth/discover-provider.js';
import { TokenSource } from '../../../lib/load/auth/token-source.js';
import { listen } from '../../helpers/listen.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';
import { sendHtml, sendJson, startFakeProvider } from './helpers.js';

const CLIENT = { clientId: 'client', clientSecret: null };

/** @param {string} issuer */
const discover = issuer => discoverProvider({ ...CLIENT, issuer });

test('refuses an issuer without a listener, and names the host to check', async () => {
  const fake = await startFakeProvider(() => {});
  await fake.stop();
  await assert.rejects(discover(fake.origin), {
    code: 'OIDC_DISCOVERY_FAILED',
    exitCode: 4,
    message: /ECONNREFUSED/,
    hint: /check host and port of OIDC_ISSUER/,
  });
});

test('a host name that does not exist is refused with the host to check', async () => {
  await assert.rejects(discover('https://keycloak.invalid/realms/demo'), {
    code: 'OIDC_DISCOVERY_FAILED',
    message: /ENOTFOUND|EAI_AGAIN/,
    hint: /check host and port of OIDC_ISSUER/,
  });
});

test('localhost instead of the name that the provider gives itself is refused with the right one', async () => {
  const fake = await startFakeProvider(() => {});
  const other = fake.origin.replace('127.0.0.1', 'localhost');
  try {
    await assert.rejects(discover(other), {
      code: 'OIDC_DISCOVERY_FAILED',
      message: new RegExp(`cannot use .*${other}: it calls itself ${fake.origin}`),
      hint: new RegExp(`set OIDC_ISSUER=${fake.origin}:`),
    });
  } finally {
    await fake.stop();
  }
});

test('refuses something other than an identity provider, with its response', async () => {
  const fake = await startFakeProvider((request, response) => {
    if (request.url?.startsWith('/html')) sendHtml(response, 200, '<h1>Welcome</h1>');
    else if (request.url?.startsWith('/down')) sendJson(response, 503, {});
    else sendJson(response, 404, { error: 'Realm does not exist' });
  });
  try {
    await assert.rejects(discover(`${fake.origin}/realms/nosuch`), {
      code: 'OIDC_DISCOVERY_FAILED',
      message: /\/realms\/nosuch\/\.well-known\/openid-configuration responds with status 404/,
      hint: /realms\/<realm>/,
    });
    await assert.rejects(discover(`${fake.origin}/html`), {
      code: 'OIDC_DISCOVERY_FAILED',
      message: /status 200 and no JSON/,
    });
    await assert.rejects(discover(`${fake.origin}/down`), {
      code: 'OIDC_DISCOVERY_FAILED',
      message: /responds with status 503/,
      hint: /up and healthy/,
    });
  } finally {
    await fake.stop();
  }
});

test('a broken TLS connection prints no stack', async t => {
  const issuer = await listen(t, createServer());
  await assert.rejects(discover(issuer), { code: 'OIDC_DISCOVERY_FAILED', exitCode: 4 });
});

test('plain HTTP to a public address is refused before anything is sent', async () => {
  await assert.rejects(discover('http://198.51.100.7/realms/demo'), {
    code: 'OIDC_INSECURE_ISSUER',
    exitCode: 2,
    hint: /https:\/\//,
  });
});

test('plain HTTP on loopback is fine, and no warning is given', async () => {
  const fake = await startFakeProvider((_, response) =>
    sendJson(response, 200, { access_token: 'opaque-token', token_type: 'bearer' }),
  );
  /** @type {string[]} */
  const kinds = [];
  const source = new TokenSource(fake.authConfig(), { onEvent: ({ kind }) => kinds.push(kind) });
  try {
    assert.equal((await discover(fake.origin)).transport, 'loopback');
    await source.start();
    assert.deepEqual(kinds, ['configured', 'obtained']);
  } finally {
    await source.stop();
    await fake.stop();
  }
});

test('plain HTTP on a private network works with a warning', async t => {
  const privateAddress = await findPrivateAddress();
  if (!privateAddress) return t.skip('this machine has no private address');
  const fake = await startFakeProvider(
    (_, response) => sendJson(response, 200, { access_token: 'opaque', token_type: 'bearer' }),
    { host: privateAddress },
  );
  /** @type {import('../../../lib/load/auth/token-source.js').TokenEvent[]} */
  const events = [];
  const source = new TokenSource(fake.authConfig(), { onEvent: event => events.push(event) });
  try {
    await source.start();
    assert.deepEqual(events.at(1), {
      kind: 'warning',
      message: `${fake.origin} is plain HTTP: passwords and tokens cross the network unencrypted`,
    });
  } finally {
    await source.stop();
    await fake.stop();
  }
});

async function findPrivateAddress() {
  const all = Object.values(networkInterfaces()).flatMap(each => each ?? []);
  for (const { address } of all.filter(({ family }) => family === 'IPv4')) {
    const transport = await checkIssuer(`http://${address}`).catch(() => 'public');
    if (transport === 'private') return address;
  }
  return null;
}

test('a discovery document does not send the login to another host, nor from https to http', async () => {
  const other = await startFakeProvider(() => {});
  /** @type {Record<string, string>} */
  let endpoints = {};
  const fake = await startFakeProvider(() => {}, { describe: () => endpoints });
  const discoverWith = (/** @type {string} */ hosts = '') =>
    discoverProvider({ ...CLIENT, issuer: fake.origin, hosts });
  try {
    for (const name of ['token_endpoint', 'authorization_endpoint']) {
      endpoints = { [name]: `${other.origin}/token` };
      await assert.rejects(discoverWith(), { code: 'OIDC_ENDPOINT_ELSEWHERE', exitCode: 4 }, name);
      await discoverWith(`sso.example.org, ${new URL(other.origin).host}`);
      endpoints = { [name]: 'http://198.51.100.7/token' };
      await assert.rejects(discoverWith('198.51.100.7'), { code: 'OIDC_INSECURE_ISSUER' }, name);
      endpoints = { [name]: 'no address' };
      await assert.rejects(discoverWith(), { code: 'OIDC_ENDPOINT_ELSEWHERE' }, name);
    }
  } finally {
    await fake.stop();
    await other.stop();
  }
});

test('tokens for a plain-HTTP target on a public network are warned of, and the warning is kept', async t => {
  const fake = await startFakeProvider((_, response) =>
    sendJson(response, 200, { access_token: 'opaque-token', token_type: 'bearer' }),
  );
  t.after(fake.stop);
  const env = {
    OIDC_ISSUER: fake.origin,
    OIDC_CLIENT_ID: 'client',
    OIDC_USERNAME: 'anna',
    OIDC_PASSWORD: 'correct horse',
  };
  const config = readConfig({ env, folder: '/' });
  /** @param {string} target @returns {Promise<string[]>} */
  const notesFor = async target => {
    /** @type {string[]} */
    const notes = [];
    const run = {
      target,
      onProgress: () => {},
      onNote: (/** @type {string} */ line) => notes.push(line),
    };
    const login = await startLogin(config, createRedactor(), run);
    const file = path.join(makeTempFolder(t), 'tokens.ndjson');
    login?.recordTo(file);
    await login?.stop();
    assert.equal(readFileSync(file, 'utf8').includes('"warning"'), notes.length > 0);
    return notes;
  };
  assert.match(
    (await notesFor('http://198.51.100.7:5000')).join(),
    /^warning: .*198\.51\.100\.7:5000/,
  );
  for (const target of ['https://198.51.100.7', 'http://127.0.0.1:5000', 'http://10.1.2.3'])
    assert.deepEqual(await notesFor(target), []);
});
