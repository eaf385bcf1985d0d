/** Runs the generator as a child process, ours or Artillery's command line, and records its messages. */
import { getCompileCacheDir } from 'node:module';
import path from 'node:path';
import { LoadflameError } from '../base/errors.js';
import { recordOutput } from '../base/files/output-log.js';
import { replaceFile } from '../base/files/replace-file.js';
import { tryOr } from '../base/files/try-or.js';
import { startChild } from '../base/process/child.js';
import { stoppable } from '../base/process/interruptible.js';
import { createNdjsonWriter } from '../run/ndjson.js';
import { prepareArtillery } from './artillery/run-artillery.js';

/** @import { Script } from './script.d.ts' */
/** @import { Generator, GeneratorOptions, LoadEnd, RunningLoad } from './load.d.ts' */
/** @import { FromGenerator } from './messages.js' */

const GENERATOR = path.join(import.meta.dirname, 'generator', 'main.js');

/**
 * One of three semi-spaces of each thread's young generation. 8 MB give no more requests per CPU-second (five pairs), and
 * cost 7 MB more; 2 MB make the p99 worse.
 */
const SEMI_SPACE_MB = 4;
/**
 * V8 collects the old generation when it has grown by this much. By default it lets it grow to three times its size,
 * and never returns the memory to the system. At 1,000 new users/s collecting costs 4 ms per second instead of 1.
 * Set at the start: code compiled before a flag is set is not valid after it, which fills the cache with refused code.
 */
const HEAP_GROWTH = '--heap-growing-percent=50';
const RECEIVE = new URL('generator/receive-environment.js', import.meta.url).href;

/** Time for `after` flows and the workers' last records; then SIGKILL. */
const STOP_GRACE_MS = 10_000;

/**
 * Keeps Artillery from sending anything: no telemetry, no cloud reporting (enabled by `--record`, or WORKER_ID in the
 * environment). 2.0.34 has no update check.
 */
const ENVIRONMENT = {
  ARTILLERY_DISABLE_TELEMETRY: 'true',
  ARTILLERY_CLOUD_API_KEY: undefined,
  WORKER_ID: undefined,
  // glibc has a heap per thread, and returns little memory of ended threads: this saves 12 MB.
  MALLOC_ARENA_MAX: '2',
  NO_COLOR: '1',
  FORCE_COLOR: '0',
};

/** @param {LoadEnd} early @param {GeneratorOptions} options */
function whyNotStarted({ exitCode, signal, logTail }, options) {
  if (options.signal?.aborted) return new LoadflameError('INTERRUPTED');
  const about = { exitCode: exitCode ?? signal, reason: logTail || 'no output' };
  return new LoadflameError('LOAD_NOT_STARTED', { ...about, log: options.files.generatorLog });
}

/** What a user sees of it. @param {FromGenerator} message @param {GeneratorOptions} options */
function passOn(message, { say, redactor, steering }) {
  if (message.loadflame === 'progress') say.onProgress?.(message.progress);
  else if (message.loadflame === 'control') steering?.emit('control', message.control);
  else if (message.loadflame === 'request') say.onRequest?.(redactor.redactValue(message.request));
  else if (message.loadflame === 'log') say.onLog?.(redactor.redactText(message.text));
  else if (message.loadflame === 'note') say.onNote(redactor.redactText(message.text));
}

/** Its last lines. @param {ReturnType<typeof recordOutput>} log */
async function closeLog(log) {
  await log.close();
  const lines = log.tail().filter(line => line.trim() !== '' && !line.startsWith('Test run id'));
  return lines.slice(-3).join(' / ');
}

/** @param {GeneratorOptions} options @param {readonly string[]} generator its arguments */
function startProgram({ cpus, env: own }, generator) {
  const node = [process.execPath, '--import', RECEIVE, ...generator];
  const compiled = getCompileCacheDir();
  const [program = '', ...args] = cpus ? ['taskset', '-c', cpus, ...node] : node;
  const cache = { NODE_COMPILE_CACHE: compiled && path.dirname(compiled) };
  return startChild(program, args, { env: { ...own, ...ENVIRONMENT, ...cache }, ipc: true });
}

