/** Runs one script under one engine and gives what can be compared. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { LoadflameError } from '../../lib/base/errors.js';
import { createRedactor } from '../../lib/base/files/redaction.js';
import { prepareLoad, startLoad } from '../../lib/load/start-load.js';
import { createRunFolder } from '../../lib/run/run-folder.js';
import { makeSettings } from '../load/helpers.js';
import { readOutcome } from './read-outcome.js';
import { startPlainArtillery } from './start-plain-artillery.js';

/**
 * Scripts last a second or two; who is still busy then has a user that never ends. Ours ends a body
 * that never ends after a minute.
 */
const GIVE_UP_MS = { artillery: 30_000, loadflame: 90_000 };

/** @typedef {'loadflame' | 'artillery'} EngineName */
/** @typedef {import('./list-scripts.js').ConformanceScript} ConformanceScript */
/** @typedef {import('./server/start-servers.js').Servers} Servers */

/**
 * What a run of a script was, without times and ports.
 * @typedef {object} Outcome
 * @property {string} ended `exit <code>`, `hangs`, or `refused: <CODE>` before any load
 * @property {Record<string, number>} counters by Artillery's names
 * @property {Record<string, number>} summaries number of values in each
 * @property {string[]} vars what hooks saw, sorted
 * @property {string[]} said by `log` steps, sorted
 * @property {string[]} seen by the servers, sorted
 * @property {string[]} printed refusals and warnings, sorted
 */

/**
 * @typedef {object} Started
 * @property {Promise<{exitCode: number | null, refused?: string}>} ended
 * @property {() => Promise<unknown>} stop
 * @property {() => string} text what it printed
 */

/**
 * @param {ConformanceScript} script
 * @param {EngineName} engine
 * @param {Servers} servers of this run alone
 * @returns {Promise<Outcome>}
 */
export async function runScript(script, engine, servers) {
  servers.log.reset();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'loadflame-conformance-'));
  const output = path.join(folder, 'output.json');
  const varsFile = path.join(folder, 'vars');
  const env = { ...(await environmentOf(script, servers)), CONFORMANCE_FILE: varsFile };
  try {
    const start = engine === 'artillery' ? startPlainArtillery : startOurs;
    const started = await start({ script, env, folder, output }).catch(refusal);
    let hangs = false;
    const timer = setTimeout(() => {
      hangs = true;
      started.stop();
    }, GIVE_UP_MS[engine]);
    const end = await started.ended;
    clearTimeout(timer);
    return readOutcome({
      script,
      ended: hangs ? 'hangs' : (end.refused ?? `exit ${end.exitCode}`),
      output: existsSync(output) ? JSON.parse(readFileSync(output, 'utf8')) : null,
      vars: existsSync(varsFile) ? readFileSync(varsFile, 'utf8') : '',
      text: started.text(),
      log: servers.log,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A script that is not run at all. @param {unknown} error @returns {Started} */
function refusal(error) {
  if (!(error instanceof LoadflameError)) throw error;
  // What ends before its first user ends by its exit code, under Artillery.
  const { exitCode = null } = error.code === 'LOAD_NOT_STARTED' ? error.data : {};
  const end = {
    exitCode: Number(exitCode),
    ...(exitCode === null && { refused: `refused: ${error.code}` }),
  };
  const text = `error: ${error.message}\nhint: ${error.hint}`;
  return { ended: Promise.resolve(end), stop: async () => {}, text: () => text };
}

/** @param {ConformanceScript} script @param {Servers} servers @returns {Promise<Record<string, string>>} */
async function environmentOf(script, servers) {
  const addresses = {
    ...servers.env,
    ...(script.text.includes('$env.SOCKET') && (await servers.startSocketServer())),
  };
  const own = Object.entries(script.env).map(([name, from]) => [
    name,
    /** @type {Record<string, string>} */ (addresses)[from] ?? from,
  ]);
  return { ...addresses, ...Object.fromEntries(own) };
}

/**
 * @typedef {object} Start
 * @property {ConformanceScript} script
 * @property {Record<string, string>} env
 * @property {string} folder for what is to be thrown away
 * @property {string} output where Artillery's JSON goes
 */

/** @param {Start} start @returns {Promise<Started>} */
async function startOurs({ script, env, folder, output }) {
  const settings = makeSettings({ SOCKETIO_COOKIE: 'none', ...env });
  const { payload, ...flags } = script.flags;
  const options = {
    ...flags,
    ...(payload && { payload: path.resolve(path.dirname(script.file), payload) }),
    output,
    engine: /** @type {const} */ ('loadflame'),
  };
  const prepared = prepareLoad(script.file, settings, options);
  // As many as Artillery has on two processors.
  prepared.workers = 1;
  /** @type {Set<string>} */
  const notes = new Set(prepared.notes);
  const files = createRunFolder(path.join(folder, 'runs'), 'conformance');
  const running = await startLoad({
    ...{ prepared, settings, files, options },
    ...{
      redactor: createRedactor([]),
      tokens: null,
      say: { onNote: (/** @type {string} */ text) => notes.add(text) },
    },
  });
  return {
    ended: running.ended,
    stop: running.stop,
    // A note of the generator is a warning in its log, too.
    text: () =>
      [
        readFileSync(files.generatorLog, 'utf8').replace(/^WARNING: .*$/gm, ''),
        ...Array.from(notes, note => `note: ${note}`),
      ].join('\n'),
  };
}
