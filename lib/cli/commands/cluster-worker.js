/** The program of a pod of `loadflame cluster run`: one worker that prints its measurements to standard output. */
/** @import { Call } from '../io.js' */
/** @import { PackedJob } from '../../load/in-cluster/pack-load.js' */
/** @import { Redactor } from '../../base/files/redaction.js' */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { readConfig } from '../../base/config/read-config.js';
import { copyToNew, makeFolder } from '../../base/files/own-files.js';
import { parseOrNull } from '../../base/files/parse-json.js';
import { collectSecrets, createRedactor } from '../../base/files/redaction.js';
import { replaceFile } from '../../base/files/replace-file.js';
import { runSession } from '../../experiment/session.js';
import { GIVEN } from '../../load/in-cluster/describe-job.js';
import { WORK } from '../../load/in-cluster/pack-load.js';
import { createLines, followRun } from '../../load/in-cluster/worker-lines.js';
import { exitCodeOfError } from '../exit-code.js';
import { catchInterrupts } from '../io.js';

/** @param {Call} call */
export async function run({ io }) {
  // Not through `io`: these lines are for a program.
  const lines = createLines(text => process.stdout.write(text));
  const { signal, release } = catchInterrupts(() => {});
  const root = path.join(WORK, 'run');
  makeFolder(root);
  const sending = followRun(root, lines);
  const redactor = createRedactor();
  try {
    const { job, config, script } = unpack(io.env, redactor);
    const index = Number(io.env.JOB_COMPLETION_INDEX);
    const orders = listenToOrders(lines);
    const giveUp = new AbortController();
    const begin = async () => {
      lines.say('ready');
      // Perhaps no one is attached to give the start.
      const limit = setTimeout(() => giveUp.abort(), (job.waitSec + 60) * 1000);
      const startAtMs = await orders.start;
      clearTimeout(limit);
      lines.say('begins', { startAtMs });
      return startAtMs;
    };
    const { loadEnd } = await runSession({
      ...{ config, root, command: 'loadflame cluster worker', profile: null, redactor },
      signal: AbortSignal.any([signal, giveUp.signal]),
      load: {
        script,
        options: {
          ...{ ...job.options, name: job.name, workers: 1, begin },
          share: { index, of: job.workers },
        },
      },
      // The first worker checks for all of them.
      isTargetReady: index > 0,
      onProgress: () => {},
      onNote: text => index === 0 && lines.say('note', { text: redactor.redactText(text) }),
      onLog: text => lines.say('log', { text }),
    });
    sending.stop();
    const { reason = 'interrupted', exitCode = null, logTail = '' } = loadEnd ?? {};
    const why = reason === 'crashed' ? redactor.redactText(logTail).slice(-500) : '';
    lines.say('end', { reason, exitCode, why });
    return 0;
  } catch (error) {
    sending.stop();
    const { code = 'bug', message, hint = '' } = /** @type {any} */ (redactor.redactError(error));
    lines.say('failed', { code, message, hint });
    return exitCodeOfError(error);
  } finally {
    release();
  }
}

/**
 * Copies what the pod was given to a folder where it may write.
 * @param {NodeJS.ProcessEnv} env
 * @param {Redactor} redactor learns its secrets: everyone who may read the log of the pod sees our output
 */
function unpack(env, redactor) {
  const read = (/** @type {string} */ file) => JSON.parse(readFileSync(file, 'utf8'));
  /** @type {PackedJob} */
  const job = read(path.join(GIVEN, 'job.json'));
  for (const [key, place] of Object.entries(job.places)) {
    const file = path.join(WORK, place);
    makeFolder(path.dirname(file));
    copyToNew(path.join(GIVEN, key), file);
  }
  const script = path.join(WORK, 'script.json');
  replaceFile(script, JSON.stringify(job.script));
  // Keeps the variables of the image: its PATH, and the proxy of the cluster.
  const given = read(path.join(GIVEN, 'settings.json'));
  for (const secret of collectSecrets(given)) redactor.add(secret, { forever: true });
  for (const [name, value] of Object.entries(given)) process.env[name] ??= value;
  return { job, script, config: readConfig({ env: { ...given, ...env }, folder: null }) };
}

/** Reads the orders of a process that attaches to this one. @param {ReturnType<typeof createLines>} lines */
function listenToOrders(lines) {
  /** @type {PromiseWithResolvers<number>} */
  const { promise: start, resolve } = Promise.withResolvers();
  createInterface({ input: process.stdin }).on('line', line => {
    const { ping, startAtMs } = parseOrNull(line) ?? {};
    if (Number.isInteger(ping)) lines.say('pong', { id: ping, nowMs: Date.now() });
    if (Number.isFinite(startAtMs)) resolve(startAtMs);
  });
  return { start };
}
