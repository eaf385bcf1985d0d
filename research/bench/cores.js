/** Which processor does what: the generator has one for itself, the server another. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** @typedef {{generator: number, server: number, own: number}} Cores */

/**
 * @returns {Cores} `own` is for the benchmark itself, which sleeps while it measures: a third
 *   processor where there is one, else the server's
 * @throws {Error} with fewer than two processors, or without `taskset`
 */
export function chooseCores() {
  const status = readFileSync('/proc/self/status', 'utf8');
  const cores = parseCpuList(/^Cpus_allowed_list:\s*(\S+)/m.exec(status)?.[1] ?? '');
  const [generator, server, own = server] = cores;
  if (generator === undefined || server === undefined || own === undefined) {
    throw new Error(
      'the benchmark needs two processors: one for the generator, one for the server',
    );
  }
  if (spawnSync('taskset', ['--version']).error) {
    throw new Error('taskset is missing; it is part of util-linux');
  }
  return { generator, server, own };
}

/** @param {string} list as the kernel writes it, `0-2,5` @returns {number[]} */
export function parseCpuList(list) {
  return list
    .split(',')
    .filter(Boolean)
    .flatMap(range => {
      const [first = Number.NaN, last = first] = range.split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_, index) => first + index);
    });
}

/** Keeps this process, and what it will start, on a processor. @param {number} core */
export function pinSelf(core) {
  spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', String(core), String(process.pid)]);
}

/** @param {number} core @returns {string[]} words before a command */
export function onCore(core) {
  return ['taskset', '--cpu-list', String(core)];
}
