/** The demo is part of a clone and not of the npm package. */
import { existsSync } from 'node:fs';
import { LoadflameError } from '../errors.js';

const DEMO = new URL('../../demo/start.js', import.meta.url);

/**
 * @returns {Promise<typeof import('../../demo/start.js')>}
 * @throws {LoadflameError} DEMO_MISSING
 */
export async function loadDemo() {
  if (!existsSync(DEMO)) throw new LoadflameError('DEMO_MISSING');
  return import(DEMO.href);
}

/** How the demo's API validates tokens: DEMO_AUTH. @param {NodeJS.ProcessEnv} env @param {readonly string[]} modes */
export function readDemoAuth(env, modes) {
  const auth = env.DEMO_AUTH || 'introspect';
  if (!modes.includes(auth)) {
    const data = {
      name: 'DEMO_AUTH',
      value: JSON.stringify(auth),
      source: 'environment',
      allowed: `one of ${modes.join(', ')}`,
    };
    throw new LoadflameError('SETTING_INVALID', data);
  }
  return /** @type {'introspect' | 'decode' | 'cached'} */ (auth);
}
