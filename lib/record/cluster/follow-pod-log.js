/** The log of a container of a pod, over restarts and connections that break. */
import { setTimeout as sleep } from 'node:timers/promises';
import { LoadflameError } from '../../errors.js';
import { ASKED } from './permissions.js';

/** @import { LogSource } from '../logs/recorder.js' */
/** @import { Cluster } from './connect.js' */

const AGAIN_MS = 1000;
/** Clocks of a cluster's machines differ; what is older than the load is left out of a report by its own time. */
const BEFORE_MS = 5000;
/** `2026-11-21T04:15:17.123456789Z text`: the API puts it before each line. */
const STAMPED = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(?:Z|[+-]\d\d:\d\d)) (.*)$/s;

/**
 * Follows it until the pod is no more or the signal comes.
 * @param {object} options
 * @param {Cluster} options.cluster
 * @param {string} options.pod
 * @param {string} options.container
 * @param {number} options.sinceMs the cluster's own time
 * @param {() => LogSource} options.open with the first line; it is closed in the end
 * @param {AbortSignal} options.signal
 * @throws {LoadflameError} KUBE_FORBIDDEN
 */
export async function followPodLog({ cluster, pod, container, sinceMs, open, signal }) {
  const asked = { ...ASKED.logs, name: pod };
  let last = new Date(sinceMs - BEFORE_MS).toISOString().replace('Z', '000000Z');
  /** @type {LogSource | null} */
  let source = null;
  try {
    while (!signal.aborted) {
      // It is asked for by whole seconds: what was read of that second comes once more.
      const known = last;
      const query = { container, follow: 'true', timestamps: 'true', sinceTime: last };
      const onLine = (/** @type {string} */ line) => {
        const [, stamp = '', text = line] = STAMPED.exec(line) ?? [];
        if (stamp !== '' && stamp <= known) return;
        last = stamp || last;
        source ??= open();
        source.add(text, Date.parse(stamp) || null);
      };
      try {
        await cluster.follow(asked, query, onLine, signal);
      } catch (error) {
        // Its container has not started yet, or the API is away for a moment: it is asked again.
        const { code } = /** @type {LoadflameError} */ (error);
        if (code === 'KUBE_NOT_THERE') return;
        if (code === 'KUBE_FORBIDDEN' || !(error instanceof LoadflameError)) throw error;
      }
      await sleep(AGAIN_MS, undefined, { signal }).catch(() => {});
    }
  } finally {
    /** @type {LogSource | null} */ (source)?.close();
  }
}
