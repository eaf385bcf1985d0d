/** All processes of a program that we started, whoever their parent is by now. */
import { setTimeout as sleep } from 'node:timers/promises';
import { listGroup, signalGroup } from '../../process/process-group.js';
import {
  isProcessAlive,
  isSameProcess,
  listProcesses,
  readVariable,
} from '../../process/process-table.js';

/** In the environment of every process of a group: daemons leave the group, but keep the mark. */
export const MARK_VARIABLE = 'LOADFLAME_GROUP';

const POLL_MS = 20;

/**
 * `own`: null while its leader is not known, or where it could not be started.
 * @typedef {{own: import('../../process/process-group.js').ProcessGroup | null, mark: string}} Group
 */

/** @param {Group} group those that are alive */
function listMembers({ own, mark }) {
  const all = listProcesses();
  const inGroup = own ? listGroup(own, all) : [];
  return all
    .filter(one => inGroup.includes(one) || readVariable(one.pid, MARK_VARIABLE) === mark)
    .filter(({ pid }) => isProcessAlive(pid));
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
    if (group.own) signalGroup(group.own, 'SIGKILL');
    for (const member of listMembers(group)) kill(member);
  } while (!(await waitUntilGone(group, 5 * POLL_MS)) && Date.now() < deadlineMs);
}

/** @param {import('../../process/process-table.js').ProcessStat} member */
function kill({ pid, startTicks }) {
  try {
    if (isSameProcess(pid, startTicks)) process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
