/** Runs Artillery with our plugin as a child process, and records what it says. */
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { startChild } from '../../child.js';
import { LoadflameError } from '../../errors.js';
import { createNdjsonWriter } from '../../run/ndjson.js';
import { serializeScript } from './prepare-script.js';

const require = createRequire(import.meta.url);
const ARTILLERY = path.join(path.dirname(require.resolve('artillery/package.json')), 'bin', 'run');

/** `after` flows and the workers' last records; then SIGKILL. */
const STOP_GRACE_MS = 10_000;
const LOG_TAIL_LINES = 20;

/**
 * Nothing is sent anywhere: no telemetry, no cloud reporting (its gate is `--record`, or WORKER_ID
 * in the environment). 2.0.34 has no update check.
 */
const ENVIRONMENT = {
  ARTILLERY_DISABLE_TELEMETRY: 'true',
  ARTILLERY_CLOUD_API_KEY: undefined,
  WORKER_ID: undefined,
  NO_COLOR: '1',
  FORCE_COLOR: '0',
};

/**
 * @typedef {object} LoadEnd
 * @property {'complete' | 'interrupted' | 'crashed'} reason
 * @property {number | null} exitCode
 * @property {string | null} signal that ended it
 * @property {Record<string, number>} counters Artillery's own totals; empty where it gave none
 * @property {string} logTail its last words, redacted
 */

/**
 * @typedef {object} RunningLoad
 * @property {number} pid of Artillery
 * @property {Promise<LoadEnd>} ended never rejects
 * @property {() => Promise<LoadEnd>} stop ends the load; what was recorded is kept
 * @property {(listener: (progress: import('./messages.js').LoadProgress) => void) => void} onProgress
 */

/**
 * @typedef {object} TokenSource
 * @property {() => string[]} tokens
 * @property {(listener: () => void) => () => void} onChange gives back how to unsubscribe
 */

/**
 * @param {object} options
 * @param {import('./prepare-script.js').PreparedScript} options.prepared
 * @param {import('../../run/run-folder.js').RunFiles} options.files
 * @param {Record<string, string>} options.env for the scripts' `$env`
 * @param {TokenSource | null} options.tokens its tokens have been obtained
 * @param {import('./plugin/patch-socketio.js').TokenPlaces} options.tokenPlaces
 * @param {import('../../run/redaction.js').Redactor} options.redactor
 * @param {readonly string[]} [options.secrets] that must not be in any file
 * @param {{environment?: string, output?: string, scenarioName?: string, insecure?: boolean}} [options.flags]
 *   Artillery's own flags that are passed on
 * @returns {Promise<RunningLoad>} when Artillery has read the script and is about to start its workers
 * @throws {LoadflameError} LOAD_NOT_STARTED
 */
