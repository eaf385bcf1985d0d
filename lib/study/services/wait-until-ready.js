/** Does a service run? Each kind of `ready` has its own test. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { readLogFrom } from './run-command.js';

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
    describe: ({ url }) => `${url} does not respond with 2xx`,
    test: ({ url }, { signal }) => answers(url, signal),
  },
  log: {
    describe: ({ pattern }) => `its log does not say /${pattern}/`,
    test: async ({ pattern }, { surroundings, logFrom }) =>
      new RegExp(pattern, 'm').test(readLogFrom(surroundings.log, logFrom)),
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
 * @throws the reason of `signal`
 */
export async function waitUntilReady(ready, look, signal) {
  const { test } = /** @type {any} */ (KINDS[ready.kind]);
  while (!(await test(ready, { ...look, signal }))) {
    await sleep(POLL_MS, null, { signal });
  }
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

/** @param {string} url @param {AbortSignal} signal */
async function answers(url, signal) {
  try {
    // A kept-alive connection would hold a worker of a synchronous server.
    const { statusCode, body } = await request(url, { signal: within(signal), reset: true });
    await body.dump();
    return statusCode >= 200 && statusCode < 300;
  } catch {
    return false;
  }
}

/** @param {AbortSignal} signal */
function within(signal) {
  return AbortSignal.any([signal, AbortSignal.timeout(LOOK_TIMEOUT_MS)]);
}
