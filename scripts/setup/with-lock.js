/** Two terminals on a fresh clone: one sets up, the other waits for it. */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT, TOOLS } from './root.js';
import { say } from './say.js';

const LOCK = path.join(TOOLS, 'setup.lock');
const RETRY_MS = 300;

/**
 * @param {() => Promise<void>} task
 */
export async function withLock(task) {
  mkdirSync(TOOLS, { recursive: true });
  await takeLock();
  process.on('exit', giveBack);
  try {
    await task();
  } finally {
    giveBack();
    process.off('exit', giveBack);
  }
}

function giveBack() {
  if (readHolder() === process.pid) rmSync(LOCK, { force: true });
}

async function takeLock() {
  const own = `${LOCK}.${process.pid}`;
  let told = 0;
  for (;;) {
    // A link appears at once and with its content, so that nobody reads a lock without a holder.
    writeFileSync(own, `${process.pid}\n`);
    try {
      linkSync(own, LOCK);
      return;
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
    } finally {
      rmSync(own, { force: true });
    }
    const holder = readHolder();
    if (holder !== null && !isAlive(holder)) removeDeadLock(holder);
    else {
      if (holder !== null && told !== holder) {
        const file = path.relative(ROOT, LOCK);
        say(`waiting for process ${holder}, which is setting up (if it is not, remove ${file}) …`);
        told = holder;
      }
      await sleep(RETRY_MS);
    }
  }
}

/** Of several that find a dead holder, one removes its lock. @param {number} holder */
function removeDeadLock(holder) {
  const moved = `${LOCK}.${process.pid}.dead`;
  try {
    renameSync(LOCK, moved);
    // Somebody else was quicker, and this is a new and living lock: it goes back.
    if (Number(readFileSync(moved, 'utf8')) !== holder) linkSync(moved, LOCK);
    rmSync(moved, { force: true });
  } catch {
    // It was gone already.
  }
}

/** @returns {number | null} */
function readHolder() {
  try {
    return Number(readFileSync(LOCK, 'utf8')) || null;
  } catch {
    return null;
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}
