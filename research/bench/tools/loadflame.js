/** `loadflame test`, as in real use: everything is recorded, and the report is written at the end. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { writeArtilleryScript } from './artillery-script.js';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const find = () => ({
  version: JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')).version,
});

/** @param {string} script @param {string} dir @param {string[]} [flags] */
function test(script, dir, flags = []) {
  const program = path.join(ROOT, 'bin', 'loadflame.js');
  const folder = path.join(dir, 'profiles');
  return {
    file: process.execPath,
    args: [program, 'test', script, '--profiles', folder, ...flags],
  };
}

/** @param {import('../bench.d.ts').Job} job @returns {import('../bench.d.ts').Latency} */
function readLatency({ dir }) {
  const [file = ''] = globSync(path.join(dir, 'profiles', '*', 'report.json'));
  const { http } = JSON.parse(readFileSync(file, 'utf8')).load;
  const { p50Ms, p95Ms, p99Ms } = http.totalTime ?? http.timeToFirstByte;
  return { p50: p50Ms, p95: p95Ms, p99: p99Ms };
}

/** @type {import('../bench.d.ts').Tool} the same scripts as Artillery's */
export const loadflame = {
  name: 'loadflame',
  find,
  command: job => test(writeArtilleryScript(job, 'loadflame'), job.dir),
  readLatency,
};

/**
 * With a phase of its own kind: users keep their connections.
 * @param {string} name @param {string[]} [flags]
 * @returns {import('../bench.d.ts').Tool}
 */
function useUsers(name, flags) {
  return {
    name,
    find,
    command(job) {
      if (job.shape !== 'closed') return null;
      const phase = { duration: job.durationSec, users: job.users };
      const script = writeArtilleryScript({ ...job, shape: 'users-of-1' }, 'loadflame', phase);
      return test(script, job.dir, flags);
    },
  };
}

export const loadflameUsers = useUsers('loadflame (users: N)');

/** The same in several workers, which share the one processor. */
export const loadflameWorkers = [2, 4, 8].map(workers =>
  useUsers(`loadflame on ${workers} workers`, ['--workers', String(workers)]),
);

/** @type {import('../bench.d.ts').Tool} Artillery's engine under our recorder */
export const loadflameArtillery = {
  name: 'loadflame --engine artillery',
  find,
  command: job => test(writeArtilleryScript(job, 'artillery'), job.dir, ['--engine', 'artillery']),
  readLatency,
};
