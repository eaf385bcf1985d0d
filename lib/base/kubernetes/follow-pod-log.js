/** Follows the log of a container of a pod, across restarts and broken connections. */
import { setTimeout as sleep } from 'node:timers/promises';
import { LoadflameError } from '../errors.js';
import { ASKED } from './permissions.js';

/** @import { Cluster } from './connect.js' */

const AGAIN_MS = 1000;
/** The clocks of a cluster's machines differ. The report leaves out lines older than the load by their own time. */
const BEFORE_MS = 5000;
/** `2026-11-21T04:15:17.123456789Z text`: the API puts it before each line. */
const STAMPED = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(?:Z|[+-]\d\d:\d\d)) (.*)$/s;

/**
 * Takes the lines of a log of a pod.
 * @typedef {object} LogSource
 * @property {(line: string, writtenMs: number | null) => void} add `writtenMs`: null if unknown
 * @property {() => void} close
 */

/**
 * Follows the log until the pod is gone or the signal aborts.
 * @param {object} options
 * @param {Cluster} options.cluster
 * @param {string} options.pod
 * @param {string} options.container
 * @param {number} options.sinceMs on the cluster's clock
 * @param {() => LogSource} options.open called at the first line; the source is closed at the end
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
      // `sinceTime` has a resolution of whole seconds: lines of that second arrive again.
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
        // The container has not started yet, or the API is briefly unavailable: try again.
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
