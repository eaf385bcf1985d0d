/**
 * Our plugin for Artillery's command line, by Artillery's contract. Artillery loads it once in its main thread, where
 * it reports phases and periods to loadflame, and once in each worker, where it assigns tokens and keeps the load at
 * the target. Artillery itself is not patched.
 */
import os from 'node:os';
import {
  BroadcastChannel,
  getEnvironmentData,
  isMainThread,
  setEnvironmentData,
} from 'node:worker_threads';
import { mapValues } from '../../../base/files/maps.js';
import { createRedactor } from '../../../base/files/redaction.js';
import { forwardConsole } from '../../forward-console.js';
import { tell } from '../../messages.js';
import { addLearning, addTokens, createTokenList } from '../extend-script.js';

/** @import { Script } from '../../script.d.ts' */
/** @import { SketchJson } from '../../../base/math/sketch.js' */
/** @import { ArtilleryJob } from '../../messages.js' */
/** @import { EventEmitter } from 'node:events' */

/** false: periods have sketches instead of rounded percentiles. */
export const LEGACY_METRICS_FORMAT = false;

const JOB = 'loadflame';
const channel = new BroadcastChannel(JOB);
channel.unref();

/** @type {ArtilleryJob} */
const job = isMainThread ? await listenToLoadflame() : /** @type {any} */ (getEnvironmentData(JOB));

export class Plugin {
  /** @param {Script} script @param {EventEmitter} events */
  constructor(script, events) {
    if (isMainThread) reportTo(events);
    else {
      const tokens = createTokenList(job.tokens);
      listenToThreads(({ newest }) => newest && tokens.replace(newest));
      const { add } = createRedactor(job.tokens);
      const learn = (/** @type {string} */ secret) => {
        if (add(secret)) channel.postMessage({ secret });
      };
      addTokens(script, tokens, job.tokenPlaces, addLearning(script, job, learn));
      const sendLastLines = forwardConsole(text => channel.postMessage({ printed: text }));
      /** @param {() => void} done */
      this.cleanup = done => {
        sendLastLines();
        done();
      };
    }
  }
}

/** @param {(message: {newest?: string[], printed?: string, secret?: string}) => void} take */
function listenToThreads(take) {
  channel.onmessage = event => take(/** @type {any} */ (event).data);
}

/** @returns {Promise<ArtilleryJob>} passes later tokens on to the workers */
function listenToLoadflame() {
  if (!process.send) throw new Error('this plugin works for loadflame only');
  process.on('disconnect', () => process.exit(130));
  return new Promise(resolve =>
    process.on('message', (/** @type {any} */ message) => {
      if (message?.loadflame === 'job') {
        setEnvironmentData(JOB, message);
        resolve(message);
      } else if (message?.loadflame === 'tokens') {
        setEnvironmentData(JOB, /** @type {any} */ ({ ...job, tokens: message.tokens }));
        channel.postMessage({ newest: message.tokens });
      }
    }),
  );
}

/** @param {EventEmitter} events */
function reportTo(events) {
  limitWorkers(job.workers, events);
  listenToThreads(({ printed, secret }) => {
    if (secret) tell({ loadflame: 'secrets', secrets: [secret] });
    if (printed) tell({ loadflame: 'log', text: printed });
  });
  for (const [event, kind] of /** @type {const} */ ([
    ['phaseStarted', 'phase-start'],
    ['phaseCompleted', 'phase-end'],
  ])) {
    events.on(event, ({ index, name = `phase ${index + 1}` }) =>
      tell({ loadflame: 'phase', kind, index, name }),
    );
  }
  events.on('stats', ({ period, counters, histograms, firstCounterAt, lastCounterAt }) => {
    // A connection time that was never measured makes its sum NaN.
    const measured = Object.entries(histograms).filter(([, { sum }]) => Number.isFinite(sum));
    const sketches = mapValues(Object.fromEntries(measured), toJson);
    const times = { fromMs: Number(period), firstMs: firstCounterAt, lastMs: lastCounterAt };
    tell({ loadflame: 'period', record: { ...times, counters, sketches } });
  });
  tell({ loadflame: 'ready' });
}

/**
 * Artillery 2.0.34 starts `os.cpus().length - 1` workers and has no setting for it (`WORKERS` has an effect only
 * elsewhere). It reads the number once, between this call and the first phase.
 * @param {number} workers
 * @param {EventEmitter} events
 */
function limitWorkers(workers, events) {
  const { cpus } = os;
  os.cpus = () => Array.from({ length: workers + 1 }, () => cpus().slice(0, 1)).flat();
  events.once('phaseStarted', () => {
    os.cpus = cpus;
  });
}

/**
 * Artillery's sketches come from another package, with the same bins as ours.
 * @param {{count: number, sum: number, min: number, max: number, zeroCount: number, store: {bins: number[], offset: number}}} sketch
 * @returns {SketchJson}
 */
function toJson({ count, sum, min, max, zeroCount, store }) {
  const bins = store.bins.flatMap((n, index) =>
    n > 0 ? [/** @type {[number, number]} */ ([index + store.offset, n])] : [],
  );
  const ends = count === 0 ? { min: null, max: null } : { min, max };
  return { count, sum, ...ends, zero: zeroCount, bins };
}
