/** Targets that are discovered instead of typed: turns a list in a page, an API's response or a file into CSV. */
import { realpathSync } from 'node:fs';
import path from 'node:path';
import { LoadflameError } from '../../errors.js';
import { readBeginning, sendGet } from '../../files/read-body.js';
import { readRegularFile } from '../../files/regular-file.js';
import { replaceFile } from '../../files/replace-file.js';
import { throwIfInterrupted } from '../../process/interruptible.js';
import { NO_ACCESS } from '../../record/probes/read-probe.js';
import { crawlPages } from './crawl-pages.js';
import { pickItems } from './pick-items.js';

/** @import { Access } from '../../record/probes/read-probe.js' */
/** @import { List } from '../../facts/study-file.d.ts' */

/**
 * @typedef {object} PayloadEntry of Artillery's `config.payload`
 * @property {string} path absolute
 * @property {string[]} fields
 * @property {'random' | 'sequence'} order
 * @property {false} cast `007` stays as it is
 */

/**
 * @param {List[]} lists with their templates filled
 * @param {object} options
 * @param {string} options.url of the target
 * @param {number[]} [options.ports] the study's own on this machine: items may point there too
 * @param {string} options.folder receives one CSV file per list
 * @param {string} options.studyDir list files must lie below it
 * @param {Access} [options.access]
 * @param {(line: string) => void} [options.onNote]
 * @param {AbortSignal} options.signal
 * @returns {Promise<{payload: PayloadEntry[]}>}
 * @throws {LoadflameError} STUDY_LIST_UNREADABLE, STUDY_LIST_EMPTY, STUDY_LIST_FOREIGN,
 *   RUN_FOLDER_UNWRITABLE, INTERRUPTED
 */
export async function discoverTargets(lists, { url, ports = [], folder, studyDir, ...asked }) {
  const { access = NO_ACCESS, onNote = () => {}, signal } = asked;
  /** @type {PayloadEntry[]} */
  const payload = [];
  for (const { name, from, match, order, crawl } of lists) {
    const read = (/** @type {string} */ place) =>
      readListSource({ name, from: place }, { url, studyDir, signal, access });
    let items;
    if (crawl && !/^(file|text):/.test(from)) {
      const found = await crawlPages(
        { name, from, match, order, crawl },
        {
          start: placeOf(from, url),
          isOurs: place => isAllowedHost(place.href, { url, ports }),
          read: place => read(place.href),
        },
      );
      items = found.items;
      const beyond = `${found.unread} pages beyond the ${crawl.pages} of crawl.pages were not read`;
      if (found.unread > 0) onNote(`list ${name}: ${beyond}`);
    } else items = pickItems({ name, from, match }, await read(from));
    if (items.length === 0) throw new LoadflameError('STUDY_LIST_EMPTY', { name, match, from });
    assertAllowedHosts(items, { name, url, ports });
    const file = path.resolve(folder, `${name}.csv`);
    const lines = items.map(item => `"${item.replaceAll('"', '""')}"\n`);
    replaceFile(file, lines, { code: 'RUN_FOLDER_UNWRITABLE' });
    payload.push({ path: file, fields: [name], order, cast: false });
  }
  return { payload };
}

/** @param {string} from @param {string} url of the target */
function placeOf(from, url) {
  return from.startsWith('/') ? new URL(`${url}${from}`) : new URL(from);
}

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 10 * 2 ** 20;
const MAX_REDIRECTS = 5;

/**
 * @param {{name: string, from: string}} list
 * @param {{url: string, studyDir: string, signal: AbortSignal, access: Access}} options `url` of the target
 * @returns {Promise<{text: string, isHtml: boolean}>}
 * @throws {LoadflameError} STUDY_LIST_UNREADABLE, INTERRUPTED
 */
