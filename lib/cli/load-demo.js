/** The demo is part of a clone and not of the npm package. */
import { existsSync } from 'node:fs';
import { oneOf, wholeNumber } from '../base/config/parsers.js';
import { LoadflameError } from '../base/errors.js';

/** @import { Parser } from '../base/config/parsers.js' */
/** @import { DemoOptions } from '../../demo/start.js' */

const DEMO = new URL('../../demo/start.js', import.meta.url);

export const hasDemo = existsSync(DEMO);

/**
 * @returns {Promise<typeof import('../../demo/start.js')>}
 * @throws {LoadflameError} DEMO_MISSING
 */
export async function loadDemo() {
  if (!hasDemo) throw new LoadflameError('DEMO_MISSING');
  return import(DEMO.href);
}

/**
 * Starts the demo; an interruption while it starts ends it, a later one does not.
 * @param {AbortSignal} signal
 * @param {DemoOptions} options
 * @throws {LoadflameError} DEMO_MISSING, INTERRUPTED
 */
export async function startDemoUnless(signal, options) {
  const { startDemo } = await loadDemo();
  const { stoppable } = await import('../base/process/interruptible.js');
  const starting = new AbortController();
  const stop = () => starting.abort(new LoadflameError('INTERRUPTED'));
  return stoppable(signal, stop, startDemo({ ...options, signal: starting.signal }));
}

/**
 * Reads the options of the demo from the environment. The companion is on by default: without it, samples
 * cannot be assigned to requests with certainty. `slowQueryMs`: duration of the first query of each request.
 * @param {NodeJS.ProcessEnv} env
 * @throws {LoadflameError} DEMO_MISSING, SETTING_INVALID
 */
export async function readDemoOptions(env) {
  const { AUTH_MODES } = await loadDemo();
  const { LOADFLAME_REMEDY: remedy, LOADFLAME_REMEDY_TOKEN: token = '' } = env;
  const { readSetting } = await import('../base/config/read-config.js');
  const layers = [{ source: 'environment', values: env }];
  const read = (/** @type {string} */ name, /** @type {Parser<any>} */ parser, initial = '') =>
    readSetting({ name, parser, default: initial, about: '' }, layers).value;
  return {
    auth: read('DEMO_AUTH', oneOf(...AUTH_MODES), 'introspect'),
    companion: read('DEMO_COMPANION', oneOf('1', '0'), '1') === '1',
    slowQueryMs: read('DEMO_SLOW_QUERY_MS', wholeNumber(0, 99_999), '0'),
    ...(remedy && { env: { LOADFLAME_REMEDY: remedy, LOADFLAME_REMEDY_TOKEN: token } }),
  };
}
