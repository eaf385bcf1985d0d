/** A load test of `bin/loadflame.js` against the demo API with tokens of another provider. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { readNdjson } from '../../lib/run/ndjson.js';

const LOADFLAME = fileURLToPath(new URL('../../bin/loadflame.js', import.meta.url));
const SCRIPT = fileURLToPath(new URL('../../scenarios/csr-http.yaml', import.meta.url));

/**
 * @param {{authConfig: import('../../lib/load/auth/auth-config.js').AuthConfig, apiUrl: string,
 *   folder: string, durationSec: number}} options
 * @returns {Promise<{exitCode: number | null, codes: Record<string, number>,
 *   tokens: Record<string, number>, leaks: string[], output: string}>} `codes` counts answers by
 *   status, `tokens` events of the token source, `leaks` names files in which a secret was found
 */
export async function checkRun({ authConfig, apiUrl, folder, durationSec }) {
  const home = path.join(folder, `run-${authConfig.flow}`);
  mkdirSync(home);
  const users = path.join(home, 'users.csv');
  const rows = authConfig.users.map(({ username, password }) => `${username},${password}`);
  writeFileSync(users, `username,password\n${rows.join('\n')}\n`, { mode: 0o600 });
  const profiles = path.join(home, 'profiles');
  // Started in a folder without envs.sh and .env: only these settings count.
  const child = spawn(process.execPath, [LOADFLAME, 'test', SCRIPT, '--profiles', profiles], {
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      NODE_TEST_CONTEXT: '',
      TARGET: apiUrl,
      DURATION: `${durationSec}`,
      WARM_UP_DURATION: '0',
      RAMP_DURATION: '0',
      ARRIVAL_RATE: '1',
      OFFICE_ID: '3',
      SERVICE_ID: '5',
      OIDC_ISSUER: authConfig.issuer,
      OIDC_FLOW: authConfig.flow,
      OIDC_CLIENT_ID: authConfig.clientId,
      OIDC_CLIENT_SECRET: authConfig.clientSecret ?? '',
      ...(rows.length > 0 ? { OIDC_USERS: users } : {}),
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', text => {
      output += text;
    });
  }
  const [exitCode] = await once(child, 'close');
  const files = listFiles(profiles);
  const read = (/** @type {string} */ name) =>
    readNdjson(files.find(file => file.endsWith(name)) ?? name);
  return {
    exitCode,
    codes: sumCodes((await read('load/metrics.ndjson')).records),
    tokens: countKinds((await read('load/tokens.ndjson')).records),
    leaks: findLeaks(authConfig, files, output),
    output: output.split('\n').slice(-40).join('\n'),
  };
}

/** @param {Record<string, any>[]} records */
function sumCodes(records) {
  /** @type {Record<string, number>} */
  const codes = {};
  for (const { kind, counters = {} } of records) {
    if (kind !== 'second') continue;
    for (const [name, count] of Object.entries(counters)) {
      const code = /^http\.codes\.(\d+)$/.exec(name)?.[1];
      if (code) codes[code] = (codes[code] ?? 0) + count;
    }
  }
  return codes;
}

/** @param {Record<string, any>[]} records */
function countKinds(records) {
  /** @type {Record<string, number>} */
  const kinds = {};
  for (const { kind } of records) kinds[kind] = (kinds[kind] ?? 0) + 1;
  return kinds;
}

/**
 * @param {import('../../lib/load/auth/auth-config.js').AuthConfig} authConfig
 * @param {string[]} files @param {string} output
 */
function findLeaks({ users, clientSecret }, files, output) {
  // Every JWT begins with eyJ.
  const secrets = [
    ...users.map(({ password }) => password),
    ...(clientSecret ? [clientSecret] : []),
    'eyJ',
  ];
  const texts = [
    ['the terminal', output],
    ...files.map(file => [path.basename(file), readFileSync(file, 'utf8')]),
  ];
  return texts
    .filter(([, text]) => secrets.some(secret => text?.includes(secret)))
    .map(([name]) => name ?? '');
}

/** @param {string} folder @returns {string[]} */
function listFiles(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => path.join(entry.parentPath, entry.name));
}
