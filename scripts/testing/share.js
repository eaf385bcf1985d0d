/**
 * One process of tests: `node share.js <folder> <its number>`. Runs unit after unit of `units.json`, always the next that no
 * other process has taken, so that all end at about the same time. Each file is a suite: hooks at its top level are its own.
 * What a test leaves open is named, and ends with the process some seconds after the last test.
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
// Without this a timer or a socket that is left open would keep this process, and with it the whole run, for ever.
setTimeout(() => {
  console.error(`left open by tests: ${process.getActiveResourcesInfo().join(', ')}`);
  // The runner's own end, with its totals, as of a process in which nothing is left.
  process.emit('beforeExit', Number(process.exitCode ?? 0));
  setTimeout(() => process.exit(), 1000);
}, 5000).unref();

/** @param {string} file */
function run(file) {
  return new Promise(ended => {
    suite(file, () => {
      after(ended);
      return import(pathToFileURL(path.resolve(root, file)).href);
    });
  });
}
