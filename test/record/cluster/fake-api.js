/** An API of a cluster that answers as a test says, and a login for it. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { readConfig } from '../../../lib/base/config/read-config.js';
import { createRedactor } from '../../../lib/base/files/redaction.js';
import { connectCluster } from '../../../lib/base/kubernetes/connect.js';
import { listen } from '../../helpers/listen.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

/** @import { TestContext } from 'node:test' */

export const TOKEN = 'sha256~kT4vZq8mN2xR7yB1cW5d';

/** @param {string} folder @param {string} server @returns {string} its file */
export function writeKubeconfig(folder, server) {
  const file = path.join(folder, 'kubeconfig');
  writeFileSync(
    file,
    `clusters: [{name: lab, cluster: {server: "${server}", insecure-skip-tls-verify: true}}]
users: [{name: me, user: {token: ${TOKEN}}}]
contexts: [{name: lab, context: {cluster: lab, user: me, namespace: shop}}]
current-context: lab
`,
  );
  return file;
}

/**
 * @param {TestContext} t
 * @param {string} server
 * @param {Record<string, string>} [env]
 */
export async function connect(t, server, env = {}) {
  const file = writeKubeconfig(makeTempFolder(t), server);
  const config = readConfig({ env: { KUBECONFIG: file, ...env }, folder: null });
  const redactor = createRedactor();
  return { config, redactor, cluster: await connectCluster(config, redactor) };
}

/** @param {TestContext} t @param {(url: string) => [number, string]} answer */
export function serve(t, answer) {
  const server = http.createServer(({ url = '', headers }, response) => {
    const [status, body] = answer(url);
    assert.equal(headers.authorization, `Bearer ${TOKEN}`);
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  return listen(t, server);
}
