/** Runs the generator as a child process, ours or Artillery's command line, and records what it says. */
import path from 'node:path';
import { LoadflameError } from '../../errors.js';
import { replaceFile } from '../../files/replace-file.js';
import { startChild } from '../../process/child.js';
import { createNdjsonWriter } from '../../run/ndjson.js';
import { recordOutput } from '../output-log.js';
import { prepareArtillery } from './artillery/run-artillery.js';

/** @import { Redactor } from '../../files/redaction.js' */
/** @import { RunFiles } from '../../run/run-folder.js' */
/** @import { TokenPlaces } from './engine/engine.d.ts' */
/** @import { Share } from './pacing/schedule.js' */
/** @import { ArtilleryJob, FromGenerator, GeneratorFlags, Job, LoadProgress } from './messages.js' */
/** @import { PreparedScript } from './prepare-script.js' */

const GENERATOR = path.join(import.meta.dirname, 'generator', 'main.js');

const RECEIVE = new URL('generator/receive-environment.js', import.meta.url).href;

/** `after` flows and the workers' last records; then SIGKILL. */
const STOP_GRACE_MS = 10_000;
const MOST_EARLY_LINES = 100;

/**
 * Nothing is sent anywhere: no telemetry, no cloud reporting (its gate is `--record`, or WORKER_ID
 * in the environment). 2.0.34 has no update check.
 */
