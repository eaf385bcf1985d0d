import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const OWN = path.resolve(import.meta.dirname, '../../../.tools/locust/bin/locust');

/** Ours where it is installed, else the system's. */
const findProgram = () => (existsSync(OWN) ? OWN : 'locust');

/** @type {import('../bench.d.ts').Tool} its fast client, in one process */
export const locust = {
  name: 'locust',
  find() {
    const { stdout, error } = spawnSync(findProgram(), ['--version'], { encoding: 'utf8' });
    if (error) return { missing: 'research/install-bench-peers.sh' };
    return { version: /locust (\S+)/.exec(stdout)?.[1] ?? 'unknown' };
  },
  command({ shape, url, dir, durationSec, users, perSec }) {
    if (shape !== 'closed' && shape !== 'rate') return null;
    const wait = shape === 'rate' ? `constant_throughput(${perSec / users})` : 'constant(0)';
    const file = path.join(dir, 'locustfile.py');
    writeFileSync(file, writeLocustfile(wait));
    const size = ['--users', String(users), '--spawn-rate', String(users)];
    const length = ['--run-time', `${durationSec}s`, '--csv', path.join(dir, 'locust')];
    const flags = ['--headless', '--only-summary', ...size, ...length, '--host', url];
    return { file: findProgram(), args: ['-f', file, ...flags] };
  },
  readLatency({ dir }) {
    const lines = readFileSync(path.join(dir, 'locust_stats.csv'), 'utf8').trim().split('\n');
    const names = lines[0]?.split(',') ?? [];
    const total = lines.at(-1)?.split(',') ?? [];
    const pick = (/** @type {string} */ name) => Number(total[names.indexOf(name)]);
    return { p50: pick('50%'), p95: pick('95%'), p99: pick('99%') };
  },
};

/** @param {string} wait */
function writeLocustfile(wait) {
  return `from locust import FastHttpUser, constant, constant_throughput, task


class Visitor(FastHttpUser):
    wait_time = ${wait}

    @task
    def visit(self):
        self.client.get("/")
`;
}
