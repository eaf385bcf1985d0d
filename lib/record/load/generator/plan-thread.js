/** The thread of `prepare-plan.js`. */
import { rmSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import { replaceFile } from '../../../files/replace-file.js';
import { makeTempFolder } from '../../../process/temp-folder.js';
import { importArtillery, serializeScript } from '../artillery-modules.js';

/** @import { Plan } from './workers.js' */

/** An import that ends with one of these has run nothing of the file. */
const NEEDS_BUNDLING = new Set([
  'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX',
  'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING',
  'ERR_MODULE_NOT_FOUND',
  'ERR_UNSUPPORTED_DIR_IMPORT',
  'ERR_IMPORT_ATTRIBUTE_MISSING',
  'MODULE_NOT_FOUND',
]);

const { script, file, flags } = workerData;

/** @type {any} */
const artillery = {};
/** @type {any} */ (globalThis).artillery = artillery;

try {
  parentPort?.postMessage({ plan: await prepare() });
} catch (error) {
  parentPort?.postMessage({ error: /** @type {Error} */ (error).message });
}

/** @returns {Promise<Plan>} */
async function prepare() {
  const { default: generateId } = await importArtillery('util/generate-id.js');
  artillery.testRunId = process.env.ARTILLERY_TEST_RUN_ID || generateId('t');
  const { processor } = script.config;
  const keep = typeof processor === 'string' && (await runsAsItIs(processor));
  if (keep) delete script.config.processor;
  const prepared = await runArtillerys(script);
  if (keep) prepared.config.processor = processor;
  prepared._scriptPath = file;
  prepared._configPath = file;
  return {
    script: prepared,
    testRunId: artillery.testRunId,
    bundle: artillery.hasTypescriptProcessor ?? null,
  };
}

/**
 * Artillery bundles every TypeScript processor; Node runs most as they are, which saves a second and
 * a file beside the script. What Node can't (enums, imports without an ending) is bundled.
 * @param {string} processor
 */
async function runsAsItIs(processor) {
  if (!processor.endsWith('.ts')) return true;
  try {
    await import(pathToFileURL(processor).href);
    return true;
  } catch (error) {
    const { code, name } = /** @type {NodeJS.ErrnoException} */ (error);
    return !(NEEDS_BUNDLING.has(code ?? '') || name === 'SyntaxError');
  }
}

/** @param {Record<string, any>} source @returns {Promise<Record<string, any>>} */
async function runArtillerys(source) {
  const folder = makeTempFolder();
  const scriptFile = path.join(folder, 'script.json');
  try {
    replaceFile(scriptFile, serializeScript(source));
    const { default: prepareTestExecutionPlan } = await importArtillery(
      'util/prepare-test-execution-plan.js',
    );
    return await prepareTestExecutionPlan([scriptFile], flags, {});
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
