/**
 * The plugin in Artillery's main thread: takes the job from loadflame, writes down phases and
 * periods, passes new tokens on to the workers, tells how far it is.
 */
import os from 'node:os';
import { BroadcastChannel, setEnvironmentData } from 'node:worker_threads';
import { createNdjsonWriter } from '../../../run/ndjson.js';
import { createRedactor } from '../../../run/redaction.js';
import { sketchToJson } from '../../../run/sketch.js';
import { CHANNEL, JOB_KEY } from '../messages.js';
import { createProgress } from '../metrics/progress.js';
import { createTokenHolder } from '../token-holder.js';
import { patchHttpEngine } from './patch-http.js';

const PERIOD_MS = 10_000;
/** For the workers' last records when Artillery ends, or when loadflame is gone. */
const LAST_WORDS_MS = 2000;
const ORPHAN_GRACE_MS = 300;

if (!process.send) throw new Error('this plugin works for loadflame only');

/** @type {Promise<import('../messages.js').Job>} */
const firstJob = new Promise(resolve => {
  process.on('message', (/** @type {any} */ message) => {
    if (message?.loadflame === 'job') resolve(message);
    else if (message?.loadflame === 'tokens') renewTokens(message.tokens);
  });
});
process.on('disconnect', () => {
  channel.postMessage({ kind: 'stop' });
  setTimeout(() => process.exit(130), ORPHAN_GRACE_MS);
});

const channel = new BroadcastChannel(CHANNEL);
channel.unref();
const tokens = createTokenHolder();
const job = await firstJob;
const metrics = createNdjsonWriter(job.metricsFile);
const redactor = createRedactor([...job.secrets, ...job.tokens]);
tokens.replace(job.tokens);
setEnvironmentData(JOB_KEY, /** @type {any} */ (job));
patchHttpEngine(tokens, null);

/** @param {string[]} newest */
function renewTokens(newest) {
  newest.forEach(redactor.add);
  tokens.replace(newest);
  setEnvironmentData(JOB_KEY, /** @type {any} */ ({ ...job, tokens: newest }));
  channel.postMessage({ kind: 'tokens', tokens: newest });
}

export class Plugin {
  /**
   * @param {unknown} _script
   * @param {import('node:events').EventEmitter} events
   */
  constructor(_script, events) {
    const progress = createProgress(job.phases.length);
    /** workers that have not said goodbye */
    let working = 0;
    /** @type {(() => void) | null} */
    this.allGone = null;
    channel.onmessage = event => {
      const message = /** @type {import('../messages.js').FromWorker} */ (event.data);
      if (message.kind === 'hello') {
        working += 1;
        channel.postMessage({ kind: 'tokens', tokens: tokens.all() });
      } else if (message.kind === 'second') progress.addSecond(message.record);
      else if (message.kind === 'bye' && --working === 0) this.allGone?.();
    };
    this.isAnyoneWorking = () => working > 0;

    limitWorkers(job.workers, events);
    metrics.append('load-start', {
      engine: 'artillery',
      script: job.script,
      scenarios: job.scenarios,
      phases: job.phases,
      workers: job.workers,
    });
    tell({ loadflame: 'ready' });
    setInterval(() => tell({ loadflame: 'progress', progress: progress.read() }), 1000).unref();

    events.on('phaseStarted', phase => {
      progress.startPhase(phase);
      metrics.append('phase-start', {
        index: phase.index,
        name: phase.name ?? `phase ${phase.index + 1}`,
        spec: job.phases[phase.index] ?? phase,
      });
    });
    events.on('phaseCompleted', phase => {
      const name = phase.name ?? `phase ${phase.index + 1}`;
      metrics.append('phase-end', { index: phase.index, name });
    });
    events.on('stats', stats => metrics.append('period', describePeriod(stats)));
    events.on('done', stats =>
      tell({ loadflame: 'aggregate', counters: cleanNames(stats.counters), complete: true }),
    );
  }

  /** Artillery exits right after this; the workers' last records are waited for. @param {() => void} done */
  cleanup(done) {
    if (!this.isAnyoneWorking()) return done();
    const timer = setTimeout(done, LAST_WORDS_MS);
    this.allGone = () => {
      clearTimeout(timer);
      done();
    };
  }
}

/** @param {any} stats */
function describePeriod({ period, counters = {}, histograms = {} }) {
  const kept = Object.entries(histograms).filter(
    ([name, sketch]) =>
      // A connection time that was never measured makes the sum NaN.
      !name.startsWith('plugins.metrics-by-endpoint.') &&
      Number.isFinite(/** @type {any} */ (sketch).sum),
  );
  return {
    fromMs: Number(period),
    lengthMs: PERIOD_MS,
    counters: cleanNames(
      Object.fromEntries(
        Object.entries(counters).filter(
          ([name]) => !name.startsWith('plugins.metrics-by-endpoint.'),
        ),
      ),
    ),
    sketches: Object.fromEntries(
      kept.map(([name, sketch]) => [name, sketchToJson(/** @type {any} */ (sketch))]),
    ),
  };
}

/** Messages of errors are among the names. @param {Record<string, number>} [counters] */
function cleanNames(counters = {}) {
  return Object.fromEntries(
    Object.entries(counters).map(([name, count]) => [redactor.redactText(name), count]),
  );
}

/**
 * Artillery 2.0.34 starts `os.cpus().length - 1` workers and has no setting for it (`WORKERS` is
 * heeded elsewhere only). It asks once, between this call and the first phase.
 * @param {number} workers
 * @param {import('node:events').EventEmitter} events
 */
function limitWorkers(workers, events) {
  const { cpus } = os;
  os.cpus = () =>
    Array.from({ length: workers + 1 }, (_, i) => cpus()[i] ?? cpus()[0]).flatMap(cpu => cpu ?? []);
  events.once('phaseStarted', () => {
    os.cpus = cpus;
  });
}

/** @param {import('../messages.js').PluginMessage} message */
function tell(message) {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}
