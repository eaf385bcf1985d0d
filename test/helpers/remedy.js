/** Python with a remedy of the companion, in an app under gunicorn or in one process, and what the remedy reported. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { findPython } from '../../research/shares/start-server.js';
import { FIXTURES, PYTHON, startGunicorn, waitUntil } from './gunicorn.js';
import { COMPANION, COMPANION_FILE } from './joined-companion.js';

/**
 * Runs Python code after the companion, without a server: the quick way to see a remedy act.
 * @param {string} remedy
 * @param {string} code prints JSON; may import the apps of test/fixtures
 * @param {Record<string, string>} [env]
 * @param {string} [python]
 * @returns {Promise<ReturnType<typeof readRemedy> & {output: any}>}
 */
export async function runRemedy(remedy, code, env, python = PYTHON) {
  const { stdout, stderr } = await promisify(execFile)(
    python,
    ['-B', '-c', `import json, loadflame_companion\n${code}`],
    {
      env: {
        ...{ LOADFLAME: '1', LOADFLAME_REMEDY: remedy },
        ...{ PYTHONPATH: `${COMPANION}:${FIXTURES}`, ...env },
      },
    },
  );
  return { ...readRemedy(stderr), output: JSON.parse(stdout || 'null') };
}

/**
 * @param {import('node:test').TestContext} t
 * @param {string} remedy
 * @param {{modules?: string[], args?: string[], env?: Record<string, string>, workers?: number, app?: string}} [options]
 */
export async function startRemedy(
  t,
  remedy,
  { modules = [], args = [], env, workers = 1, app = 'remedy_app:app' } = {},
) {
  const python = findPython(['flask', 'gunicorn', ...modules]);
  const { url, folder, child } = await startGunicorn(t, {
    workers,
    app,
    command: [python, '-m', 'gunicorn'],
    args: ['-c', COMPANION_FILE, '-k', 'gthread', '--threads', '4', ...args],
    env: { LOADFLAME: '1', LOADFLAME_REMEDY: remedy, PYTHONDONTWRITEBYTECODE: '1', ...env },
  });
  const log = path.join(folder, 'log');
  return {
    url,
    /** @param {string} at @param {Record<string, string>} [headers] @returns {Promise<any>} */
    ask: async (at, headers) =>
      (await fetch(url + at, { headers: { connection: 'close', ...headers } })).json(),
    /** What all of its processes reported, after their end. */
    async end() {
      await child.stop({ signal: 'SIGTERM', graceMs: 5000 });
      await waitUntil(() => !child.isAlive(), 'the end of gunicorn');
      return readRemedy(readFileSync(log, 'utf8'));
    },
  };
}

/** The sum over its processes. @param {string} log */
function readRemedy(log) {
  /** @type {Map<number, any>} */
  const last = new Map();
  for (const [, json = ''] of log.matchAll(/^loadflame remedy (\{.*\})$/gm)) {
    const facts = JSON.parse(json);
    last.set(facts.pid, facts);
  }
  const all = [...last.values()];
  return {
    acted: all.reduce((sum, { acted }) => sum + acted, 0),
    replaced: [...new Set(all.flatMap(({ replaced }) => replaced))],
    left: [...new Set(all.flatMap(({ left }) => Object.keys(left)))],
    refused: all.map(({ refused }) => refused).find(Boolean) ?? null,
    log,
  };
}
