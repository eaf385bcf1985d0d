/** What loadflame runs with, without the packages of checks, tests and optional parts. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './setup/root.js';

/** @param {string} name */
const readJson = name => JSON.parse(readFileSync(path.join(ROOT, name), 'utf8'));

/** @returns {{manifest: any, lock: any}} of package.json and package-lock.json */
export function readProduction() {
  const { devDependencies: _, ...manifest } = readJson('package.json');
  const lock = readJson('package-lock.json');
  const kept = Object.entries(lock.packages).filter(
    ([, entry]) => !(entry.dev || entry.optional || entry.devOptional),
  );
  const packages = {
    ...Object.fromEntries(kept),
    '': { ...lock.packages[''], devDependencies: {} },
  };
  return { manifest, lock: { ...lock, packages } };
}
