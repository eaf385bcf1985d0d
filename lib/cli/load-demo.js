/** The demo is part of a clone and not of the npm package. */
import { existsSync } from 'node:fs';
import { LoadflameError } from '../errors.js';

const DEMO = new URL('../../demo/start.js', import.meta.url);

/**
 * @returns {Promise<typeof import('../../demo/start.js')>}
 * @throws {LoadflameError} DEMO_MISSING
 */
async function loadDemo() {
  if (!existsSync(DEMO)) throw new LoadflameError('DEMO_MISSING');
  return import(DEMO.href);
}

/**
 * Starts the demo; an interruption while it starts ends it, a later one does not.
 * @param {AbortSignal} signal
 * @param {import('../../demo/start.js').DemoOptions} options
 * @throws {LoadflameError} DEMO_MISSING, INTERRUPTED
 */
export async function startDemoUnless(signal, options) {
  const { startDemo } = await loadDemo();
  const starting = new AbortController();
  const stop = () => starting.abort(new LoadflameError('INTERRUPTED'));
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await startDemo({ ...options, signal: starting.signal });
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/**
 * What the environment says of the demo: DEMO_AUTH, DEMO_COMPANION, DEMO_SLOW_QUERY_MS.
 * @param {NodeJS.ProcessEnv} env
 * @throws {LoadflameError} DEMO_MISSING, SETTING_INVALID
 */
export async function readDemoOptions(env) {
  const { AUTH_MODES } = await loadDemo();
  return {
    auth: readDemoAuth(env, AUTH_MODES),
    companion: readDemoCompanion(env),
    slowQueryMs: readDemoSlowQuery(env),
  };
}

/**
 * Is the gunicorn companion in the demo's API: DEMO_COMPANION. It is, unless told otherwise: without it
 * no sample can be told to belong to a request for sure.
 * @param {NodeJS.ProcessEnv} env
 */
export function readDemoCompanion({ DEMO_COMPANION: value }) {
  if (value === undefined || value === '' || value === '1') return true;
  if (value === '0') return false;
  throw refuse('DEMO_COMPANION', value, '1 or 0');
}

/**
 * How long the first query of each request of the demo's API takes, in ms: DEMO_SLOW_QUERY_MS; 0.
 * @param {NodeJS.ProcessEnv} env
 */
export function readDemoSlowQuery({ DEMO_SLOW_QUERY_MS: value }) {
  if (!value) return 0;
  if (/^\d{1,5}$/.test(value)) return Number(value);
  throw refuse('DEMO_SLOW_QUERY_MS', value, 'milliseconds, 0 to 99999');
}

/** How the demo's API validates tokens: DEMO_AUTH. @param {NodeJS.ProcessEnv} env @param {readonly string[]} modes */
function readDemoAuth(env, modes) {
  const auth = env.DEMO_AUTH || 'introspect';
  if (!modes.includes(auth)) throw refuse('DEMO_AUTH', auth, `one of ${modes.join(', ')}`);
  return /** @type {'introspect' | 'decode' | 'cached'} */ (auth);
}

/** @param {string} name @param {string} value @param {string} allowed */
function refuse(name, value, allowed) {
  const data = { name, value: JSON.stringify(value), source: 'environment', allowed };
  return new LoadflameError('SETTING_INVALID', data);
}
