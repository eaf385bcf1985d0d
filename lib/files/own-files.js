/**
 * Files and folders of runs: the user's own, and never written through a link. Every file of a run or a study
 * folder is opened for writing here (`npm run check` sees to it).
 */
import {
  appendFileSync,
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
} from 'node:fs';
import path from 'node:path';

const { COPYFILE_EXCL, COPYFILE_FICLONE } = constants;
const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants;
const OWN_FILE = 0o600;
const OWN_FOLDER = 0o700;

/**
 * @param {string} folder with those that lead to it
 * @param {{isNew?: boolean}} [options] `isNew`: alone, and throws EEXIST if it exists
 */
export function makeFolder(folder, { isNew = false } = {}) {
  mkdirSync(folder, { recursive: !isNew, mode: OWN_FOLDER });
}

/**
 * Opens a file for writing at its end, and makes it where there is none.
 * @param {string} file
 * @returns {number} descriptor
 * @throws {NodeJS.ErrnoException} ELOOP for a link; EINVAL, ENXIO or EISDIR for what else is no file
 */
export function openToAppend(file) {
  // A pipe in its place would keep us waiting for who reads it.
  const how = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK;
  const descriptor = openSync(file, how, OWN_FILE);
  if (fstatSync(descriptor).isFile()) return descriptor;
  closeSync(descriptor);
  throw Object.assign(new Error(`${file} is no file`), { code: 'EINVAL' });
}

/**
 * @param {string} file
 * @param {string | Uint8Array} text
 * @param {{flush?: boolean}} [options] `flush`: on the disk itself, and not only with the system
 * @throws {NodeJS.ErrnoException} as `openToAppend`, and what writing throws
 */
export function appendText(file, text, options) {
  const descriptor = openToAppend(file);
  try {
    appendFileSync(descriptor, text, options);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Opens a file that must not be there yet.
 * @param {string} file
 * @param {number} [mode] less the umask
 * @returns {number} descriptor
 * @throws {NodeJS.ErrnoException} EEXIST, for a link, too
 */
export function openNew(file, mode = OWN_FILE) {
  return openSync(file, O_WRONLY | O_CREAT | O_EXCL, mode);
}

/**
 * @param {string} from a file
 * @param {string} to that must not be there yet; shares its blocks where the file system can
 * @throws {NodeJS.ErrnoException} EEXIST, for a link, too
 */
export function copyToNew(from, to) {
  copyFileSync(from, to, COPYFILE_EXCL | COPYFILE_FICLONE);
  chmodSync(to, OWN_FILE);
}

/**
 * May be resumed: the folder and all folders in it are this user's, and no link in it leads elsewhere. One that
 * someone else made may be read; where it would be written into, a link in place of a file or a folder could be
 * anything.
 * @param {string} folder
 * @returns {boolean}
 */
export function isOwnFolder(folder) {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (!stats?.isDirectory() || stats.uid !== (process.geteuid?.() ?? stats.uid)) return false;
  // Not with `recursive`, which follows links, and lists the whole machine where one leads to its root.
  return readdirSync(folder, { withFileTypes: true }).every(
    entry => entry.isFile() || (entry.isDirectory() && isOwnFolder(path.join(folder, entry.name))),
  );
}

/**
 * Files below a folder. `recursive` would follow links, out of the folder.
 * @param {string} folder
 * @param {string} [below] a folder in it
 * @returns {string[]} paths in it; without links
 */
export function listFiles(folder, below = '') {
  return readdirSync(path.join(folder, below), { withFileTypes: true }).flatMap(entry => {
    const name = path.join(below, entry.name);
    return entry.isDirectory() ? listFiles(folder, name) : entry.isFile() ? [name] : [];
  });
}
