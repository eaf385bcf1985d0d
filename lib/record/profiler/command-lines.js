/** Redacts the command lines that py-spy writes, with process and thread, before each stack. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { entryOf } from '../../files/maps.js';
import { isOwnFolder, listFiles } from '../../files/own-files.js';
import { replaceFile } from '../../files/replace-file.js';

/** A command line may contain `";`: it ends where py-spy's next frame starts. */
const COMMAND_LINE =
  /process (\d+):"([\s\S]*?)(?=";(?:process \d+:"|thread \((?:\d+|0x[\da-fA-F]+)\))|$)/g;
const SEGMENT = /^(?:segment|waits)-\d+\.raw$/;

/** @typedef {(text: string) => string} Redact */

/**
 * @param {string} file of py-spy, whole
 * @param {Redact} redact
 * @param {(pid: number) => number} [rename] for processes of other machines, whose pids may coincide
 */
export function redactCommandLines(file, redact, rename = pid => pid) {
  /** The same few precede all stacks. @type {Map<string, string>} */
  const known = new Map();
  const clean = (/** @type {string} */ line) => entryOf(known, line, () => redact(line));
  try {
    const text = readFileSync(file, 'utf8');
    const cleaned = text.replace(
      COMMAND_LINE,
      (_, pid, line) => `process ${rename(Number(pid))}:"${clean(line)}`,
    );
    if (cleaned !== text) replaceFile(file, cleaned);
  } catch {
    // On a full disk, keep what was measured.
  }
}

/**
 * Redacts the files of a run whose loadflame was killed: py-spy outlives it long enough to write its last file.
 * @param {string} folder of the run; left alone if another user made it
 * @param {Redact} redact
 */
export function redactLeftSegments(folder, redact) {
  if (!isOwnFolder(folder)) return;
  for (const name of listFiles(folder))
    if (SEGMENT.test(path.basename(name))) redactCommandLines(path.join(folder, name), redact);
}
