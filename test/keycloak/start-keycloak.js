/** A real Keycloak with the realm of `realm.json`, and secrets that are made for this run only. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startProgram } from '../../demo/program.js';
import { installKeycloak } from './install-keycloak.js';

/** Booting takes 20 to 30 s, twice that on a busy machine. */
const BOOT_TIMEOUT_MS = 180_000;

/** What the demo API wants to see in a token. */
const AUDIENCE_MAPPER = {
  name: 'audience of the demo API',
  protocol: 'openid-connect',
  protocolMapper: 'oidc-audience-mapper',
  config: {
    'included.custom.audience': 'urn:demo:queue-management-api',
    'access.token.claim': 'true',
  },
};

/**
 * @typedef {object} Keycloak
 * @property {string} issuer
 * @property {string} clientSecret of the client `service`
 * @property {(username: string) => {username: string, password: string}} user
 * @property {number} bootMs
 * @property {() => Promise<void>} stop
 */

/** @returns {Promise<Keycloak>} */
export async function startKeycloak() {
  const home = installKeycloak();
  const folder = mkdtempSync(path.join(tmpdir(), 'loadflame-keycloak-'));
  const realm = makeRealm();
  const imports = path.join(home, 'data', 'import');
  const realmFile = path.join(imports, 'loadflame-realm.json');
  const removeFiles = () => {
    rmSync(realmFile, { force: true });
    rmSync(folder, { recursive: true, force: true });
  };
  mkdirSync(imports, { recursive: true });
  writeFileSync(realmFile, JSON.stringify(realm.json), { mode: 0o600 });
  const port = await findFreePort();
  const beganMs = Date.now();
  const kc = path.join(home, 'bin', 'kc.sh');
  const options = ['--db=dev-mem', '--http-host=127.0.0.1', `--http-port=${port}`];
  try {
    const program = await startProgram(
      'Keycloak',
      'bash',
      [kc, 'start-dev', '--import-realm', ...options],
      {
        logFile: path.join(folder, 'keycloak.log'),
        env: { JAVA_OPTS_KC_HEAP: '-Xms64m -Xmx512m' },
      },
    );
    await program.waitFor(
      async log => (/Listening on:/.test(log) ? true : undefined),
      BOOT_TIMEOUT_MS,
    );
    return {
      issuer: `http://127.0.0.1:${port}/realms/loadflame`,
      clientSecret: realm.clientSecret,
      user: username => ({ username, password: realm.passwords.get(username) ?? '' }),
      bootMs: Date.now() - beganMs,
      stop: async () => {
        await program.stop();
        removeFiles();
      },
    };
  } catch (error) {
    removeFiles();
    throw error;
  }
}

function makeRealm() {
  const json = JSON.parse(readFileSync(new URL('realm.json', import.meta.url), 'utf8'));
  const clientSecret = makeSecret();
  /** @type {Map<string, string>} */
  const passwords = new Map();
  for (const client of json.clients) {
    if (client.secret) client.secret = clientSecret;
    client.protocolMappers = client.protocolMappers?.map(() => AUDIENCE_MAPPER);
  }
  for (const user of json.users) {
    const password = makeSecret();
    passwords.set(user.username, password);
    // Without a name and an address Keycloak calls an account "not fully set up".
    Object.assign(user, {
      enabled: user.enabled ?? true,
      email: `${user.username}@example.org`,
      emailVerified: true,
      firstName: user.username,
      lastName: 'Test',
      credentials: [{ type: 'password', value: password, temporary: false }],
    });
  }
  return { json, clientSecret, passwords };
}

function makeSecret() {
  return randomBytes(18).toString('base64url');
}

/** @returns {Promise<number>} */
function findFreePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });
}
