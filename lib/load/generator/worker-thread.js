/** Runs a worker in a thread, with the globals, console and plugins that scripts expect there. */
import { parentPort, threadId, workerData } from 'node:worker_threads';
import { createRedactor } from '../../base/files/redaction.js';
import { forwardConsole } from '../forward-console.js';
import { createArtilleryGlobal } from './plugins.js';
import { createWorker } from './worker.js';

/** @import { FromWorker, WorkerData } from './worker.js' */
/** @import { MessagePort } from 'node:worker_threads' */

const data = /** @type {WorkerData} */ (workerData);
const port = /** @type {MessagePort} */ (parentPort);
/** @param {FromWorker} message */
const tell = message => port.postMessage(message);

// Plugins and hooks recognize a worker by it.
process.env.LOCAL_WORKER_ID = String(threadId);
const artillery = createArtilleryGlobal({
  testRunId: data.plan.testRunId,
  onExitCode: code => tell({ kind: 'exit-code', code }),
});
artillery.globalEvents.on('log', (/** @type {unknown[]} */ ...args) => {
  tell({ kind: 'log', args: structuredClone(args) });
});
const redactor = createRedactor();
const sendLastLines = forwardConsole(text => tell({ kind: 'printed', text }), redactor.redactText);
const worker = createWorker(data, { tell, redactor });
port.on('message', worker.take);
try {
  await worker.run();
  sendLastLines();
  tell({ kind: 'bye' });
} catch (error) {
  const { message } = /** @type {Error} */ (error);
  tell({ kind: 'failed', message: redactor.redactText(String(message)) });
}
