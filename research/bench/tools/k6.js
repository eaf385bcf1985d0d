import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const OWN = path.resolve(import.meta.dirname, '../../../.tools/k6/k6');

/** Ours where it is installed, else the system's. */
const findProgram = () => (existsSync(OWN) ? OWN : 'k6');

/** Requests of an iteration, where a user opens its own connection. @type {Record<string, number>} */
const REQUESTS = { closed: 1, rate: 1, 'users-of-10': 10, 'users-of-1': 1 };

/** @type {import('../bench.d.ts').Tool} bodies are discarded, as its guide to large tests says */
export const k6 = {
  name: 'k6',
  find() {
    const { stdout, error } = spawnSync(findProgram(), ['version'], { encoding: 'utf8' });
    if (error) return { missing: 'research/install-bench-peers.sh' };
    return { version: /k6 v(\S+)/.exec(stdout)?.[1] ?? 'unknown' };
  },
  command(job) {
    const requests = REQUESTS[job.shape];
    if (requests === undefined) return null;
    const script = path.join(job.dir, 'k6.js');
    writeFileSync(script, writeScript(job, requests));
    const flags = [
      '--quiet',
      '--no-usage-report',
      '--summary-export',
      path.join(job.dir, 'k6.json'),
    ];
    return { file: findProgram(), args: ['run', ...flags, script] };
  },
  readLatency({ dir }) {
    const { metrics } = JSON.parse(readFileSync(path.join(dir, 'k6.json'), 'utf8'));
    const duration = metrics.http_req_duration;
    return { p50: duration.med, p95: duration['p(95)'], p99: duration['p(99)'] };
  },
};

/** @param {import('../bench.d.ts').Job} job @param {number} requests */
function writeScript({ shape, url, durationSec, users, perSec }, requests) {
  const duration = `${durationSec}s`;
  const scenario =
    shape === 'rate'
      ? {
          executor: 'constant-arrival-rate',
          rate: perSec,
          timeUnit: '1s',
          duration,
          preAllocatedVUs: users,
        }
      : { executor: 'constant-vus', vus: users, duration, gracefulStop: '1s' };
  const options = {
    discardResponseBodies: true,
    noVUConnectionReuse: shape.startsWith('users-of-'),
    scenarios: { load: scenario },
    summaryTrendStats: ['min', 'med', 'p(95)', 'p(99)', 'max'],
  };
  return `import http from 'k6/http';
export const options = ${JSON.stringify(options)};
export default function () {
  for (let index = 0; index < ${requests}; index++) http.get(${JSON.stringify(`${url}/`)});
}
`;
}
