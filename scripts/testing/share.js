/**
 * One process of tests: `node share.js <folder> <its number>`. Runs unit after unit of `units.json`, always the next that no
 * other process has taken, so that all end at about the same time. Each file is a suite: hooks at its top level are its own.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { after, suite } from 'node:test';
import { pathToFileURL } from 'node:url';

const [folder = '', number = ''] = process.argv.slice(2);
/** @type {string[][]} */
const units = JSON.parse(readFileSync(path.join(folder, 'units.json'), 'utf8'));
const root = process.cwd();

for (const [nth, files] of units.entries()) {
  const place = path.join(folder, `${nth}`);
  // Nothing, where another process was first.
  if (!mkdirSync(place, { recursive: true })) continue;
  mkdirSync(path.join(place, number));
  await Promise.all(files.map(run));
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
