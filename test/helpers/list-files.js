import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** @param {string} folder @returns {[string, number, string][]} */
export function listFiles(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap(entry => {
    const file = path.join(entry.parentPath, entry.name);
    return entry.isFile() ? [[file, lstatSync(file).mtimeMs, readFileSync(file, 'utf8')]] : [];
  });
}
