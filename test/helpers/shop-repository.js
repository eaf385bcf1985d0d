/** A repository with two versions of an API for `loadflame try`. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { findPython } from '../../research/shares/start-server.js';
import { findFreePort } from './gunicorn.js';
import { makeTempFolder } from './temp-folder.js';

/** What a request does; the environment says more. */
const APP = `
import os, time

COST_MS = float(os.environ.get("COST_MS", MS))

def spend(ms):
    end = time.thread_time() + ms / 1000
    while time.thread_time() < end:
        sum(range(100))

def app(environ, start_response):
    spend(COST_MS)
    status = os.environ.get("STATUS", "200 OK")
    start_response(status, [("Content-Type", "text/plain"), ("Content-Length", "2")])
    return [b"ok"]
`;

/**
 * @param {import('node:test').TestContext} t
 * @param {{main?: number, fast?: number}} [costs] CPU-ms per request of its branches; \`fast\` is checked out
 */
export async function makeShop(t, { main = 8, fast = 4 } = {}) {
  const folder = makeTempFolder(t);
  const git = (/** @type {string[]} */ ...args) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
      encoding: 'utf8',
    });
  git('init', '--quiet', '--initial-branch=main');
  for (const [branch, ms] of Object.entries({ main, fast })) {
    if (branch !== 'main') git('switch', '--quiet', '--create', branch);
    writeFileSync(path.join(folder, 'app.py'), APP.replace('MS)', `${ms})`));
    git('add', '.');
    git('commit', '--quiet', '--message', branch);
  }
  const port = await findFreePort();
  const command = `${findPython(['waitress'])} -m waitress --listen 127.0.0.1:${port} --threads 2 app:app`;
  return {
    folder,
    port,
    command,
    url: `http://127.0.0.1:${port}/`,
    listWorktrees: () => git('worktree', 'list').trim().split('\n'),
  };
}
