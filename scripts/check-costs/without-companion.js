/** The same run as if the companion had not been there. */
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const MARKER = /;[^;]* \(<loadflame (?:route|time)>(?::\d+)?\)(?=[; ])/g;

/**
 * Copies a run folder and takes out what the companion wrote: its frames on the stacks, and what its
 * header told in the load's records.
 * @param {string} folder
 * @param {string} copy
 */
export function copyWithoutCompanion(folder, copy) {
  cpSync(folder, copy, { recursive: true });
  for (const name of readdirSync(path.join(copy, 'profile')).filter(file => file.endsWith('.raw')))
    rewrite(path.join(copy, 'profile', name), line => line.replace(MARKER, ''));
  rewrite(path.join(copy, 'load', 'metrics.ndjson'), line => {
    if (line === '') return line;
    const record = JSON.parse(line);
    delete record.workers;
    for (const endpoint of Object.values(record.endpoints ?? {})) delete endpoint.server;
    return JSON.stringify(record);
  });
}

/** @param {string} file @param {(line: string) => string} change */
function rewrite(file, change) {
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.split('\n').map(change).join('\n'));
}
