/** Temporary folders that name their owner: the next process to create one removes those of killed processes. */
import { randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { tryOr } from '../files/try-or.js';
import { isSameProcess, readLink, readStartTicks } from './process-table.js';

/**
 * The process, its start and its pid namespace (another container may share the folder). It is short, because the path
 * of a Unix socket has at most 107 bytes.
 */
const NAME = /^loadflame-([0-9a-z]+)-([0-9a-z]+)-([0-9a-z]+)-[0-9a-f]{8}$/;

/**
 * @param {{mode?: number}} [options]
 * @returns {string} absolute path; the caller removes it
 */
export function makeTempFolder({ mode = 0o700 } = {}) {
  removeAbandoned();
  const owner = [process.pid, readStartTicks(process.pid) ?? 0, readNamespace()];
  const name = [...owner.map(part => part.toString(36)), randomBytes(4).toString('hex')].join('-');
  const folder = path.join(os.tmpdir(), `loadflame-${name}`);
  mkdirSync(folder, { mode });
  return folder;
}

/** Removes our folders of this user whose process has ended. */
function removeAbandoned() {
  for (const name of readdirSync(os.tmpdir())) {
    const [pid, startTicks, namespace] = (NAME.exec(name)?.slice(1) ?? []).map(part =>
      Number.parseInt(part, 36),
    );
    if (pid === undefined || namespace !== readNamespace()) continue;
    if (isSameProcess(pid, startTicks || null)) continue;
    const folder = path.join(os.tmpdir(), name);
    // Another process may be removing it.
    const stats = tryOr(null, () => lstatSync(folder));
    if (stats?.isDirectory() && stats.uid === process.geteuid?.())
      tryOr(null, () => rmSync(folder, { recursive: true, force: true }));
  }
}

/** @returns {number} 0 if there is none */
function readNamespace() {
  return Number(/\d+/.exec(readLink('/proc/self/ns/pid') ?? '')?.[0] ?? 0);
}
