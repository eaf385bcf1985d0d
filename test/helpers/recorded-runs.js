/** Recorded runs of `test/fixtures/runs`. */
import { cpSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { makeTempFolder } from './temp-folder.js';

const FOLDER = path.resolve(import.meta.dirname, '../fixtures/runs');

/** Their names. */
export const RECORDED = readdirSync(FOLDER, { withFileTypes: true }).flatMap(entry =>
  entry.isDirectory() ? [entry.name] : [],
);

/**
 * A copy that a test may change.
 * @param {import('node:test').TestContext} t
 * @param {string} name
 * @returns {string} folder
 */
export function cloneRun(t, name) {
  const folder = path.join(makeTempFolder(t), name);
  cpSync(path.join(FOLDER, name), folder, { recursive: true });
  return folder;
}
