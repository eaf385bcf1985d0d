import { readFileSync } from 'node:fs';
import { isProcessAlive } from '../process-table.js';
import { listSocketInodes } from './listening-socket.js';
import { isForkOf, listChildren } from './process-family.js';

/**
 * The workers that are alive now: children of the master without `dirty-arbiter`, resource trackers,
 * helpers of `multiprocessing`, and a new master that USR2 started.
 * @param {number} masterPid
 * @returns {number[]} oldest first
 */
export function listWorkers(masterPid) {
  return listChildren(masterPid).filter(
    pid => isForkOf(pid, masterPid) && isProcessAlive(pid) && !isSecondMaster(pid),
  );
}

/**
 * Without a process title the dirty arbiter and a new master (USR2) look like workers. They have
 * children of their own; so may a worker whose application forks, therefore their own marks count.
 * @param {number} pid
 */
function isSecondMaster(pid) {
  if (!listChildren(pid).some(child => isForkOf(child, pid))) return false;
  try {
    if (/(^|\0)GUNICORN_FD=/.test(readFileSync(`/proc/${pid}/environ`, 'latin1'))) return true;
  } catch {
    return true;
  }
  const inodes = new Set(listSocketInodes(pid));
  return readFileSync('/proc/net/unix', 'latin1')
    .split('\n')
    .some(line => {
      const fields = line.trim().split(/\s+/);
      return inodes.has(fields[6] ?? '') && /\/gunicorn-dirty-[^/]*\/arbiter/.test(fields[7] ?? '');
    });
}
