/** All processes of a program that we started, whoever their parent is by now. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isProcessAlive, listProcesses, readVariable } from '../../process-table.js';

/** In the environment of every process of a group: daemons leave the group, but keep the mark. */
export const MARK_VARIABLE = 'LOADFLAME_GROUP';

const POLL_MS = 20;

/**
 * `pid`: of its leader, which is also the group's id; null while that is not known, or where it could not
 * be started.
 * @typedef {{pid: number | null, mark: string}} Group
 */

/** @param {Group} group @returns {number[]} pids that are alive */
export function listMembers({ pid: leader, mark }) {
  return listProcesses()
    .filter(({ pid, pgid }) => pgid === leader || readVariable(pid, MARK_VARIABLE) === mark)
    .filter(({ pid }) => isProcessAlive(pid))
    .map(({ pid }) => pid);
}

/** @param {Group} group @param {number} timeoutMs @returns {Promise<boolean>} false: some are left */
export async function waitUntilGone(group, timeoutMs) {
  const deadlineMs = Date.now() + timeoutMs;
  while (listMembers(group).length > 0) {
    if (Date.now() > deadlineMs) return false;
    await sleep(POLL_MS);
  }
  return true;
}

/**
 * Ends what is left with SIGKILL; again, while new ones appear.
 * @param {Group} group @param {number} timeoutMs
 */
export async function killMembers(group, timeoutMs) {
  const deadlineMs = Date.now() + timeoutMs;
  do {
    if (group.pid !== null) kill(-group.pid);
    for (const pid of listMembers(group)) kill(pid);
  } while (!(await waitUntilGone(group, 5 * POLL_MS)) && Date.now() < deadlineMs);
}

/** @param {number} pid negative: of a group */
function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
