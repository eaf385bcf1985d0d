/** The plugin in a worker: counts every event as it happens and hands out tokens. */
import { BroadcastChannel, getEnvironmentData, threadId } from 'node:worker_threads';
import { createNdjsonWriter } from '../../../run/ndjson.js';
import { createRedactor } from '../../../run/redaction.js';
import { CHANNEL, JOB_KEY } from '../messages.js';
import { createErrorSamples } from '../metrics/error-samples.js';
import { createSecondRecorder } from '../metrics/second-recorder.js';
import { createTokenHolder } from '../token-holder.js';
import { artilleryGlobal } from './artillery-internals.js';
import { patchHttpEngine } from './patch-http.js';
import { patchSocketIoEngine } from './patch-socketio.js';

const FLUSH_MS = 1000;

const job = /** @type {import('../messages.js').Job} */ (
  /** @type {any} */ (getEnvironmentData(JOB_KEY))
);
const redactor = createRedactor([...job.secrets, ...job.tokens]);
const channel = new BroadcastChannel(CHANNEL);
const metrics = createNdjsonWriter(job.metricsFile);
const samples = createErrorSamples(createNdjsonWriter(job.errorsFile), redactor);
const tokens = createTokenHolder(job.tokens);
tokens.startAt(threadId);

const seconds = createSecondRecorder(
  record => {
    metrics.append('second', record);
    channel.postMessage({ kind: 'second', record });
  },
  { redact: redactor.redactText, stickyCookie: job.stickyCookie },
);

channel.onmessage = event => {
  const message = /** @type {import('../messages.js').ToWorkers} */ (event.data);
  if (message.kind === 'tokens') {
    message.tokens.forEach(redactor.add);
    tokens.replace(message.tokens);
  } else if (message.kind === 'stop') seconds.flush({ all: true });
};
channel.unref();
channel.postMessage({ kind: 'hello' });

export class Plugin {
  constructor() {
    tapMetrics();
    patchHttpEngine(tokens, { seconds, samples });
    patchSocketIoEngine(tokens, job.tokenPlaces, samples);
    setInterval(() => seconds.flush(), FLUSH_MS).unref();
  }

  /** @param {(error?: Error | null) => void} done */
  cleanup(done) {
    seconds.flush({ all: true });
    channel.postMessage({ kind: 'bye' });
    done();
  }
}

/**
 * Every counter and measurement of a worker goes through one store, raw and at once; so what is
 * summed up here is what Artillery sums up.
 */
function tapMetrics() {
  const store = artilleryGlobal().__SSMS.prototype;
  const { incr, histogram } = store;
  /** @param {string} name @param {number} value @param {any[]} rest */
  store.incr = function tappedIncr(name, value, ...rest) {
    seconds.count(name, value);
    return incr.call(this, name, value, ...rest);
  };
  /** @param {string} name @param {number} value @param {any[]} rest */
  store.histogram = function tappedHistogram(name, value, ...rest) {
    seconds.measure(name, value);
    return histogram.call(this, name, value, ...rest);
  };
}
