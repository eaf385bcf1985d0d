/** Runs the generator as a child process, ours or Artillery's command line, and records its messages. */
import { getCompileCacheDir } from 'node:module';
import path from 'node:path';
import { LoadflameError } from '../../errors.js';
import { replaceFile } from '../../files/replace-file.js';
import { startChild } from '../../process/child.js';
import { createNdjsonWriter } from '../../run/ndjson.js';
import { recordOutput } from '../output-log.js';
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

/**
 * @param {GeneratorOptions} options
 * @returns {Promise<RunningLoad>} resolves when the generator is about to start the first phase
 * @throws {LoadflameError} LOAD_NOT_STARTED, INTERRUPTED
 */
export async function runGenerator(options) {
  const { prepared, files, tokens, redactor } = options;
  const { onProgress, onLog, onNote } = options.say;
  const say = (/** @type {FromGenerator} */ message) => {
    if (message.loadflame === 'progress') onProgress?.(message.progress);
    else if (message.loadflame === 'log') onLog?.(redactor.redactText(message.text));
    else if (message.loadflame === 'note') onNote(redactor.redactText(message.text));
  };
  for (const token of tokens?.tokens() ?? []) redactor.add(token);
  for (const secret of options.secrets ?? []) redactor.add(secret, { forever: true });
  const generator =
    options.engine === 'artillery' ? prepareArtillery(options, say) : prepareOurs(options);
  writeScript(files.script, redactor.redactValue(prepared.script));

  const node = [process.execPath, '--import', RECEIVE, ...generator.args];
  const compiled = getCompileCacheDir();
  const [program = '', ...args] = options.cpus ? ['taskset', '-c', options.cpus, ...node] : node;
  const cache = { NODE_COMPILE_CACHE: compiled && path.dirname(compiled) };
  const env = { ...options.env, ...ENVIRONMENT, ...cache };
  const child = startChild(program, args, { env, ipc: true });
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
  // The channel of an ending process refuses messages; its end is reported elsewhere.
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
    if (started) createNdjsonWriter(files.metrics).append('load-end', { ...facts, counters });
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
    const exitCode = early.exitCode ?? early.signal;
    const about = { exitCode, reason: early.logTail || 'no output', log: files.generatorLog };
    throw new LoadflameError('LOAD_NOT_STARTED', about);
  }
  return { pid: child.pid, ended, stop };
}

/** @param {GeneratorOptions} options @returns {Generator} */
function prepareOurs({ prepared, files, tokens, secrets = [], flags = {}, ...rest }) {
  let total = { counters: {}, complete: false };
  return {
    args: [`--max-semi-space-size=${SEMI_SPACE_MB}`, GENERATOR],
    job: {
      loadflame: 'job',
      metricsFile: path.resolve(files.metrics),
      errorsFile: path.resolve(files.errors),
      callsFile: path.resolve(files.loadCalls),
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
 * Writes the script that was run, for people. The recorders report a full disk; it must not end the measurement.
 * @param {string} file
 * @param {Script} script
 */
export function writeScript(file, script) {
  try {
    replaceFile(file, `${JSON.stringify(script, null, 2)}\n`);
  } catch {
    // See above.
  }
}
