/** Reads probes periodically during a run and records their values. */

import { startAlignedInterval } from '../../base/process/aligned-interval.js';
import { createNdjsonWriter } from '../../run/ndjson.js';
import { readProbe } from './read-probe.js';

/** @import { NdjsonWriter } from '../../run/ndjson.js' */
/** @import { Redactor } from '../../base/files/redaction.js' */
/** @import { RunFiles } from '../../run/run-folder.js' */
/** @import { RecordedProbe } from './read-probe.js' */

/**
 * Appends to `resources/probes.ndjson`. A probe that fails stops nothing: the reason is recorded when it starts
 * to fail, and when the reason changes.
 * @param {RecordedProbe[]} probes
 * @param {object} options
 * @param {RunFiles} options.files
 * @param {Redactor} options.redactor
 * @param {(error: Error) => void} [options.onWriteError] once
 */
export function startProbes(probes, { files, redactor, onWriteError }) {
  const writer = createNdjsonWriter(files.probes, { onError: onWriteError });
  const stopping = new AbortController();
  const polls = probes.map(probe => startPolling(probe, { writer, redactor, stopping }));
  return {
    /** Pids of commands that are running. @returns {number[]} */
    pids: () => polls.flatMap(({ pids }) => [...pids]),
    /** Reads each probe a last time. */
    async stop() {
      await Promise.all(polls.map(({ last }) => last()));
      stopping.abort();
    },
  };
}

/**
 * @param {RecordedProbe} probe
 * @param {{writer: NdjsonWriter, redactor: Redactor, stopping: AbortController}} options
 */
function startPolling(probe, { writer, redactor, stopping }) {
  const { name, intervalMs } = probe;
  /** @type {string | null} */
  let failure = null;
  /** @type {Promise<void> | null} */
  let running = null;
  /** @type {Set<number>} */
  const pids = new Set();

  const ask = async () => {
    const askedAt = performance.now();
    try {
      const values = await readProbe(probe, { signal: stopping.signal, pids });
      failure = null;
      // The record has the time of the response: that is when a service reads its queue.
      const tookMs = Math.round(performance.now() - askedAt);
      writer.append('probe', { name, tookMs, values });
    } catch (error) {
      const message = redactor.redactText(/** @type {Error} */ (error).message);
      if (message !== failure) writer.append('probe-failed', { name, message });
      failure = message;
    }
  };
  const tick = () => {
    // A probe slower than its interval is read less often.
    running ??= ask().finally(() => {
      running = null;
    });
  };
  const end = startAlignedInterval(tick, intervalMs);
  tick();
  return {
    pids,
    async last() {
      end();
      await running;
      if (failure === null) await ask();
    },
  };
}
