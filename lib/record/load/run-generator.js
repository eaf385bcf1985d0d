/**
 * Runs the generator as a child process, our host or Artillery with our plugin, and records what it
 * says.
 */
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { startChild } from '../../child.js';
import { LoadflameError } from '../../errors.js';
import { createNdjsonWriter } from '../../run/ndjson.js';
import { forArtillery } from './for-artillery.js';
import { serializeScript } from './serialize-script.js';

const require = createRequire(import.meta.url);
const ARTILLERY = path.join(path.dirname(require.resolve('artillery/package.json')), 'bin', 'run');
const HOST = path.join(import.meta.dirname, 'host', 'main.js');

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
 * @property {Record<string, number>} counters the generator's own totals; empty where it gave none
 * @property {string} logTail its last words, redacted
 */

/**
 * @typedef {object} RunningLoad
 * @property {number} pid of the generator
 * @property {Promise<LoadEnd>} ended never rejects
 * @property {() => Promise<LoadEnd>} stop ends the load; what was recorded is kept
 * @property {(listener: (progress: import('./messages.js').LoadProgress) => void) => void} onProgress
 * @property {(listener: (text: string) => void) => void} onNote what the user is to be told, once each
 */

/**
 * @typedef {object} TokenSource
 * @property {() => string[]} tokens
 * @property {(listener: () => void) => () => void} onChange gives back how to unsubscribe
 */

/**
 * @param {object} options
 * @param {'loadflame' | 'artillery'} options.engine
 * @param {import('./prepare-script.js').PreparedScript} options.prepared
 * @param {import('../../run/run-folder.js').RunFiles} options.files
 * @param {Record<string, string>} options.env for the scripts' `$env`
 * @param {TokenSource | null} options.tokens its tokens have been obtained
 * @param {import('./engine/engine.d.ts').TokenPlaces} options.tokenPlaces
 * @param {string | null} options.stickyCookie of a router; null: those that are known
 * @param {string} [options.compileCache] folder of nobody else: what is in it is run
 * @param {import('../../run/redaction.js').Redactor} options.redactor
 * @param {readonly string[]} [options.secrets] that must not be in any file
 * @param {import('./messages.js').GeneratorFlags} [options.flags]
 * @param {AbortSignal} [options.signal] ends a generator that has not begun
 * @returns {Promise<RunningLoad>} when the generator is about to start the first phase
 * @throws {LoadflameError} LOAD_NOT_STARTED, INTERRUPTED
 */
export async function runGenerator(options) {
  const { prepared, files, tokens, redactor, secrets = [], flags = {} } = options;
  const isOurs = options.engine === 'loadflame';
  const script = isOurs ? prepared.script : forArtillery(prepared.script, flags);
  writeScript(files.script, redactor.redactValue(script));
  const copy = isOurs ? null : copyScript(script);
  const removeCopy = () => copy && rmSync(copy.folder, { recursive: true, force: true });

  const child = startChild(
    process.execPath,
    copy ? [ARTILLERY, 'run', copy.file, ...asArguments(flags)] : [HOST],
    {
      env: {
        ...options.env,
        ...ENVIRONMENT,
        ...(options.compileCache && { NODE_COMPILE_CACHE: path.resolve(options.compileCache) }),
      },
      ipc: true,
      serialization: 'json',
      stdout: 'pipe',
      stderr: 'pipe',
    },
  );
  const { nodeChildProcess: generator } = child.process;
  const log = recordLog(child.process, files.generatorLog, redactor);
  /** @type {{counters: Record<string, number>, complete: boolean} | null} */
  let aggregate = null;
  let stopping = false;
  /** @type {((progress: import('./messages.js').LoadProgress) => void)[]} */
  const listeners = [];
  /** @type {string[]} */
  const notes = [];
  /** @type {((text: string) => void) | null} */
  let onNote = null;
  /** @type {PromiseWithResolvers<void>} */
  const ready = Promise.withResolvers();
  generator.on('message', raw => {
    const message = /** @type {import('./messages.js').PluginMessage} */ (
      /** @type {unknown} */ (raw)
    );
    if (message.loadflame === 'ready') ready.resolve();
    else if (message.loadflame === 'aggregate') aggregate = message;
    else if (message.loadflame === 'progress') {
      for (const listener of listeners) listener(message.progress);
    } else {
      const text = redactor.redactText(message.text);
      if (onNote) onNote(text);
      else notes.push(text);
    }
  });
  // The channel of a process that is ending refuses; its end is told elsewhere.
  const send = (/** @type {object} */ message) => {
    if (generator.connected) generator.send(/** @type {any} */ (message), () => {});
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
    stickyCookie: options.stickyCookie,
    ...(isOurs && {
      plan: script,
      scriptFile: prepared.file,
      extendedMetrics: prepared.extendedMetrics,
      flags: { ...flags, ...(flags.output && { output: path.resolve(flags.output) }) },
    }),
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
    removeCopy();
    const logTail = await log.close();
    const reason = aggregate?.complete ? 'complete' : stopping ? 'interrupted' : 'crashed';
    const counters = aggregate?.counters ?? {};
    const facts = { reason, exitCode: end.exitCode, signal: end.signal };
    if (started) {
      const { append } = createNdjsonWriter(files.metrics);
      append('load-end', { ...facts, counters });
    }
    return /** @type {LoadEnd} */ ({ ...facts, counters, logTail });
  };
  const ended = finish();
  const stop = async () => {
    stopping = true;
    await child.stop({ signal: 'SIGINT', graceMs: STOP_GRACE_MS });
    return ended;
  };
  const giveUp = () => void stop();
  options.signal?.addEventListener('abort', giveUp, { once: true });
  if (options.signal?.aborted) giveUp();
  const early = await Promise.race([ready.promise, ended]);
  options.signal?.removeEventListener('abort', giveUp);
  started = true;
  removeCopy();
  if (early && options.signal?.aborted) throw new LoadflameError('INTERRUPTED');
  if (early) {
    throw new LoadflameError('LOAD_NOT_STARTED', {
      exitCode: early.exitCode ?? early.signal,
      reason: early.logTail || 'it said nothing',
      log: files.generatorLog,
    });
  }
  return {
    pid: child.pid,
    ended,
    stop,
    onProgress: listener => listeners.push(listener),
    onNote: listener => {
      onNote = listener;
      for (const text of notes.splice(0)) listener(text);
    },
  };
}

/**
 * Artillery takes a file. Its own literal secrets are in the user's script already; the copy is
 * private and short-lived.
 * @param {Record<string, any>} script
 */
function copyScript(script) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'loadflame-'));
  const file = path.join(folder, 'script.json');
  writeFileSync(file, serializeScript(script), { mode: 0o600 });
  return { folder, file };
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

/** @param {import('./messages.js').GeneratorFlags} flags */
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
