/** One nginx worker on a processor of its own: the same server for every generator. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startChild } from '../../../lib/base/process/child.js';
import { onCore } from '../cores.js';
import { findFreePort } from './find-free-port.js';

const START_TIMEOUT_MS = 5000;
const CERTIFICATE = path.resolve(import.meta.dirname, '../../../test/fixtures/tls/self-signed');
/** 64 bytes, as JSON. */
export const BODY = `{"ok":true,"text":"${'x'.repeat(43)}"}`;

/** @returns {string | null} its version; null where it is missing */
export function findNginx() {
  const { stderr, error } = spawnSync('nginx', ['-v'], { encoding: 'utf8' });
  return error ? null : (/nginx\/(\S+)/.exec(stderr)?.[1] ?? 'unknown');
}

/**
 * @param {Pick<import('../bench.d.ts').Setting, 'dir' | 'cores'>} setting its configuration and logs
 *   go into a folder below `dir`
 * @param {{tls?: boolean}} [options]
 * @returns {Promise<{url: string, pid: number, countRequests: () => Promise<number>,
 *   stop: () => Promise<void>}>} `countRequests`: how many it has been sent so far, by its own count
 */
export async function startNginx(setting, { tls = false } = {}) {
  const dir = path.join(setting.dir, 'nginx');
  mkdirSync(dir, { recursive: true });
  const [port, tlsPort] = [await findFreePort(), await findFreePort()];
  const configFile = path.join(dir, 'nginx.conf');
  writeFileSync(configFile, configure(dir, port, tlsPort));
  const [program = '', ...words] = onCore(setting.cores.server);
  const child = startChild(
    program,
    [...words, 'nginx', '-e', 'error.log', '-p', dir, '-c', configFile],
    {
      stdout: 'ignore',
      stderr: 'ignore',
    },
  );
  const url = `http://127.0.0.1:${port}`;
  let ownRequests = 0;
  const countRequests = async () => {
    const status = await readStatus(url);
    ownRequests += 1;
    return status - ownRequests;
  };
  const deadlineMs = performance.now() + START_TIMEOUT_MS;
  while (!((await countRequests().catch(() => null)) !== null)) {
    if (performance.now() > deadlineMs || !child.isAlive()) {
      await child.stop();
      throw new Error(`nginx did not start; see ${path.join(dir, 'error.log')}`);
    }
    await sleep(50);
  }
  return {
    url: tls ? `https://127.0.0.1:${tlsPort}` : url,
    pid: child.pid,
    countRequests,
    stop: async () => void (await child.stop()),
  };
}

/** @param {string} dir @param {number} port @param {number} tlsPort */
function configure(dir, port, tlsPort) {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map(name => `  ${name}_temp_path ${path.join(dir, name)};`)
    .join('\n');
  return `daemon off;
worker_processes 1;
pid ${path.join(dir, 'nginx.pid')};
worker_rlimit_nofile 16384;
events { worker_connections 8192; }
http {
  access_log off;
${temporary}
  default_type application/json;
  keepalive_requests 2000000000;
  keepalive_timeout 1h;
  server {
    listen 127.0.0.1:${port} backlog=4096;
    listen 127.0.0.1:${tlsPort} ssl backlog=4096;
    ssl_certificate ${CERTIFICATE}.crt;
    ssl_certificate_key ${CERTIFICATE}.key;
    location / { return 200 '${BODY}'; }
    location = /nginx-status { stub_status; }
  }
}
`;
}

/** @param {string} url */
async function readStatus(url) {
  const response = await fetch(`${url}/nginx-status`, { headers: { connection: 'close' } });
  const [, , requests] = /^\s*(\d+) (\d+) (\d+)\s*$/m.exec(await response.text())?.slice(1) ?? [];
  return Number(requests);
}
