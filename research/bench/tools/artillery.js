/** Artillery's own CLI and engines: what the ratios are against. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { writeArtilleryScript } from './artillery-script.js';

const require = createRequire(import.meta.url);
const PACKAGE = require.resolve('artillery/package.json');
const PROGRAM = path.join(path.dirname(PACKAGE), 'bin', 'run');

/** @type {import('../bench.d.ts').Tool} */
export const artillery = {
  name: 'artillery',
  find: () => ({ version: JSON.parse(readFileSync(PACKAGE, 'utf8')).version }),
  command(job) {
    const script = writeArtilleryScript(job, 'artillery');
    return {
      file: process.execPath,
      args: [PROGRAM, 'run', '--output', path.join(job.dir, 'artillery.json'), script],
      env: { ARTILLERY_DISABLE_TELEMETRY: 'true' },
    };
  },
  readLatency({ dir }) {
    const { aggregate } = JSON.parse(readFileSync(path.join(dir, 'artillery.json'), 'utf8'));
    const { p50, p95, p99 } = aggregate.summaries['http.response_time'];
    return { p50, p95, p99 };
  },
};
