/** A worker of the generator: runs its share of the phases and records each second. */
import { once } from 'node:events';
import { createNdjsonWriter } from '../../../run/ndjson.js';
import { startAlignedInterval } from '../../aligned-interval.js';
import { surviveUncaught } from '../engine/flow/hooks.js';
import { createClockBounds } from '../metrics/clock-bounds.js';
import { countError, createErrorSamples } from '../metrics/error-samples.js';
import { createSecondRecorder, floorToSecond } from '../metrics/second-recorder.js';
import { runPhases } from '../pacing/run-phases.js';
import { createTokenHolder } from '../token-holder.js';
import { createGeneratorWatch } from './generator-watch.js';
import { unloadPlugins } from './plugins.js';
import { prepareWorker } from './prepare-worker.js';
import { createUsers } from './users.js';

/** @import { Redactor } from '../../../files/redaction.js' */
/** @import { Job } from '../messages.js' */
/** @import { Share } from '../pacing/schedule.js' */
/** @import { Variables } from '../script.d.ts' */
/** @import { WorkerPlan } from './prepare-worker.js' */

const SECOND_MS = 1000;
/** Counts of the last millisecond of a second arrive a moment later. */
const AFTER_MS = 20;

/**
 * @typedef {object} WorkerData
 * @property {Omit<Job, 'plan'>} job
 * @property {WorkerPlan} plan
 * @property {Share} share
 * @property {boolean} perUrl keep metrics per URL
 */

/** @typedef {{kind: 'run', startAtMs: number, variables: Variables}} RunMessage */
/** @typedef {RunMessage | {kind: 'stop'} | {kind: 'tokens', tokens: string[]}} ToWorker */

/**
 * @typedef {{kind: 'ready' | 'bye'}
 *   | {kind: 'failed', message: string}
 *   | {kind: 'phase-start' | 'phase-end', index: number, atMs: number}
 *   | {kind: 'second', record: import('../metrics/periods.js').SecondFields}
 *   | {kind: 'tick', untilMs: number}
 *   | {kind: 'log', args: any[]}
 *   | {kind: 'secrets', secrets: string[]}
 *   | {kind: 'warn' | 'printed', text: string}
 *   | {kind: 'exit-code', code: number}} FromWorker
 */

/**
 * @param {WorkerData} data
 * @param {object} main
 * @param {(message: FromWorker) => void} main.tell sends a message to the main thread
 * @param {Redactor} main.redactor for this thread's output; learns all secrets of the load
 */
export function createWorker({ job, plan, share, perUrl }, { tell, redactor }) {
  for (const secret of [...job.secrets, ...job.tokens]) redactor.add(secret, { forever: true });
  const worker = share.index + 1;
  /** @type {string[]} */
  const learned = [];
  /** Reports a secret immediately: the API's log may contain it before its response arrives. @param {string} secret */
  const learn = secret => {
    if (!redactor.add(secret) || learned.push(secret) > 1) return;
    setImmediate(() => tell({ kind: 'secrets', secrets: learned.splice(0) }));
  };
  const metrics = createNdjsonWriter(job.metricsFile);
  const calls = createNdjsonWriter(job.callsFile);
  const tokens = createTokenHolder(job.tokens, share.index);
  const sockets = { open: 0 };
  const { stickyCookie } = job;
  const recorder = createSecondRecorder(
    record => {
      const { firstMs, lastMs, rates, ...kept } = record;
      metrics.append('second', kept);
      tell({ kind: 'second', record });
    },
    { redact: redactor.redactText, perUrl, stickyCookie, writeCalls: calls.append },
  );
  const clock = createClockBounds(record => metrics.append('clock', { worker, ...record }));
  const stopping = new AbortController();
  /** @type {PromiseWithResolvers<RunMessage>} */
  const begin = Promise.withResolvers();
  const stopped = once(stopping.signal, 'abort');

  return {
    /** @param {ToWorker} message */
    take(message) {
      if (message.kind === 'tokens') {
        for (const token of message.tokens) redactor.add(token);
        tokens.replace(message.tokens);
      } else if (message.kind === 'run') begin.resolve(message);
      else stopping.abort();
    },
    /**
     * Prepares, reports that it is ready, and runs the phases after the `run` message.
     * @throws {Error} if preparing fails
     */
    run,
  };

  async function run() {
    const samples = createErrorSamples(createNdjsonWriter(job.errorsFile), redactor, learn);
    const warn = (/** @type {string} */ text) => tell({ kind: 'warn', text });
    const { tokenPlaces } = job;
    const services = { recorder, samples, tokens, tokenPlaces, clock, warn, learn, sockets };
    const prepared = await prepareWorker(plan, services);
    surviveUncaught(
      code => countError(recorder, code),
      text => console.error(redactor.redactText(text)),
    );
    tell({ kind: 'ready' });
    const { startAtMs, variables } = await begin.promise;
    const contexts = prepared.createContexts(variables);
    const users = createUsers({ ...prepared, contexts, recorder });
    const watch = createGeneratorWatch({
      worker,
      sockets,
      write: record => metrics.append('generator', { ...record }),
    });
    // Right after each second, so that live views get it without delay.
    const stopFlushing = startAlignedInterval(flush, SECOND_MS, AFTER_MS);
    await runPhases(plan.script.config.phases ?? [], {
      share,
      startAtMs,
      signal: stopping.signal,
      usersActive: users.active,
      startUser: users.start,
      onStart: watch.arrived,
      onSkip: (_phase, why) => {
        watch.skipped();
        recorder.count('vusers.skipped', 1);
        if (why === 'late') recorder.count('vusers.skipped_late', 1);
      },
      onPause: () => recorder.count('vusers.paused', 1),
      onUserCounts: ({ index = 0, name = `phase ${index + 1}` }, { ended, failed }) => {
        metrics.append('users', { index, name, worker, ended, ...(failed && { failed }) });
      },
      onPhaseStart: ({ index = 0 }, atMs) => tell({ kind: 'phase-start', index, atMs }),
      onPhaseEnd: ({ index = 0 }, atMs) => tell({ kind: 'phase-end', index, atMs }),
    });
    await Promise.race([users.ended(), stopped]);
    stopFlushing();
    // A stop does not wait for running users, but keeps their last seconds.
    recorder.flush({ all: true });
    clock.flush({ all: true });
    watch.stop();
    await unloadPlugins();
    recorder.flush({ all: true });
  }

  function flush() {
    recorder.flush();
    clock.flush();
    tell({ kind: 'tick', untilMs: floorToSecond(Date.now()) });
  }
}
