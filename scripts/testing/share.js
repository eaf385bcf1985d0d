/**
 * One process of tests: `node share.js <folder> <its number>`. Runs unit after unit of `units.json`, always the next that no
 * other process has taken, so that all end at about the same time. Each file is a suite: hooks at its top level are its own.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, suite } from 'node:test';
import { pathToFileURL } from 'node:url';

const [folder = '', number = ''] = process.argv.slice(2);
/** @type {string[][]} */
const units = JSON.parse(readFileSync(path.join(folder, 'units.json'), 'utf8'));
const root = process.cwd();

for (const [nth, files] of units.entries()) {
  if (take(path.join(folder, `${nth}`))) await Promise.all(files.map(run));
}

/** @param {string} file */
function run(file) {
  return new Promise(ended => {
    suite(file, () => {
      after(ended);
      return import(pathToFileURL(path.resolve(root, file)).href);
    });
  });
}

/** @param {string} unit */
function take(unit) {
  try {
    writeFileSync(unit, number, { flag: 'wx' });
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false;
    throw error;
  }
}
