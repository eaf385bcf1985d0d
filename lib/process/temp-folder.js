/** Temporary folders that name their owner: what a killed process left is removed by who makes the next. */
import { randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { isSameProcess, readLink, readStartTicks } from './process-table.js';

/**
 * Process, its start and its namespace of processes (of another container's with the same folder nothing is known).
 * Short: the path of a Unix socket in it has 107 bytes at most.
 */
const NAME = /^loadflame-([0-9a-z]+)-([0-9a-z]+)-([0-9a-z]+)-[0-9a-f]{8}$/;

/**
 * @param {{mode?: number}} [options]
 * @returns {string} absolute; to be removed by who made it
 */
export function makeTempFolder({ mode = 0o700 } = {}) {
  removeAbandoned();
  const owner = [process.pid, readStartTicks(process.pid) ?? 0, readNamespace()];
  const name = [...owner.map(part => part.toString(36)), randomBytes(4).toString('hex')].join('-');
  const folder = path.join(os.tmpdir(), `loadflame-${name}`);
  mkdirSync(folder, { mode });
  return folder;
}

/** By name ours, of this user, and whose process is gone. */
function removeAbandoned() {
  for (const name of readdirSync(os.tmpdir())) {
    const [pid, startTicks, namespace] = (NAME.exec(name)?.slice(1) ?? []).map(part =>
      Number.parseInt(part, 36),
    );
    if (pid === undefined || namespace !== readNamespace()) continue;
    if (isSameProcess(pid, startTicks || null)) continue;
    const folder = path.join(os.tmpdir(), name);
    try {
      const stats = lstatSync(folder);
      if (stats.isDirectory() && stats.uid === process.geteuid?.())
        rmSync(folder, { recursive: true, force: true });
    } catch {
      // Another process removes it just now.
    }
  }
}

/** @returns {number} 0 where there is none */
function readNamespace() {
  return Number(/\d+/.exec(readLink('/proc/self/ns/pid') ?? '')?.[0] ?? 0);
}
