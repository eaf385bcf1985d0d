/** `run.json`, the manifest of a run: what was run, with what, when, and how it ended. */

import { LoadflameError } from '../base/errors.js';
import { replaceFile } from '../base/files/replace-file.js';
import { isSameProcess } from '../base/process/process-table.js';
import { readShaped } from './folder-shapes.js';

/** @import { Manifest } from './facts/records.d.ts' */

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
  return readShaped(
    file,
    { name: 'manifest', schema: 'loadflame-run/1' },
    (reason, cause) => new LoadflameError('RUN_FOLDER_NOT_ONE', { file, reason }, { cause }),
  );
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
