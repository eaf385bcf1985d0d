/** A worker thread of the generator: runs its share of the phases, records each second. */
import { parentPort, threadId, workerData } from 'node:worker_threads';
import { createRedactor } from '../../../files/redaction.js';
import { createNdjsonWriter } from '../../../run/ndjson.js';
import { surviveUncaught } from '../engine/flow/hooks.js';
import { forwardConsole } from '../forward-console.js';
import { createClockBounds } from '../metrics/clock-bounds.js';
import { createErrorSamples } from '../metrics/error-samples.js';
import { createSecondRecorder } from '../metrics/second-recorder.js';
import { runPhases } from '../pacing/run-phases.js';
import { createTokenHolder } from '../token-holder.js';
import { createGeneratorWatch } from './generator-watch.js';
import { createArtilleryGlobal, unloadPlugins } from './plugins.js';
import { prepareWorker } from './prepare-worker.js';
import { createUsers } from './users.js';

/** @import { FromWorker, RunMessage, ToWorker, WorkerData } from './workers.js' */
/** @import { MessagePort } from 'node:worker_threads' */

const SECOND_MS = 1000;
/** What is counted with the last millisecond of a second comes a moment later. */
const AFTER_MS = 20;
/** @type {NodeJS.Timeout | undefined} */
let flushing;

const { job, plan, share, perUrl } = /** @type {WorkerData} */ (workerData);
const port = /** @type {MessagePort} */ (parentPort);
/** @param {FromWorker} message */
const tell = message => port.postMessage(message);

// Plugins and hooks know by it that they are in a worker.
process.env.LOCAL_WORKER_ID = String(threadId);
const artillery = createArtilleryGlobal({
  testRunId: plan.testRunId,
  onExitCode: code => tell({ kind: 'exit-code', code }),
});
artillery.globalEvents.on('log', (/** @type {unknown[]} */ ...args) => {
  tell({ kind: 'log', args: structuredClone(args) });
});

const redactor = createRedactor([...job.secrets, ...job.tokens]);
const sendLastLines = forwardConsole(text => tell({ kind: 'printed', text }), redactor.redactText);
/** @type {string[]} */
const learned = [];
/** Told at once: the API's log may have it before its answer is here. @param {string} secret */
const learn = secret => {
  if (!redactor.add(secret) || learned.push(secret) > 1) return;
  setImmediate(() => tell({ kind: 'secrets', secrets: learned.splice(0) }));
};
const metrics = createNdjsonWriter(job.metricsFile);
const calls = createNdjsonWriter(job.callsFile);
const tokens = createTokenHolder(job.tokens);
tokens.startAt(share.index);
const sockets = { open: 0 };
const recorder = createSecondRecorder(
  record => {
    const { firstMs, lastMs, rates, ...kept } = record;
    metrics.append('second', kept);
    tell({ kind: 'second', record });
  },
  {
    redact: redactor.redactText,
    perUrl,
    stickyCookie: job.stickyCookie,
    writeCalls: calls.append,
  },
);
const clock = createClockBounds(record =>
  metrics.append('clock', { worker: share.index + 1, ...record }),
);
const stopping = new AbortController();
/** @type {PromiseWithResolvers<RunMessage>} */
const begin = Promise.withResolvers();
port.on('message', (/** @type {ToWorker} */ message) => {
  if (message.kind === 'tokens') {
    for (const token of message.tokens) redactor.add(token);
    tokens.replace(message.tokens);
  } else if (message.kind === 'run') begin.resolve(message);
  else stopping.abort();
});
const stopped = new Promise(resolve =>
  stopping.signal.addEventListener('abort', resolve, { once: true }),
);

try {
  await work();
} catch (error) {
  tell({
    kind: 'failed',
    message: redactor.redactText(String(/** @type {any} */ (error).message)),
  });
}

async function work() {
  const samples = createErrorSamples(createNdjsonWriter(job.errorsFile), redactor, learn);
  const prepared = await prepareWorker(plan, {
    recorder,
    samples,
    tokens,
    tokenPlaces: job.tokenPlaces,
    clock,
    warn: text => tell({ kind: 'warn', text }),
    learn,
    sockets,
  });
  surviveUncaught(
    code => recorder.count(`errors.${code}`, 1),
    text => console.error(redactor.redactText(text)),
  );
  tell({ kind: 'ready' });
  const { startAtMs, variables } = await begin.promise;
  const users = createUsers({
    ...prepared,
    contexts: prepared.createContexts(variables),
    recorder,
  });
  const watch = createGeneratorWatch({
    worker: share.index + 1,
    sockets,
    write: record => metrics.append('generator', { ...record }),
  });
  flushEachSecond();
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
    onUserCounts: ({ index = 0, name = `phase ${index + 1}` }, { ended, failed }) =>
      metrics.append('users', {
        index,
        name,
        worker: share.index + 1,
        ended,
        ...(failed && { failed }),
      }),
    onPhaseStart: ({ index = 0 }, atMs) => tell({ kind: 'phase-start', index, atMs }),
    onPhaseEnd: ({ index = 0 }, atMs) => tell({ kind: 'phase-end', index, atMs }),
  });
  await Promise.race([users.ended(), stopped]);
  clearTimeout(flushing);
  // On a stop the users that are at work are not waited for; their last seconds are.
  recorder.flush({ all: true });
  clock.flush({ all: true });
  watch.stop();
  await unloadPlugins();
  recorder.flush({ all: true });
  sendLastLines();
  tell({ kind: 'bye' });
}

/** Right after each second, so that whoever follows the run has it at once. */
function flushEachSecond() {
  const pauseMs = SECOND_MS - (Date.now() % SECOND_MS) + AFTER_MS;
  flushing = setTimeout(() => {
    flush();
    flushEachSecond();
  }, pauseMs);
}

function flush() {
  const untilMs = Math.floor(Date.now() / SECOND_MS) * SECOND_MS;
  recorder.flush();
  clock.flush();
  tell({ kind: 'tick', untilMs });
}
