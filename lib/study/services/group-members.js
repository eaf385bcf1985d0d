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
const KILL_WAIT_MS = 2_000;

/**
 * `own`: null while its leader is not known, or where it could not be started.
 * @typedef {{own: import('../../process/process-group.js').ProcessGroup | null, mark: string, stopSignal: NodeJS.Signals}} Group
 */

/** @param {Group} group those that are alive */
function listMembers({ own, mark }) {
  const all = listProcesses();
  const inGroup = own ? listGroup(own, all) : [];
  return all
    .filter(one => inGroup.includes(one) || readVariable(one.pid, MARK_VARIABLE) === mark)
    .filter(({ pid }) => isProcessAlive(pid));
}

/**
 * Ends a group whose leader had its signal. What that left, such as the program of a shell, gets the signal, too.
 * @param {Group} group
 * @param {number} graceMs until SIGKILL
 * @param {number} [signalled] pid of who had it
 */
export async function endMembers(group, graceMs, signalled) {
  const members = listMembers(group);
  const isOfMember = (/** @type {number} */ parent) => members.some(({ pid }) => pid === parent);
  for (const member of members)
    if (member.pid !== signalled && !isOfMember(member.ppid)) send(member, group.stopSignal);
  if (!(await waitUntilGone(group, graceMs))) await killMembers(group);
}

/** @param {Group} group @param {number} timeoutMs @returns {Promise<boolean>} false: some are left */
async function waitUntilGone(group, timeoutMs) {
  const deadlineMs = Date.now() + timeoutMs;
  while (listMembers(group).length > 0) {
    if (Date.now() > deadlineMs) return false;
    await sleep(POLL_MS);
  }
  return true;
}

/**
 * Ends what is left with SIGKILL; again, while new ones appear.
 * @param {Group} group
 */
async function killMembers(group) {
  const deadlineMs = Date.now() + KILL_WAIT_MS;
  do {
    if (group.own) signalGroup(group.own, 'SIGKILL');
    for (const member of listMembers(group)) send(member, 'SIGKILL');
  } while (!(await waitUntilGone(group, 5 * POLL_MS)) && Date.now() < deadlineMs);
}

/** @param {import('../../process/process-table.js').ProcessStat} member @param {NodeJS.Signals} signal */
function send({ pid, startTicks }, signal) {
  try {
    if (isSameProcess(pid, startTicks)) process.kill(pid, signal);
  } catch {
    // It has ended by itself.
  }
}
