/**
 * Artillery's engines, the very modules that its workers run. The package exports none of them, so
 * they are imported by path; read in version 2.0.34.
 */
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);
const root = path.dirname(require.resolve('artillery/package.json'));

/** @param {string} module below `dist/lib` */
async function load(module) {
  const { href } = pathToFileURL(path.join(root, 'dist', 'lib', ...module.split('/')));
  return (await import(href)).default;
}

export const HttpEngine = await load('core/engine_http.js');
export const SocketIoEngine = await load('core/engine_socketio.js');

/** @returns {any} what Artillery shares between its parts in a thread */
export function artilleryGlobal() {
  return /** @type {any} */ (globalThis).artillery;
}

/**
 * Fills `{{ templates }}` as Artillery does.
 * @param {unknown} value @param {any} context
 */
export function fillTemplate(value, context) {
  return artilleryGlobal().util.template(value, context);
}

for (const [engine, methods] of /** @type {const} */ ([
  [HttpEngine, ['step', '_handleResponse']],
  [SocketIoEngine, ['step', 'createScenario', 'loadContextSocket']],
])) {
  for (const method of methods) {
    if (typeof engine?.prototype?.[method] !== 'function') {
      throw new Error(`this version of Artillery has no ${engine?.name ?? 'engine'}.${method}`);
    }
  }
}