/**
 * @param {GeneratorOptions} options
 * @returns {Promise<RunningLoad>} resolves when the generator is about to start the first phase
 * @throws {LoadflameError} LOAD_NOT_STARTED, INTERRUPTED
 */
export async function runGenerator(options) {
  const { prepared, files, tokens, redactor } = options;
  const say = (/** @type {FromGenerator} */ message) => passOn(message, options);
  for (const token of tokens?.tokens() ?? []) redactor.add(token);
  for (const secret of options.secrets ?? []) redactor.add(secret, { forever: true });
  const generator =
    options.engine === 'artillery' ? prepareArtillery(options, say) : prepareOurs(options);
  writeScript(files.script, redactor.redactValue(prepared.script));

  const child = startProgram(options, generator.args);
  const { stdout, stderr } = child.process;
  const log = recordOutput([stdout, stderr], files.generatorLog, redactor.redactText);
  let started = false;
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
  // The channel of an ending process refuses messages; its end is reported elsewhere.
  const send = (/** @type {object} */ message) => {
    if (child.process.connected) child.process.send(/** @type {any} */ (message), () => {});
  };
  send({ loadflame: 'environment', env: options.secretEnv ?? {} });
  send(generator.job);
  options.steering?.on('turn', ({ index, to }) => send({ loadflame: 'steer', index, to }));
  const forget = tokens?.onChange(() => {
    const newest = tokens.tokens();
    for (const token of newest) redactor.add(token);
    send({ loadflame: 'tokens', tokens: newest });
  });

  const ended = child.ended.then(async end => {
    forget?.();
    const logTail = await closeLog(log);
    const { counters, complete } = await generator.end();
    const reason = complete ? 'complete' : stopping ? 'interrupted' : 'crashed';
    const facts = { reason, exitCode: end.exitCode, signal: end.signal };
    if (started) createNdjsonWriter(files.metrics).append('load-end', { ...facts, counters });
    return /** @type {LoadEnd} */ ({ ...facts, counters, logTail });
  });
  const stop = async () => {
    stopping = true;
    await child.stop({ signal: 'SIGINT', graceMs: STOP_GRACE_MS });
    return ended;
  };
  const giveUp = () => void stop();
  const starting = Promise.race([ready.promise, ended]);
  const early = await stoppable(options.signal, giveUp, starting);
  started = true;
  if (early) throw whyNotStarted(early, options);
  return { pid: child.pid, ended, stop };
}

/** @param {GeneratorOptions} options @returns {Generator} */
function prepareOurs({ prepared, files, tokens, secrets = [], flags = {}, ...rest }) {
  let total = { counters: {}, complete: false };
  return {
    args: [`--max-semi-space-size=${SEMI_SPACE_MB}`, HEAP_GROWTH, GENERATOR],
    job: {
      loadflame: 'job',
      metricsFile: path.resolve(files.metrics),
      errorsFile: path.resolve(files.errors),
      callsFile: path.resolve(files.loadCalls),
      slowestFile: path.resolve(files.slowest),
      script: prepared.name,
      scenarios: prepared.scenarios,
      phases: prepared.phases,
      workers: prepared.workers,
      share: rest.share ?? { index: 0, of: prepared.workers },
      isHeld: rest.begin !== undefined,
      once: rest.once,
      trustsAnyone: prepared.trustsAnyone,
      secrets: [...secrets],
      tokens: tokens?.tokens() ?? [],
      tokenPlaces: rest.tokenPlaces,
      stickyCookie: rest.stickyCookie,
      plan: prepared.script,
      scriptFile: prepared.file,
      wholeSecondAfterMs: rest.wholeSecondAfterMs,
      untilSteady: rest.untilSteady,
      endsSoon: rest.endsSoon,
      flags: { ...flags, ...(flags.output && { output: path.resolve(flags.output) }) },
    },
    take(message) {
      if (message.loadflame === 'aggregate') total = message;
    },
    end: async () => total,
  };
}

/**
 * Writes the script that was run, for people. The recorders report a full disk; it must not end the measurement.
 * @param {string} file
 * @param {Script} script
 */
export function writeScript(file, script) {
  tryOr(null, () => replaceFile(file, `${JSON.stringify(script, null, 2)}\n`));
}
