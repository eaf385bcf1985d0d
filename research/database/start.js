/** Starts an app of the bench, with the companion and with the clocks of the bench. */
import path from 'node:path';
import { startDemo } from '../../demo/start.js';
import { serveApp } from '../start-app.js';
import { APPS, LIBRARIES } from './apps.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const WORKERS = 2;
const THREADS = 4;

/** @typedef {{url: string, env: Record<string, string>, stop: () => Promise<unknown>}} Server `env`: of the load test */

/**
 * @param {import('./apps.js').App} app
 * @param {{python: string, log: string, env: Record<string, string>}} options
 * @returns {Promise<Server>}
 * @throws {Error} with the end of the app's log
 */
export async function startApp(app, { python, log, env }) {
  if (app.server === 'demo') return startTracedDemo(env);
  const args =
    app.server === 'uvicorn' ? ['uvicorn'] : ['gunicorn', '-w', `${WORKERS}`, '-k', 'gthread'];
  if (app.server === 'gunicorn') args.push('--threads', `${THREADS}`);
  const { url, stop } = await serveApp(python, [...args, `${app.name}:app`], {
    cwd: APPS,
    // the ASGI apps wrap themselves
    companion: app.server === 'gunicorn',
    env: { ...env, PYTHONPATH: [APPS, LIBRARIES, path.join(ROOT, 'companion')].join(':') },
    log,
    route: app.paths[0],
  });
  return { url, env: {}, stop };
}

/** SQLite's trace is on. @param {Record<string, string>} env @returns {Promise<Server>} */
async function startTracedDemo(env) {
  const demo = await startDemo({
    auth: 'cached',
    companion: Boolean(env.LOADFLAME),
    threads: THREADS,
    env: { PYTHONPATH: LIBRARIES, ...env },
  });
  return { url: demo.apiUrl, env: demo.env, stop: demo.stop };
}
