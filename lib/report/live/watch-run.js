/** Follows the folder of a run in progress, and sends updates to its page. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createLoadFollower } from '../../analysis/follow-load.js';
import { readRegularJson, statOrNull } from '../../base/files/regular-file.js';
import { isSameProcess } from '../../base/process/process-table.js';
import { isUnderWay } from '../../run/active-recording.js';
import { readManifest } from '../../run/manifest.js';
import { runFiles } from '../../run/run-folder.js';
import { wordLoad } from '../../text/index.js';
import { packReport, readCpuMs, startAnalyser } from './analyse-thread.js';

/** @import { LoadReport } from '../../run/facts/load-report.d.ts' */
/** @import { Timeline } from '../../run/facts/timeline.d.ts' */
/** @import { ReportMessage } from '../page/live-messages.d.ts' */
/** @import { RunFiles } from '../../run/run-folder.js' */
/** @import { WordedReport } from '../../text/worded-report.d.ts' */

/** Polling interval for new data. */
const POLL_MS = 200;
/** Slightly more frequent than the one-second interval of the records. */
const FOLLOW_MS = 600;
const TOGETHER_MS = 30;
/** CPU limit of each: following the load, and the full analysis, in cores. */
const MOST_CORE = 0.1;
const LEAST_PAUSE_MS = 2000;
/** After this time without the process that writes the report, no report is expected. */
const NO_REPORT_MS = 30_000;

/** @typedef {(type: 'report' | 'load' | 'leave', data: string) => void} Send */

/**
 * Sends messages (`live-messages.d.ts`) until the run has ended, then its final Report; or until the signal aborts.
 * @param {string} folder
 * @param {{send: Send, signal: AbortSignal, rulesFile: string | null}} options
 * @throws {import('../../base/errors.js').LoadflameError} RUN_FOLDER_NOT_ONE, RUN_FILE_UNREADABLE
 */
export async function watchRun(folder, { send, signal, rulesFile }) {
  const files = runFiles(folder);
  const follow = createLoadFollower(folder);
  const analyser = startAnalyser({ folder, rulesFile });
  /**
   * @param {string} packed
   * @param {ReportMessage['ended']} [ended]
   * @param {number} [atMs]
   */
  const sendReport = (packed, ended = null, atMs = Date.now()) =>
    send('report', `{"atMs":${atMs},"ended":${JSON.stringify(ended)},${packed}}`);
  /** Window edges of the last Report. @type {number[] | null} */
  let like = null;
  /** @type {Promise<void> | null} */
  let analysing = null;
  let [analyseAtMs, followAtMs] = [0, 0];
  let isFirst = true;
  const analyseAll = async () => {
    const startMs = Date.now();
    const { packed, edgesMs, cpuMs } = await analyser.analyse();
    like = edgesMs;
    sendReport(packed, null, startMs);
    // the first analysis includes JIT compilation
    const costMs = isFirst ? 0 : cpuMs;
    analyseAtMs = Math.max(startMs + costMs / MOST_CORE, Date.now() + LEAST_PAUSE_MS);
    isFirst = false;
    analysing = null;
  };
  const followLoad = async () => {
    const startMs = Date.now();
    const startCpuMs = readCpuMs();
    const { load, timeline, hasLogs } = await follow(like);
    if (timeline) send('load', packLoad(load, { timeline, atMs: startMs, hasLogs }));
    followAtMs = startMs + Math.max(FOLLOW_MS, (readCpuMs() - startCpuMs) / MOST_CORE);
  };
  try {
    await follow(like); // warm-up: excludes JIT compilation from the CPU limit
    let followed = 0;
    while (!signal.aborted && isUnderWay(folder)) {
      if (!analysing && Date.now() >= analyseAtMs) {
        analysing = analyseAll();
        analysing.catch(() => {}); // The error is handled where it is awaited.
      }
      // Of the resources, where no load is recorded.
      const bytes = statOrNull(files.metrics)?.size || (statOrNull(files.processes)?.size ?? 0);
      if (bytes !== followed && Date.now() >= followAtMs) {
        // all threads write a second's records at the same time
        await sleep(TOGETHER_MS);
        followed = bytes;
        await followLoad();
      }
      const pause = sleep(POLL_MS, null, { signal }).catch(() => {});
      await Promise.race(analysing ? [pause, analysing] : [pause]);
    }
    await analysing;
    if (isUnderWay(folder) || !statOrNull(files.manifest)) return send('leave', '{}');
    const isWritten = await waitForReport(files, signal);
    const packed = isWritten ? packReport(readReport(files)) : (await analyser.analyse()).packed;
    sendReport(packed, { file: isWritten ? files.reportHtml : null, folder });
  } finally {
    await analyser.stop();
  }
}

/** @param {LoadReport | null} load @param {{timeline: Timeline, atMs: number, hasLogs: boolean}} beside */
function packLoad(load, { timeline, atMs, hasLogs }) {
  const { failures = null, ...worded } = load ? wordLoad(load) : {};
  const shown = load && { ...worded, seconds: [], ...(!hasLogs && { failures }) };
  return JSON.stringify({ atMs, timeline, load: shown });
}

/**
 * @param {RunFiles} files
 * @param {AbortSignal} signal
 * @returns {Promise<boolean>} false if the run was killed, or its report does not exist
 */
async function waitForReport(files, signal) {
  const { status, endedAtMs, pid, pidStartTicks } = readManifest(files.manifest);
  if (status === 'running') return false;
  for (let goneMs = Date.now(); ; await sleep(POLL_MS)) {
    if ((statOrNull(files.reportHtml)?.mtimeMs ?? 0) >= (endedAtMs ?? 0)) return true;
    if (isSameProcess(pid, pidStartTicks)) goneMs = Date.now();
    if (signal.aborted || Date.now() - goneMs > NO_REPORT_MS) return false;
  }
}

/** Without links to files: the page is not in the run folder. @param {RunFiles} files @returns {WordedReport} */
function readReport({ reportJson }) {
  const report = readRegularJson(reportJson);
  return { ...report, run: { ...report.run, files: [] } };
}
