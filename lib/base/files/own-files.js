/**
 * Files and folders of runs belong to this user alone and are never written through a link. Every file of a run or
 * study folder is opened for writing here (`npm run check` enforces it).
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
 * @param {string} folder created with its parents
 * @param {{isNew?: boolean}} [options] `isNew`: without its parents; throws EEXIST if it exists
 */
export function makeFolder(folder, { isNew = false } = {}) {
  mkdirSync(folder, { recursive: !isNew, mode: OWN_FOLDER });
}

/**
 * Opens a file for appending, and creates it if it does not exist.
 * @param {string} file
 * @returns {number} descriptor
 * @throws {NodeJS.ErrnoException} ELOOP for a link; EINVAL, ENXIO or EISDIR for anything else that is no file
 */
export function openToAppend(file) {
  // With a pipe in its place, opening would wait for a reader.
  const how = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK;
  const descriptor = openSync(file, how, OWN_FILE);
  if (fstatSync(descriptor).isFile()) return descriptor;
  closeSync(descriptor);
  throw Object.assign(new Error(`${file} is no file`), { code: 'EINVAL' });
}

/**
 * @param {string} file
 * @param {string | Uint8Array} text
 * @param {{flush?: boolean}} [options] `flush`: waits until it is on the disk
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
 * Opens a file that must not exist yet.
 * @param {string} file
 * @param {number} [mode] minus the umask
 * @returns {number} descriptor
 * @throws {NodeJS.ErrnoException} EEXIST, also for a link
 */
export function openNew(file, mode = OWN_FILE) {
  return openSync(file, O_WRONLY | O_CREAT | O_EXCL, mode);
}

/**
 * @param {string} from a file
 * @param {string} to must not exist yet; shares its blocks if the file system can
 * @throws {NodeJS.ErrnoException} EEXIST, also for a link
 */
export function copyToNew(from, to) {
  copyFileSync(from, to, COPYFILE_EXCL | COPYFILE_FICLONE);
  chmodSync(to, OWN_FILE);
}

/**
 * Whether a folder may be written to again: it and all folders in it belong to this user and contain no links. A folder
 * from someone else may be read, but a link in place of a file could point anywhere.
 * @param {string} folder
 * @returns {boolean}
 */
export function isOwnFolder(folder) {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (!stats?.isDirectory() || stats.uid !== (process.geteuid?.() ?? stats.uid)) return false;
  // `recursive` would follow links, perhaps to the root of the machine.
  return readdirSync(folder, { withFileTypes: true }).every(
    entry => entry.isFile() || (entry.isDirectory() && isOwnFolder(path.join(folder, entry.name))),
  );
}

/**
 * Files below a folder, without links. `recursive` would follow links out of the folder.
 * @param {string} folder
 * @param {string} [below] a folder in it
 * @returns {string[]} paths relative to the folder
 */
export function listFiles(folder, below = '') {
  return readdirSync(path.join(folder, below), { withFileTypes: true }).flatMap(entry => {
    const name = path.join(below, entry.name);
    return entry.isDirectory() ? listFiles(folder, name) : entry.isFile() ? [name] : [];
  });
}
