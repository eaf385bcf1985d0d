import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ProfileBuilder } from '../../lib/analysis/stacks/profile-builder.js';
import { createLineReader } from '../../lib/analysis/stacks/read-lines.js';
import { createRawParser } from '../../lib/analysis/stacks/read-raw.js';

/** Collapsed stacks, read as those of a file are. @param {string} text @param {'running' | 'all'} [threads] */
export function parseRaw(text, threads) {
  const builder = new ProfileBuilder(threads);
  const parser = createRawParser(builder);
  const folder = mkdtempSync(path.join(os.tmpdir(), 'loadflame-test-'));
  try {
    const file = path.join(folder, 'stacks.raw');
    writeFileSync(file, text);
    createLineReader((bytes, from, to) => parser.addLine(bytes.toString('utf8', from, to)))(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
  parser.end();
  return builder.build({ source: 'raw' });
}
