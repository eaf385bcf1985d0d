/** Does a service run? Each kind of `ready` has its own test. And does it ask for a password? */
import { once } from 'node:events';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { readCommandLine } from '../../process/process-table.js';
import { listListeners, listSocketInodes } from '../../target/listening-socket.js';
import { readLogFrom, runCommand } from './run-command.js';

/** @import { Ready } from '../../facts/study-file.d.ts' */
/** @import { Surroundings } from './start-group.js' */

const POLL_MS = 50;
const LOOK_TIMEOUT_MS = 2_000;

/**
 * @typedef {object} Look
 * @property {Surroundings} surroundings
 * @property {number} logFrom byte of the log at which the service began
 * @property {AbortSignal} signal ends a look
 */

/** @type {{[K in Ready['kind']]: {describe: (ready: Extract<Ready, {kind: K}>) => string, test: (ready: Extract<Ready, {kind: K}>, look: Look) => Promise<boolean>}}} */
const KINDS = {
  port: {
    describe: ({ port }) => `nothing listens on 127.0.0.1:${port}`,
    test: ({ port }, { signal }) => canConnect(Number(port), signal),
  },
  url: {
    describe: ({ url, status }) => `${url} does not respond with status ${status}`,
    test: ({ url, status }, { signal }) => answers(url, status, signal),
  },
  log: {
    describe: ({ pattern }) => `its log does not say /${pattern}/`,
    test: async ({ pattern }, { surroundings, logFrom }) =>
      new RegExp(pattern, 'm').test(readLogFrom(surroundings.log, logFrom)),
  },
  command: {
    describe: ({ command }) => `${command} does not succeed`,
    test: ({ command }, { surroundings, signal }) => succeeds(command, surroundings, signal),
  },
  none: { describe: () => '', test: async () => true },
};

/** @param {Ready} ready @returns {string} what is so as long as it is not ready */
export function describeWait(ready) {
  return /** @type {any} */ (KINDS[ready.kind]).describe(ready);
}

/**
 * @param {Ready} ready
 * @param {Omit<Look, 'signal'>} look
 * @param {AbortSignal} signal
 * @returns {Promise<void>} when it is ready; for ever otherwise
 * @throws {LoadflameError} STUDY_PROGRAM_MISSING for a command that there is not; the reason of `signal`
 */
export async function waitUntilReady(ready, look, signal) {
  const { test } = /** @type {any} */ (KINDS[ready.kind]);
  while (!(await test(ready, { ...look, signal }))) {
    await sleep(POLL_MS, null, { signal });
  }
}

const REDIS = { greeting: 'PING\r\n', whenOpen: '+PONG' };
/** Servers whose clients may do more than ask, with what only one without a password responds to a greeting. */
const SERVERS = new Map([
  ['redis-server', REDIS],
  ['valkey-server', REDIS],
  [
    'postgres',
    {
      // The user need not exist. It answers AuthenticationOk before it looks.
      greeting: '\0\0\0\x17\0\x03\0\0user\0postgres\0\0',
      whenOpen: 'R\0\0\0\x08\0\0\0\0',
    },
  ],
]);

/**
 * Can every user of this machine give commands to a service? Other programs than those above are not asked.
 * @param {number} pid of its program
 */
export async function isOpen(pid) {
  for (const { server, address, port } of listOfServer(pid)) {
    const socket = connect({ host: address, port });
    try {
      socket.write(server.greeting, 'latin1');
      const [bytes] = await once(socket, 'data', { signal: AbortSignal.timeout(LOOK_TIMEOUT_MS) });
      if (bytes.toString('latin1').startsWith(server.whenOpen)) return true;
    } catch {
      // It says nothing without TLS, for example.
    } finally {
      socket.destroy();
    }
  }
  return false;
}

/** @param {number} pid */
function listOfServer(pid) {
  // Redis writes more than its name there, and its file may be called otherwise.
  const [program = ''] = readCommandLine(pid)?.[0]?.split(' ') ?? [];
  const server = SERVERS.get(path.basename(program));
  if (!server) return [];
  const inodes = listSocketInodes(pid);
  return listListeners().flatMap(({ inode, address, port }) =>
    inodes.includes(inode) ? [{ server, address, port }] : [],
  );
}

/** @param {number} port @param {AbortSignal} signal */
async function canConnect(port, signal) {
  const socket = connect({ port, host: '127.0.0.1' });
  try {
    await once(socket, 'connect', { signal: within(signal) });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** @param {string} url @param {number} status @param {AbortSignal} signal */
async function answers(url, status, signal) {
  try {
    // A kept-alive connection would hold a worker of a synchronous server.
    const { statusCode, body } = await request(url, { signal: within(signal), reset: true });
    await body.dump();
    return statusCode === status;
  } catch {
    return false;
  }
}

/** @param {string} command @param {Surroundings} surroundings @param {AbortSignal} signal */
async function succeeds(command, surroundings, signal) {
  try {
    await runCommand(command, surroundings, { owner: 'ready', signal });
    return true;
  } catch (error) {
    if (/** @type {{code?: string}} */ (error).code !== 'STUDY_COMMAND_FAILED') throw error;
    return false;
  }
}

/** @param {AbortSignal} signal */
function within(signal) {
  return AbortSignal.any([signal, AbortSignal.timeout(LOOK_TIMEOUT_MS)]);
}
