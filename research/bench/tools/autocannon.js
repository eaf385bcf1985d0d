import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Requests after which a connection is made anew; undefined: never. @type {Record<string, string[]>} */
const RECONNECT = { closed: [], rate: [], 'users-of-10': ['-D', '10'], 'users-of-1': ['-D', '1'] };

/** @type {import('../bench.d.ts').Tool} in one thread */
export const autocannon = {
  name: 'autocannon',
  find() {
    try {
      const file = require.resolve('autocannon/package.json');
      return { version: JSON.parse(readFileSync(file, 'utf8')).version };
    } catch {
      return { missing: 'npm ci' };
    }
  },
  command({ shape, url, durationSec, users, perSec }) {
    const reconnect = RECONNECT[shape];
    if (!reconnect) return null;
    const program = require.resolve('autocannon/autocannon.js');
    const rate = shape === 'rate' ? ['-R', String(perSec)] : [];
    const length = ['-c', String(users), '-d', String(durationSec)];
    return {
      file: process.execPath,
      args: [program, '--json', ...length, ...rate, ...reconnect, `${url}/`],
    };
  },
  readLatency(_job, output) {
    const { latency } = JSON.parse(output.slice(output.indexOf('{')));
    return { p50: latency.p50, p95: null, p99: latency.p99 };
  },
};
