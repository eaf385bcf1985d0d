/** `run.json`, the manifest of a run: what was run, with what, when, and how it ended. */

import { LoadflameError } from '../errors.js';
import { showValue } from '../files/check-shape.js';
import { MOST_MANIFEST_BYTES, readRegularJson } from '../files/regular-file.js';
import { replaceFile } from '../files/replace-file.js';
import { isSameProcess } from '../process/process-table.js';
import { findMistake } from './folder-shapes.js';

/** @import { Manifest } from '../facts/records.d.ts' */

/**
 * Replaces the manifest in one step, so that a reader never sees half of it.
 * @param {string} file
 * @param {Manifest} manifest
 * @throws {LoadflameError} RUN_FOLDER_UNWRITABLE; the earlier manifest stays
 */
export function writeManifest(file, manifest) {
  replaceFile(file, `${JSON.stringify(manifest, null, 2)}\n`, { code: 'RUN_FOLDER_UNWRITABLE' });
}

/**
 * @param {string} file
 * @returns {Manifest}
 * @throws {LoadflameError} RUN_FOLDER_NOT_ONE
 */
export function readManifest(file) {
  let manifest;
  try {
    manifest = readRegularJson(file, MOST_MANIFEST_BYTES);
  } catch (cause) {
    throw new LoadflameError('RUN_FOLDER_NOT_ONE', { file, reason: errorText(cause) }, { cause });
  }
  if (manifest?.schema !== 'loadflame-run/1') {
    const reason = `its schema is ${showValue(manifest?.schema)}, not "loadflame-run/1"`;
    throw new LoadflameError('RUN_FOLDER_NOT_ONE', { file, reason });
  }
  const reason = findMistake('manifest', manifest);
  if (reason) throw new LoadflameError('RUN_FOLDER_NOT_ONE', { file, reason });
  return manifest;
}

/**
 * Changes some fields of the manifest on disk.
 * @param {string} file
 * @param {Partial<Manifest> | ((manifest: Manifest) => Partial<Manifest>)} change
 */
export function updateManifest(file, change) {
  const manifest = readManifest(file);
  const fields = typeof change === 'function' ? change(manifest) : change;
  writeManifest(file, { ...manifest, ...fields });
}

/**
 * Is the loadflame that owns this run still at work?
 * @param {Manifest} manifest
 */
export function isRunActive(manifest) {
  return manifest.status === 'running' && isSameProcess(manifest.pid, manifest.pidStartTicks);
}

/** @param {unknown} error */
function errorText(error) {
  const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
  return code === 'ENOENT' ? 'there is no such file' : message;
}
