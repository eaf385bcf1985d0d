/** Watches the processes that are profiled: workers that come and go, and the end of the master. */
import { isProcessAlive, readStartTicks } from '../../process-table.js';
import { listWorkers } from '../../target/list-workers.js';

/** py-spy itself looks for new processes every 100 ms; a restart need not be known to the moment. */
const POLL_MS = 250;

/**
 * @typedef {object} WatchOptions
 * @property {number} masterPid
 * @property {(pid: number) => void} onWorkerStart also for those that are there from the start
 * @property {(pid: number) => void} onWorkerEnd
 * @property {() => void} onMasterGone once; workers that outlive their master are not reported
 */

/**
 * @param {WatchOptions} options
 * @returns {{isMasterAlive: () => boolean, stop: () => void}}
 */
export function watchWorkers({ masterPid, onWorkerStart, onWorkerEnd, onMasterGone }) {
  const startTicks = readStartTicks(masterPid);
  // A pid is given away again: the start time tells the master from a stranger.
  const isMasterAlive = () => isProcessAlive(masterPid) && readStartTicks(masterPid) === startTicks;
  /** @type {Set<number>} */
  let known = new Set();
  const look = () => {
    const found = new Set(listWorkers(masterPid));
    if (!isMasterAlive()) {
      clearInterval(timer);
      onMasterGone();
      return;
    }
    for (const pid of found.difference(known)) onWorkerStart(pid);
    for (const pid of known.difference(found)) {
      // When a master dies its children go to another parent before it is gone: they have not ended.
      if (isProcessAlive(pid)) found.add(pid);
      else onWorkerEnd(pid);
    }
    known = found;
  };
  const timer = setInterval(look, POLL_MS);
  look();
  return { isMasterAlive, stop: () => clearInterval(timer) };
}
