/** What a command line says of gunicorn: is this it, which application, bound where, which worker class. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { readVariable } from '../process/process-table.js';
import { parseProgram } from './server-kinds.js';

/**
 * @typedef {object} GunicornCommand
 * @property {'master' | 'worker' | 'other' | null} title what the process title says of the role; null
 *   without `setproctitle`, where a worker shows the same command line as its master
 * @property {string | null} appName `module:callable`, as given on the command line or in the title
 * @property {string[]} binds as given on the command line
 * @property {string | null} workerClass null when only a configuration file could say
 * @property {number | null} threads of a worker, as given on the command line
 */

/** Options without a value: the word after one of these is not its value. */
const FLAGS = new Set(
  `-D --daemon -R --enable-stdio-inheritance --reload --preload --reuse-port --no-sendfile --spew
  --check-config --print-config --capture-output --log-syslog --initgroups --no-control-socket
  --do-handshake-on-connect --suppress-ragged-eofs --strip-header-spaces
  --disable-redirect-access-to-syslog --permit-unconventional-http-method
  --permit-unconventional-http-version --permit-obsolete-folding`.split(/\s+/),
);

/**
 * Reads a command line.
 * @param {string[]} argv
 * @returns {GunicornCommand | null} null: not gunicorn
 */
export function parseGunicornCommand(argv) {
  const title = /^gunicorn: (\S+)(?: \[(.*)\])?/.exec(argv[0] ?? '');
  if (title) {
    const role = title[1] === 'master' || title[1] === 'worker' ? title[1] : 'other';
    return { title: role, appName: title[2] ?? null, binds: [], workerClass: null, threads: null };
  }
  const { name, args } = parseProgram(argv);
  if (name !== 'gunicorn') return null;
  const { options, appName } = parseArguments(args);
  const last = (/** @type {string[]} */ ...names) =>
    options.findLast(([name]) => names.includes(name))?.[1] ?? null;
  const threads = Number(last('--threads')) || null;
  // gunicorn itself turns sync with several threads into gthread.
  const declared = last('-k', '--worker-class');
  const isSync = declared === null || declared === 'sync';
  const worker = isSync && threads !== null && threads > 1 ? 'gthread' : declared;
  return {
    title: null,
    appName,
    binds: options.filter(([name]) => name === '-b' || name === '--bind').map(([, value]) => value),
    workerClass: worker,
    threads,
  };
}

/**
 * Does a configuration file, which we do not evaluate, have a say besides the command line?
 * @param {string[]} argv
 * @param {string} cwd of the process
 */
export function hasConfigFile(argv, cwd) {
  if (argv.some(arg => arg === '-c' || /^--config(=|$)/.test(arg))) return true;
  return existsSync(path.join(cwd, 'gunicorn.conf.py'));
}

/** Is `GUNICORN_CMD_ARGS` set for it? Unreadable counts as yes. @param {number} pid */
export function hasEnvironmentArguments(pid) {
  const value = readVariable(pid, 'GUNICORN_CMD_ARGS');
  return value !== undefined && value !== '';
}

/** @param {string[]} args */
function parseArguments(args) {
  /** @type {[string, string][]} */
  const options = [];
  /** @type {string | null} */
  let appName = null;
  for (let i = 0; i < args.length; i++) {
    const word = args[i] ?? '';
    const long = /^(--[\w-]+)=(.*)$/s.exec(word);
    const short = /^(-[a-zA-Z])(.+)$/s.exec(word);
    if (long) options.push([long[1] ?? '', long[2] ?? '']);
    else if (FLAGS.has(word)) continue;
    else if (short && !word.startsWith('--')) options.push([short[1] ?? '', short[2] ?? '']);
    else if (word.startsWith('-')) options.push([word, args[++i] ?? '']);
    else appName ??= word;
  }
  return { options, appName };
}
