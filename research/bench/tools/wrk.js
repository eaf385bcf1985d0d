import { spawnSync } from 'node:child_process';

/** @type {import('../bench.d.ts').Tool} one thread; it knows closed loops only */
export const wrk = {
  name: 'wrk',
  find() {
    const { stdout, error } = spawnSync('wrk', ['-v'], { encoding: 'utf8' });
    if (error) return { missing: 'research/install-bench-peers.sh' };
    return { version: /wrk (?:debian\/)?([\d.]+)/.exec(stdout)?.[1] ?? 'unknown' };
  },
  command({ shape, url, durationSec, users }) {
    if (shape !== 'closed') return null;
    return { file: 'wrk', args: ['-t1', `-c${users}`, `-d${durationSec}`, '--latency', `${url}/`] };
  },
};
