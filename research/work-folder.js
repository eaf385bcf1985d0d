/** Where a bench keeps its files. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * @param {string} name of the bench
 * @param {string | null} [keep] the folder that the user wants to keep
 * @returns {string} `keep`, or a temporary folder that goes when the process ends
 */
export function openWorkFolder(name, keep) {
  const folder = keep ? path.resolve(keep) : mkdtempSync(path.join(tmpdir(), `${name}-`));
  mkdirSync(folder, { recursive: true });
  if (!keep) process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