async function readListSource({ name, from }, { url, studyDir, signal, access }) {
  throwIfInterrupted(signal);
  try {
    if (from.startsWith('file:')) return readBelow(from.slice('file:'.length), studyDir);
    if (from.startsWith('text:')) return { text: from.slice('text:'.length), isHtml: false };
    return await get(placeOf(from, url), { signal, access });
  } catch (cause) {
    throwIfInterrupted(signal);
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (cause);
    const reason = code ? `${message || code}` : message;
    throw new LoadflameError('STUDY_LIST_UNREADABLE', { name, from, reason }, { cause });
  }
}

/** @param {string} file @param {string} studyDir */
function readBelow(file, studyDir) {
  const folder = realpathSync(studyDir);
  const real = realpathSync(path.resolve(folder, file));
  if (!real.startsWith(`${folder}${path.sep}`)) throw new Error("it is outside the study's folder");
  return { text: readRegularFile(real, MAX_BYTES), isHtml: /\.html?$/i.test(real) };
}

/**
 * Follows redirects only within the same origin.
 * @param {URL} place @param {{signal: AbortSignal, access: Access}} options @param {number} [redirects] so far
 * @returns {Promise<{text: string, isHtml: boolean}>}
 */
async function get(place, { signal, access }, redirects = 0) {
  const response = await sendGet(place, {
    ...(await access(place)),
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  });
  const { statusCode = 0, headers } = response;
  if (statusCode >= 300 && headers.location !== undefined) {
    response.destroy();
    const next = new URL(headers.location, place);
    if (next.origin !== place.origin) throw new Error(`it redirects to ${next.origin}`);
    if (redirects >= MAX_REDIRECTS) throw new Error('it redirects without end');
    return get(next, { signal, access }, redirects + 1);
  }
  if (statusCode !== 200) {
    response.destroy();
    throw new Error(`it responds with status ${statusCode}`);
  }
  const { text, isWhole } = await readBeginning(response, MAX_BYTES);
  if (!isWhole) throw new Error(`it is larger than ${MAX_BYTES / 2 ** 20} MB`);
  const isHtml = /^text\/html\b/i.test(String(headers['content-type'] ?? ''));
  return { text, isHtml };
}

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];
const SCHEMES = ['http:', 'https:', 'ws:', 'wss:'];

/**
 * An item is a path or a plain text (an id), or an address of the target or of a port of the study.
 * What a browser would read as an address counts as one: `//host`, `\\host`, `http:host`.
 * @param {string[]} items
 * @param {{name: string, url: string, ports: number[]}} list its name, address of the target, and ports on
 *   this machine
 * @throws {LoadflameError} STUDY_LIST_FOREIGN for the first item that leads elsewhere
 */
export function assertAllowedHosts(items, { name, url, ports }) {
  const foreign = items.find(item => !isAllowedHost(item, { url, ports }));
  if (foreign === undefined) return;
  const allowed = [new URL(url).host, ...ports.map(port => `127.0.0.1:${port}`)].join(', ');
  const item = foreign.length > 120 ? `${foreign.slice(0, 119)}…` : foreign;
  throw new LoadflameError('STUDY_LIST_FOREIGN', { name, item, allowed });
}

/** @param {string} item @param {{url: string, ports: number[]}} study address of its target, and its ports */
function isAllowedHost(item, { url: base, ports }) {
  const isAddress = /^(?:[a-z][\w+.-]*:)?[\\/]{2}|^(?:https?|wss?):/i.test(item);
  if (!isAddress) return true;
  // `http:host` is a path relative to an address, and a host on its own.
  const beside = /^[\\/]/.test(item) ? base : undefined;
  if (!URL.canParse(item, beside)) return false;
  const { protocol, host, hostname, port, username, password } = new URL(item, beside);
  const isOwnPort = LOOPBACK.includes(hostname) && ports.includes(Number(port));
  if (host !== new URL(base).host && !isOwnPort) return false;
  return SCHEMES.includes(protocol) && !username && !password;
}
