/** A worker of the generator: runs its share of the phases and records each second. */
import { once } from 'node:events';
import { startAlignedInterval } from '../../base/process/aligned-interval.js';
import { createNdjsonWriter } from '../../run/ndjson.js';
import { surviveUncaught } from '../engine/flow/hooks.js';
import { createClockBounds } from '../metrics/clock-bounds.js';
import { countError, createErrorSamples } from '../metrics/error-samples.js';
import { createSecondRecorder, floorToSecond } from '../metrics/second-recorder.js';
import { createSlowest } from '../metrics/slowest.js';
import { describeRequest } from '../metrics/whole-request.js';
import { runPhases } from '../pacing/run-phases.js';
import { createTokenHolder } from '../token-holder.js';
import { createGeneratorWatch } from './generator-watch.js';
import { unloadPlugins } from './plugins.js';
import { prepareWorker } from './prepare-worker.js';
import { runOnce } from './run-once.js';
import { createUsers } from './users.js';

/** @import { Redactor } from '../../base/files/redaction.js' */
/** @import { Exchange } from '../engine/http/connection/exchange.js' */
/** @import { Services } from '../engine/engine.d.ts' */
/** @import { Outcome } from '../metrics/whole-request.js' */
/** @import { Job } from '../messages.js' */
/** @import { PhaseControl, PhaseTurn, Share } from '../pacing/schedule.js' */
/** @import { Variables } from '../script.d.ts' */
/** @import { WorkerPlan } from './prepare-worker.js' */

const SECOND_MS = 1000;
/**
 * Users that have not ended by then end before their next step. The CPU time at the end of the last phase is read under
 * load: on a busy machine that is up to this late.
 */
const LATE_MS = 500;
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
/** @typedef {RunMessage | {kind: 'stop'} | {kind: 'steer', turn: PhaseTurn} | {kind: 'end-first', atMs: number} | {kind: 'tokens', tokens: string[]}} ToWorker */

/**
 * @typedef {{kind: 'ready' | 'bye' | 'steered'}
 *   | {kind: 'failed', message: string}
 *   | {kind: 'phase-start' | 'phase-end', index: number, atMs: number}
 *   | {kind: 'second', record: import('../metrics/periods.js').SecondFields}
 *   | {kind: 'tick', untilMs: number}
 *   | {kind: 'request', request: import('../../run/facts/whole-request.d.ts').WholeRequest}
 *   | {kind: 'log', args: any[]}
 *   | {kind: 'secrets', secrets: string[]}
 *   | {kind: 'warn' | 'printed', text: string}
 *   | {kind: 'exit-code', code: number}} FromWorker
 */

/**
 * @typedef {object} Main
 * @property {(message: FromWorker) => void} tell sends a message to the main thread
 * @property {Redactor} redactor for this thread's output; learns all secrets of the load
 */

/** @param {WorkerData} data @param {Main} main */
export function createWorker(data, main) {
  const { job, share, perUrl } = data;
  const { tell, redactor } = main;
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
  const isOver = new AbortController();
  /** @type {PromiseWithResolvers<RunMessage>} */
  const begin = Promise.withResolvers();
  const describe = (/** @type {Exchange} */ exchange, /** @type {Outcome} */ outcome) =>
    describeRequest(exchange, outcome, redactor);
  /** @type {Services['onRequest']} */
  const onRequest = (exchange, outcome) =>
    tell({ kind: 'request', request: describe(exchange, outcome) });
  const requests = createNdjsonWriter(job.slowestFile);
  const slowest = createSlowest(request => requests.append('request', { ...request }), describe);
  /** @type {Omit<WorkerParts, 'begun' | 'signal'>} */
  const own = {
    metrics,
    tokens,
    recorder,
    clock,
    learn,
    sockets: { open: 0 },
    slowest,
    isOver,
    control: { steer: () => {}, endFirst: () => {} },
    ...(job.endsSoon && { hurry: isOver.signal }),
    ...(job.once && { onRequest, asks: job.once.asks }),
  };
  return {
    /** @param {ToWorker} message */
    take(message) {
      if (message.kind === 'tokens') {
        for (const token of message.tokens) redactor.add(token);
        tokens.replace(message.tokens);
      } else if (message.kind === 'run') begin.resolve(message);
      else if (message.kind === 'steer') {
        own.control.steer(message.turn);
        tell({ kind: 'steered' });
      } else if (message.kind === 'end-first') own.control.endFirst(message.atMs);
      else stopping.abort();
    },
    /**
     * Prepares, reports that it is ready, and runs the phases after the `run` message.
     * @throws {Error} if preparing fails
     */
    run: () => runShare(data, main, { ...own, begun: begin.promise, signal: stopping.signal }),
  };
}

