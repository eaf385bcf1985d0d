/** Hooks of a script. */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);

/**
 * Loads a processor as Artillery's runner does (2.0.34): found by CommonJS rules, loaded with
 * `import()`, which takes CommonJS, ES modules and TypeScript.
 * @param {unknown} processor absolute path; anything else is no file
 * @returns {Promise<Record<string, any> | undefined>} a plain object: plugins add their own hooks
 * @throws {Error} with the name of the file
 */
export async function loadProcessor(processor) {
  if (typeof processor !== 'string') return undefined;
  try {
    const namespace = await import(pathToFileURL(resolve(processor)).href);
    return Object.assign({}, namespace.default ?? {}, namespace);
  } catch (cause) {
    const { message } = /** @type {Error} */ (cause);
    throw new Error(`the processor ${processor} can not be loaded: ${message}`, { cause });
  }
}

/** @param {string} processor */
function resolve(processor) {
  try {
    return require.resolve(processor);
  } catch {
    return processor;
  }
}
