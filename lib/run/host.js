/** What a run was measured on and with. */
import { readFileSync } from 'node:fs';
import os from 'node:os';

/** @returns {import('./facts/records.d.ts').Manifest['host']} */
export function describeHost() {
  return {
    platform: `${process.platform} ${process.arch}`,
    // What this process may use: fewer than the machine has where an affinity or quota is set.
    cpus: os.availableParallelism(),
    cpuModel: os.cpus()[0]?.model ?? 'unknown',
    memoryBytes: os.totalmem(),
    kernel: os.release(),
  };
}

/** Versions of what runs each part of loadflame. @returns {Record<string, string>} */
export function describeVersions() {
  const own = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return { loadflame: String(JSON.parse(own).version), node: process.versions.node };
}
