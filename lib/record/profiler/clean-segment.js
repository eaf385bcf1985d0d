/** Cleans what py-spy writes: redacts the command line before each stack, and shortens the paths of files. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { entryOf } from '../../base/files/maps.js';
import { isOwnFolder, listFiles } from '../../base/files/own-files.js';
import { replaceFile } from '../../base/files/replace-file.js';

/** A command line may contain `";`: it ends where py-spy's next frame starts. */
const COMMAND_LINE =
  /process (\d+):"([\s\S]*?)(?=";(?:process \d+:"|thread \((?:\d+|0x[\da-fA-F]+)\))|$)/g;
const SEGMENT = /^(?:segment|waits)-\d+\.raw$/;

/** @typedef {(text: string) => string} Redact */

/** A frame with a whole path. */
const FRAME = / \((\/[^;\n]*):(\d+)\)(?=;| \d+$)/gm;
/** Folders of the standard library and of installed packages. */
const LIBRARY =
  /^.*\/(?:(?:site|dist)-packages|lib(?:64)?\/(?:python|pypy)\d[\d.]*t?)\/(?:[^/]+\.(?:egg|whl|zip)\/)?/;

/**
 * @param {string} file of py-spy, whole
 * @param {Redact} redact
 * @param {object} [of]
 * @param {(pid: number) => number} [of.rename] for processes of other machines, whose pids may coincide
 * @param {number} [of.masterPid] the target, which may see other files than we do
 */
export function cleanSegment(file, redact, { rename = pid => pid, masterPid } = {}) {
  const shorten = createShortener(masterPid ? `/proc/${masterPid}/root` : '');
  /** The same few precede all stacks. @type {Map<string, string>} */
  const known = new Map();
  const clean = (/** @type {string} */ line) => entryOf(known, line, () => redact(line));
  try {
    const text = readFileSync(file, 'utf8');
    const cleaned = text
      .replace(COMMAND_LINE, (_, pid, line) => `process ${rename(Number(pid))}:"${clean(line)}`)
      .replace(FRAME, (_, full, line) => ` (${shorten(full)}:${line})`);
    if (cleaned !== text) replaceFile(file, cleaned);
  } catch {
    // On a full disk, keep what was measured.
  }
}

/**
 * As py-spy itself shortens paths: from the outermost package on. It does not know packages without `__init__.py`
 * (`opentelemetry/context`), which would look like the application.
 * @param {string} root where the target's files are, if they are not at the same path here
 */
function createShortener(root) {
  /** @type {Map<string, string>} */
  const known = new Map();
  return (/** @type {string} */ full) =>
    entryOf(known, full, () => {
      if (LIBRARY.test(full)) return full.replace(LIBRARY, '');
      const at = [full, root + full].find(one => existsSync(one));
      if (at === undefined) return full;
      let top = path.dirname(at);
      while (existsSync(path.join(top, '__init__.py'))) top = path.dirname(top);
      return path.relative(top, at);
    });
}

/**
 * Cleans the files of a run whose loadflame was killed: py-spy outlives it long enough to write its last file.
 * @param {string} folder of the run; left alone if another user made it
 * @param {Redact} redact
 */
export function cleanLeftSegments(folder, redact) {
  if (!isOwnFolder(folder)) return;
  for (const name of listFiles(folder))
    if (SEGMENT.test(path.basename(name))) cleanSegment(path.join(folder, name), redact);
}
