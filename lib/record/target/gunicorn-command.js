/** Parses a command line of gunicorn: whether it is one, the application, the addresses and the worker class. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { readVariable } from '../../base/process/process-table.js';
import { parseProgram } from './server-kinds.js';

/**
 * @typedef {object} GunicornCommand
 * @property {'master' | 'worker' | 'other' | null} title the role in the process title; null
 *   without `setproctitle`, when workers have the same command line as their master
 * @property {string | null} appName `module:callable`, as given on the command line or in the title
 * @property {string[]} binds as given on the command line
 * @property {string | null} workerClass null if only a configuration file can define it
 * @property {number | null} threads per worker, as given on the command line
 */

/** Options without a value: the next word is not their value. */
const FLAGS = new Set(
  `-D --daemon -R --enable-stdio-inheritance --reload --preload --reuse-port --no-sendfile --spew
  --check-config --print-config --capture-output --log-syslog --initgroups --no-control-socket
  --do-handshake-on-connect --suppress-ragged-eofs --strip-header-spaces
  --disable-redirect-access-to-syslog --permit-unconventional-http-method
  --permit-unconventional-http-version --permit-obsolete-folding`.split(/\s+/),
);

/**
 * Parses a command line.
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
  // gunicorn itself replaces sync with several threads by gthread.
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
 * Whether a configuration file, which we do not evaluate, may override defaults.
 * @param {string[]} argv
 * @param {string} cwd of the process
 */
export function hasConfigFile(argv, cwd) {
  if (argv.some(arg => arg === '-c' || /^--config(=|$)/.test(arg))) return true;
  return existsSync(path.join(cwd, 'gunicorn.conf.py'));
}

/** Whether it has `GUNICORN_CMD_ARGS` set; true if its environment is not readable. @param {number} pid */
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