export async function runArtillery(options) {
  const { prepared, files, tokens, redactor, secrets = [], flags = {} } = options;
  writeScript(files.script, redactor.redactValue(prepared.script));
  // Its own literal secrets are in the user's script already; the copy is private and short-lived.
  const folder = mkdtempSync(path.join(os.tmpdir(), 'loadflame-'));
  const scriptFile = path.join(folder, 'script.json');
  writeFileSync(scriptFile, serializeScript(prepared.script), { mode: 0o600 });
  const removeScript = () => rmSync(folder, { recursive: true, force: true });

  const child = startChild(
    process.execPath,
    [ARTILLERY, 'run', scriptFile, ...asArguments(flags)],
    {
      env: { ...options.env, ...ENVIRONMENT },
      ipc: true,
      serialization: 'json',
      stdout: 'pipe',
      stderr: 'pipe',
    },
  );
  const { nodeChildProcess: artillery } = child.process;
  const log = recordLog(child.process, files.artilleryLog, redactor);
  /** @type {Record<string, number> | null} */
  let aggregate = null;
  let stopping = false;
  /** @type {((progress: import('./messages.js').LoadProgress) => void)[]} */
  const listeners = [];
  /** @type {PromiseWithResolvers<void>} */
  const ready = Promise.withResolvers();
  artillery.on('message', raw => {
    const message = /** @type {import('./messages.js').PluginMessage} */ (
      /** @type {unknown} */ (raw)
    );
    if (message.loadflame === 'ready') ready.resolve();
    else if (message.loadflame === 'aggregate') aggregate = message.counters;
    else if (message.loadflame === 'progress') {
      for (const listener of listeners) listener(message.progress);
    }
  });
  // The channel of a process that is ending refuses; its end is told elsewhere.
  const send = (/** @type {object} */ message) => {
    if (artillery.connected) artillery.send(/** @type {any} */ (message), () => {});
  };
  for (const token of tokens?.tokens() ?? []) redactor.add(token);
  send({
    loadflame: 'job',
    metricsFile: path.resolve(files.metrics),
    errorsFile: path.resolve(files.errors),
    script: prepared.name,
    scenarios: prepared.scenarios,
    phases: prepared.phases,
    workers: prepared.workers,
    secrets: [...secrets],
    tokens: tokens?.tokens() ?? [],
    tokenPlaces: options.tokenPlaces,
  });
  const forget = tokens?.onChange(() => {
    const newest = tokens.tokens();
    newest.forEach(redactor.add);
    send({ loadflame: 'tokens', tokens: newest });
  });

  let started = false;
  /** @returns {Promise<LoadEnd>} */
  const finish = async () => {
    const end = await child.ended;
    forget?.();
    removeScript();
    const logTail = await log.close();
    const reason = aggregate ? 'complete' : stopping ? 'interrupted' : 'crashed';
    const facts = { reason, exitCode: end.exitCode, signal: end.signal };
    if (started) {
      const { append } = createNdjsonWriter(files.metrics);
      append('load-end', { ...facts, counters: aggregate ?? {} });
    }
    return /** @type {LoadEnd} */ ({ ...facts, counters: aggregate ?? {}, logTail });
  };
  const ended = finish();
  const early = await Promise.race([ready.promise, ended]);
  started = true;
  removeScript();
  if (early) {
    throw new LoadflameError('LOAD_NOT_STARTED', {
      exitCode: early.exitCode ?? early.signal,
      reason: early.logTail || 'it said nothing',
      log: files.artilleryLog,
    });
  }
  return {
    pid: child.pid,
    ended,
    stop: async () => {
      stopping = true;
      await child.stop({ signal: 'SIGINT', graceMs: STOP_GRACE_MS });
      return ended;
    },
    onProgress: listener => listeners.push(listener),
  };
}

/**
 * What was run, for people. A full disk is told by the recorders, and must not end the measurement.
 * @param {string} file
 * @param {Record<string, any>} script
 */
function writeScript(file, script) {
  try {
    writeFileSync(file, `${JSON.stringify(script, null, 2)}\n`);
  } catch {
    rmSync(file, { force: true });
  }
}

/** @param {{environment?: string, output?: string, scenarioName?: string, insecure?: boolean}} flags */
function asArguments({ environment, output, scenarioName, insecure }) {
  return [
    ...(environment ? ['--environment', environment] : []),
    ...(output ? ['--output', output] : []),
    ...(scenarioName ? ['--scenario-name', scenarioName] : []),
    ...(insecure ? ['--insecure'] : []),
  ];
}

/**
 * @param {import('execa').ResultPromise} child
 * @param {string} file
 * @param {import('../../run/redaction.js').Redactor} redactor
 */
function recordLog(child, file, redactor) {
  /** @type {string[]} */
  let tail = [];
  const ends = [child.stdout, child.stderr].map(async stream => {
    if (!stream) return;
    for await (const line of createInterface({ input: stream })) {
      const clean = redactor.redactText(line);
      tail = [...tail, clean].slice(-LOG_TAIL_LINES);
      try {
        appendFileSync(file, `${clean}\n`);
      } catch {
        // A full disk must not end the measurement.
      }
    }
  });
  return {
    /** @returns {Promise<string>} the last lines */
    close: async () => {
      await Promise.allSettled(ends);
      return tail
        .filter(line => line.trim() !== '' && !line.startsWith('Test run id'))
        .slice(-3)
        .join(' / ');
    },
  };
}
