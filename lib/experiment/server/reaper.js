/**
 * A separate process that outlives loadflame. Its standard input ends when loadflame is gone, for any reason; it then
 * ends the registered process groups. Their leaders have already received a stop signal from the kernel. This handles
 * processes that ignore it, and children that a leader leaves behind.
 */
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { endMembers } from './start-group.js';

/** @import { Group } from './start-group.js' */

const GRACE_MS = 3_000;
/** A process that is just being created does not carry the mark of its group yet. */
const BIRTH_MS = 500;

/** @type {Map<string, Group>} mark → group */
const groups = new Map();
for await (const line of createInterface({ input: process.stdin })) {
  const { keep, forget } = JSON.parse(line);
  if (keep) groups.set(keep.mark, keep);
  else groups.delete(forget);
}
await Promise.all(
  [...groups.values()].map(async group => {
    if (group.own === null) await sleep(BIRTH_MS);
    await endMembers(group, GRACE_MS);
  }),
);
