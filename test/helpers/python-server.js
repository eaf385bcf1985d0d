/** A real Python server of any kind for tests, with an application that burns CPU; ended with the test. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pickVariables } from '../../lib/base/process/bare-environment.js';
import { startGroup } from '../../lib/experiment/server/start-group.js';
import { findPython } from '../../research/shares/start-server.js';
import { FIXTURES, findFreePort, waitUntil } from './gunicorn.js';
import { makeTempFolder } from './temp-folder.js';

/**
 * @param {import('node:test').TestContext} t
 * @param {string[]} modules that its Python must have
 * @param {string} command behind `python`
 * @param {Record<string, string>} [env]
 */
export function startPython(t, modules, command, env = {}) {
  const log = path.join(makeTempFolder(t), 'log');
  // A group: servers leave their reloaders and workers behind.
  const group = startGroup([findPython(modules), ...command.split(' ')], {
    cwd: FIXTURES,
    env: { ...pickVariables(), PYTHONDONTWRITEBYTECODE: '1', ...env },
    log,
  });
  t.after(() => group.stop());
  return { group, log };
}

/**
 * @param {import('node:test').TestContext} t
 * @param {string[]} modules that its Python must have
 * @param {string} command behind `python`; PORT is replaced
 * @param {number} [port] a free one without it
 * @param {Record<string, string>} [env]
 */
export async function startPythonServer(t, modules, command, port = 0, env = {}) {
  port ||= await findFreePort();
  const { group, log } = startPython(t, modules, command.replace('PORT', `${port}`), env);
  const url = `http://127.0.0.1:${port}`;
  await waitUntil(async () => {
    if (!group.isAlive()) throw new Error(`did not start: ${readFileSync(log, 'utf8')}`);
    return answers(url);
  }, 'the server');
  return { pid: group.pid, port, url };
}

/** @param {string} url */
function answers(url) {
  return fetch(`${url}/burn/1`, { signal: AbortSignal.timeout(500) }).then(
    response => response.ok,
    () => false,
  );
}