/**
 * @typedef {object} WorkerParts
 * @property {import('../../run/ndjson.js').NdjsonWriter} metrics
 * @property {ReturnType<typeof createTokenHolder>} tokens
 * @property {ReturnType<typeof createSecondRecorder>} recorder
 * @property {ReturnType<typeof createClockBounds>} clock
 * @property {ReturnType<typeof createSlowest>} slowest
 * @property {(secret: string) => void} learn
 * @property {{open: number}} sockets
 * @property {Services['onRequest']} [onRequest]
 * @property {AbortSignal} [hurry]
 * @property {AbortController} isOver after the last phase
 * @property {PhaseControl} control
 * @property {Promise<RunMessage>} begun
 * @property {AbortSignal} signal stops it
 */

/** @param {WorkerData} data @param {Main} main @param {WorkerParts} own */
async function runShare({ job, plan, share }, { tell, redactor }, own) {
  const { metrics, recorder, clock, slowest, sockets, signal, begun, isOver, ...shared } = own;
  const stopped = once(signal, 'abort');
  const samples = createErrorSamples(createNdjsonWriter(job.errorsFile), redactor, own.learn);
  const warn = (/** @type {string} */ text) => tell({ kind: 'warn', text });
  const { tokenPlaces } = job;
  const services = { ...shared, recorder, slowest, samples, tokenPlaces, clock, warn, sockets };
  const prepared = await prepareWorker(plan, services);
  surviveUncaught(
    code => countError(recorder, code),
    text => console.error(redactor.redactText(text)),
  );
  tell({ kind: 'ready' });
  const { startAtMs, variables } = await begun;
  const contexts = prepared.createContexts(variables);
  const users = createUsers({ ...prepared, contexts, recorder });
  const worker = share.index + 1;
  const watch = createGeneratorWatch({
    worker,
    sockets,
    write: record => metrics.append('generator', { ...record }),
  });
  // Right after each second, so that live views get it without delay.
  const flush = () => {
    for (const one of [recorder, clock, slowest]) one.flush();
    tell({ kind: 'tick', untilMs: floorToSecond(Date.now()) });
  };
  const stopFlushing = startAlignedInterval(flush, SECOND_MS, AFTER_MS);
  if (job.once)
    await Promise.race([runOnce(job.once, { ...prepared, contexts, recorder, signal }), stopped]);
  await runPhases(job.once ? [] : (plan.script.config.phases ?? []), {
    share,
    startAtMs,
    signal,
    control: own.control,
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
    onPhaseStart: ({ index = 0 }, atMs) => {
      slowest.restart();
      tell({ kind: 'phase-start', index, atMs });
    },
    onPhaseEnd: ({ index = 0 }, atMs) => tell({ kind: 'phase-end', index, atMs }),
  });
  isOver.abort(performance.now() + LATE_MS);
  await Promise.race([users.ended(), stopped]);
  stopFlushing();
  // A stop does not wait for running users, but keeps their last seconds.
  for (const one of [recorder, clock, slowest]) one.flush({ all: true });
  watch.stop();
  await unloadPlugins();
  recorder.flush({ all: true });
}
