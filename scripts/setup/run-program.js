/** Runs a program of the set-up, and shows that it is alive while it takes long. */
import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { ROOT, TOOLS } from './root.js';
import { say } from './say.js';

const LIVE_EVERY_MS = 1000;
const PLAIN_EVERY_MS = 10_000;

/** What programs of the set-up said, for whoever has to find out why one failed. */
const LOG = path.join(TOOLS, 'setup.log');

const SIGNALS = /** @type {const} */ ({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 });

/**
 * @typedef {object} ProgramEnd
 * @property {number | null} status null where it could not be run, or was killed
 * @property {string} output all that it printed; else why it could not be run
 */

/**
 * Interrupted by Ctrl+C, it ends the program and this process; what is half installed has no stamp,
 * and the next call begins it anew.
 * @param {string} title of what is being done, like "installing npm packages"
 * @param {string} program
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<ProgramEnd>}
 */
export async function runProgram(title, program, args, env = process.env) {
  const child = spawn(program, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', text => {
      output += text;
    });
  }
  const stopProgress = showProgress(title);
  /** @type {number | null} */
  let interrupted = null;
  const handlers = Object.entries(SIGNALS).map(([signal, exitCode]) => {
    const handler = () => {
      interrupted = exitCode;
      // Asked politely, npm takes a minute to undo what the next call removes anyway.
      child.kill('SIGKILL');
    };
    process.on(signal, handler);
    return () => process.off(signal, handler);
  });
  /** @type {number | null} */
  const status = await new Promise(resolve => {
    child.on('error', error => {
      output += error.message;
      resolve(null);
    });
    child.on('close', resolve);
  });
  stopProgress();
  for (const remove of handlers) remove();
  writeLog(`$ ${program} ${args.join(' ')}\n${output}\n`);
  if (interrupted !== null) {
    say('interrupted; the next call takes it up');
    process.exit(interrupted);
  }
  return { status, output };
}

/** A quick question to a program. @param {string} program @param {string[]} args */
export function askProgram(program, args) {
  const { status, stdout } = spawnSync(program, args, { encoding: 'utf8', cwd: ROOT });
  return { status, stdout: (stdout ?? '').trim() };
}

/**
 * The lines of a failed program that say why.
 * @param {string} output @param {RegExp} wanted @param {number} count of lines, from the first on
 */
export function findReason(output, wanted, count) {
  const lines = output.split('\n').map(line => line.trim());
  const found = lines
    .filter(line => wanted.test(line))
    .map(line => line.replace(wanted, '').trim());
  const reason = found.filter(Boolean).slice(0, count).join(' / ');
  return reason || lines.filter(Boolean).slice(-count).join(' / ') || 'it said nothing';
}

/** One live line on a terminal, a plain one now and then elsewhere. @param {string} title */
function showProgress(title) {
  const { stderr } = process;
  const live = Boolean(stderr.isTTY) && !process.env.CI && process.env.TERM !== 'dumb';
  const startMs = Date.now();
  say(`${title} …`);
  const timer = setInterval(
    () => {
      const seconds = Math.round((Date.now() - startMs) / 1000);
      if (live) stderr.write(`\r\x1b[2K        ${seconds} s`);
      else say(`still ${title}, ${seconds} s`);
    },
    live ? LIVE_EVERY_MS : PLAIN_EVERY_MS,
  );
  return () => {
    clearInterval(timer);
    if (live) stderr.write('\r\x1b[2K');
  };
}

/** @param {string} text */
function writeLog(text) {
  try {
    mkdirSync(TOOLS, { recursive: true });
    appendFileSync(LOG, text);
  } catch {
    // The log is a help only; the error itself is printed.
  }
}
