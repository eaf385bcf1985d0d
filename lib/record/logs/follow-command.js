/** Following the output of a command, `oc logs -f deploy/api`, and owning it to its end. */

import { LoadflameError } from '../../errors.js';
import { createLineSplitter } from '../../files/split-lines.js';
import { startChild } from '../../process/child.js';

/** Of a last line. */
const LOOKED_AT = 16_384;
/** From SIGTERM to SIGKILL. */
const GRACE_MS = 2000;

/**
 * Words of a command line: blanks part them, quotes hold them together, a backslash outside of single
 * quotes takes the next character as it is. No shell: nothing is expanded, nothing is piped.
 * @param {string} text
 * @param {string} name of the setting or flag
 * @returns {string[]}
 * @throws {LoadflameError} COMMAND_INVALID
 */
export function splitCommand(text, name = 'LOG_COMMAND') {
  /** @type {string[]} */
  const words = [];
  let word = '';
  let isWord = false;
  let quote = '';
  for (let index = 0; index < text.length; index++) {
    const char = text[index] ?? '';
    if (char === '\\' && quote !== "'" && index + 1 < text.length) {
      index += 1;
      word += text[index];
      isWord = true;
    } else if (quote) {
      if (char === quote) quote = '';
      else word += char;
    } else if (char === '"' || char === "'") {
      quote = char;
      isWord = true;
    } else if (/\s/.test(char)) {
      if (isWord) words.push(word);
      word = '';
      isWord = false;
    } else {
      word += char;
      isWord = true;
    }
  }
  if (quote)
    throw new LoadflameError('COMMAND_INVALID', { name, reason: `a ${quote} is never closed` });
  if (isWord) words.push(word);
  if (words.length === 0)
    throw new LoadflameError('COMMAND_INVALID', { name, reason: 'it is empty' });
  return words;
}

/**
 * @typedef {object} FollowedCommand
 * @property {Promise<string>} ended how it came to its end; never rejects
 * @property {() => Promise<void>} stop SIGTERM, then SIGKILL, to it and what it started; what it said up
 *   to then has arrived when this resolves; idempotent
 */

/**
 * Both streams are followed: `docker logs` repeats a container's standard error on its own.
 * @param {string[]} words
 * @param {(line: string) => void} onLine
 * @param {{redact: (text: string) => string, env?: Record<string, string>}} options `env`: it sees these, too
 * @returns {FollowedCommand}
 */
export function followCommand([program = '', ...args], onLine, { redact, env }) {
  const child = startChild(program, args, {
    env,
    stdout: 'pipe',
    stderr: 'pipe',
    // What it started may hold on to its output, and is ours to end, too.
    groupGraceMs: GRACE_MS,
  });
  /** @type {string[]} */
  const tail = [];
  const { stdout, stderr } = child.process;
  const streams = [stdout, stderr].filter(stream => stream !== null && stream !== undefined);
  for (const stream of streams) {
    const lines = createLineSplitter(line => {
      if (line !== '') tail.push(line);
      if (tail.length > 3) tail.shift();
      onLine(line);
    });
    stream.on('data', lines.add).on('end', lines.flush);
  }
  let isStopping = false;
  const ended = child.ended.then(({ exitCode, signal, error }) => {
    if (error) return `it could not be started: ${error.message.split('\n')[0]}`;
    // Redacted before it is cut, so that no secret is cut in two.
    const words = tail.map(line => redact(line.slice(0, LOOKED_AT)).slice(0, 300));
    const how = signal ? `it was ended by ${signal}` : `it ended with code ${exitCode}`;
    return isStopping || tail.length === 0 ? how : `${how}: ${words.join(' | ')}`;
  });
  const stop = async () => {
    isStopping = true;
    await child.stop();
    await ended;
  };
  return { ended, stop };
}