const ENVIRONMENT = {
  ARTILLERY_DISABLE_TELEMETRY: 'true',
  ARTILLERY_CLOUD_API_KEY: undefined,
  WORKER_ID: undefined,
  // glibc has a heap for each thread, and gives back little of those that ended: 12 MB.
  MALLOC_ARENA_MAX: '2',
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
 * @property {(listener: (progress: LoadProgress) => void) => void} onProgress
 * @property {(listener: (line: string) => void) => void} onLog what the script and its hooks print: the
 *   first lines of each second
 * @property {(listener: (text: string) => void) => void} onNote what the user should know, once each
 */

/**
 * @typedef {object} TokenSource
 * @property {() => string[]} tokens
 * @property {(listener: () => void) => () => void} onChange gives back how to unsubscribe
 */

/**
 * @typedef {object} GeneratorOptions
 * @property {'loadflame' | 'artillery'} engine
 * @property {PreparedScript} prepared
 * @property {RunFiles} files
 * @property {Record<string, string>} env for the scripts' `$env`
 * @property {Record<string, string>} [secretEnv] the same; told when it runs, for an environment can be read
 * @property {TokenSource | null} tokens its tokens have been obtained
 * @property {TokenPlaces} tokenPlaces
 * @property {string | null} stickyCookie of a router; null: those that are known
 * @property {string} [compileCache] folder of nobody else: what is in it is run
 * @property {Redactor} redactor
 * @property {readonly string[]} [secrets] that must not be in any file
 * @property {number} [wholeSecondAfterMs] of the job
 * @property {GeneratorFlags} [flags]
 * @property {Share} [share] of a load that is sent from several machines; `of` counts the threads of all
 * @property {() => Promise<number>} [begin] called when all is ready: when the first phase is to begin; at once
 *   without it
 * @property {string} [cpus] processors that it keeps to, as `taskset -c` takes them
 * @property {AbortSignal} [signal] ends a generator that has not begun
 */

/**
 * What the engines differ in.
 * @typedef {object} Generator
 * @property {string[]} args of Node
 * @property {Job | ArtilleryJob} job the first message
 * @property {(message: FromGenerator) => void} take its messages
 * @property {() => Promise<{counters: Record<string, number>, complete: boolean}>} end totals, when it
 *   has ended
 */

/**
 * @param {GeneratorOptions} options
 * @returns {Promise<RunningLoad>} when the generator is about to start the first phase
 * @throws {LoadflameError} LOAD_NOT_STARTED, INTERRUPTED
 */
export async function runGenerator(options) {
  const { prepared, files, tokens, redactor } = options;
  /** @type {((progress: LoadProgress) => void)[]} */
  const listeners = [];
  /** @type {string[]} */
  const notes = [];
  /** @type {((text: string) => void) | null} */
  let onNote = null;
  /** @type {string[]} of the `before` flow, until somebody listens */
  const earlyLog = [];
  let onLog = (/** @type {string} */ line) => {
    if (earlyLog.length < MOST_EARLY_LINES) earlyLog.push(line);
  };
  const say = (/** @type {FromGenerator} */ message) => {
    if (message.loadflame === 'progress') {
      for (const listener of listeners) listener(message.progress);
    } else if (message.loadflame === 'log') onLog(redactor.redactText(message.text));
    else if (message.loadflame === 'note') {
      const text = redactor.redactText(message.text);
      if (onNote) onNote(text);
      else notes.push(text);
    }
  };
  for (const token of tokens?.tokens() ?? []) redactor.add(token);
  for (const secret of options.secrets ?? []) redactor.add(secret, { forever: true });
  const generator =
    options.engine === 'artillery' ? prepareArtillery(options, say) : prepareOurs(options);
  writeScript(files.script, redactor.redactValue(prepared.script));

  const node = [process.execPath, '--import', RECEIVE, ...generator.args];
  const [program = '', ...args] = options.cpus ? ['taskset', '-c', options.cpus, ...node] : node;
  const child = startChild(program, args, {
    env: {
      ...options.env,
      ...ENVIRONMENT,
      ...(options.compileCache && { NODE_COMPILE_CACHE: path.resolve(options.compileCache) }),
    },
    ipc: true,
    serialization: 'json',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const { stdout, stderr } = child.process;
  const log = recordOutput([stdout, stderr], files.generatorLog, redactor.redactText);
  let stopping = false;
  /** @type {PromiseWithResolvers<void>} */
  const ready = Promise.withResolvers();
  child.process.on('message', raw => {
    const message = /** @type {FromGenerator} */ (/** @type {unknown} */ (raw));
    if (message.loadflame === 'ready') {
      ready.resolve();
      void options.begin?.().then(startAtMs => send({ loadflame: 'start', startAtMs }));
    }
    if (message.loadflame === 'secrets') for (const secret of message.secrets) redactor.add(secret);
    generator.take(message);
    say(message);
  });
  // The channel of a process that is ending refuses; its end is reported elsewhere.
  const send = (/** @type {object} */ message) => {
    if (child.process.connected) child.process.send(/** @type {any} */ (message), () => {});
  };
  send({ loadflame: 'environment', env: options.secretEnv ?? {} });
  send(generator.job);
  const forget = tokens?.onChange(() => {
    const newest = tokens.tokens();
    for (const token of newest) redactor.add(token);
    send({ loadflame: 'tokens', tokens: newest });
  });

  let started = false;
  /** @returns {Promise<LoadEnd>} */
  const finish = async () => {
    const end = await child.ended;
    forget?.();
    await log.close();
    const logTail = log
      .tail()
      .filter(line => line.trim() !== '' && !line.startsWith('Test run id'))
      .slice(-3)
      .join(' / ');
    const { counters, complete } = await generator.end();
    const reason = complete ? 'complete' : stopping ? 'interrupted' : 'crashed';
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
    onLog: listener => {
      onLog = listener;
      earlyLog.splice(0).forEach(listener);
    },
    onNote: listener => {
      onNote = listener;
      for (const text of notes.splice(0)) listener(text);
    },
  };
}

/** @param {GeneratorOptions} options @returns {Generator} */
function prepareOurs({ prepared, files, tokens, secrets = [], flags = {}, ...rest }) {
  let total = { counters: {}, complete: false };
  return {
    args: [GENERATOR],
    job: {
      loadflame: 'job',
      metricsFile: path.resolve(files.metrics),
      errorsFile: path.resolve(files.errors),
      script: prepared.name,
      scenarios: prepared.scenarios,
      phases: prepared.phases,
      workers: prepared.workers,
      share: rest.share ?? { index: 0, of: prepared.workers },
      isHeld: rest.begin !== undefined,
      trustsAnyone: prepared.trustsAnyone,
      secrets: [...secrets],
      tokens: tokens?.tokens() ?? [],
      tokenPlaces: rest.tokenPlaces,
      stickyCookie: rest.stickyCookie,
      plan: prepared.script,
      scriptFile: prepared.file,
      extendedMetrics: prepared.extendedMetrics,
      wholeSecondAfterMs: rest.wholeSecondAfterMs,
      flags: { ...flags, ...(flags.output && { output: path.resolve(flags.output) }) },
    },
    take(message) {
      if (message.loadflame === 'aggregate') total = message;
    },
    end: async () => total,
  };
}

/**
 * What was run, for people. A full disk is reported by the recorders, and must not end the measurement.
 * @param {string} file
 * @param {Record<string, any>} script
 */
export function writeScript(file, script) {
  try {
    replaceFile(file, `${JSON.stringify(script, null, 2)}\n`);
  } catch {
    // as above
  }
}
