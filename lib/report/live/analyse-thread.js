/** A thread that analyses a run folder on request, so that the main thread can keep sending new load data. */
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { analyseRun } from '../../analysis/analyse-run.js';
import { startReadingThread } from '../../base/process/reading-thread.js';
import { describeRun } from '../../text/document/run.js';
import { wordReport } from '../../text/index.js';
import { selectSections } from '../print/cells.js';

/** @import { WordedReport } from '../../text/worded-report.d.ts' */

/**
 * The part of a Report that a page shows, as JSON without the outer braces; excludes individual seconds.
 * @param {WordedReport} report
 */
export function packReport({ load, ...report }) {
  const content = selectSections(describeRun({ ...report, load }).sections, 'page');
  const shown = { ...report, load: load && { ...load, seconds: [] } };
  return `"report":${JSON.stringify(shown)},"content":${JSON.stringify(content)}`;
}

/**
 * @typedef {{packed: string, edgesMs: number[] | null, cpuMs: number}} Analysed
 *   `packed`: result of `packReport`; `edgesMs`: of its timeline; `cpuMs`: CPU time of the analysis
 */

/** CPU time of this thread in ms; older Node versions only provide that of the process. */
export function readCpuMs() {
  const { user, system } = (process.threadCpuUsage ?? process.cpuUsage)();
  return (user + system) / 1000;
}

/**
 * @param {{folder: string, rulesFile: string | null}} about
 * @returns {{analyse: () => Promise<Analysed>, stop: () => Promise<unknown>}} `analyse`: calls must not overlap
 */
export function startAnalyser(about) {
  const thread = startReadingThread(import.meta.url, about);
  /** @type {PromiseWithResolvers<Analysed> | null} */
  let asked = null;
  thread.on('message', ({ analysed, message }) => {
    if (analysed) asked?.resolve(analysed);
    else asked?.reject(new Error(message));
  });
  thread.once('error', error => asked?.reject(error));
  return {
    analyse() {
      asked = Promise.withResolvers();
      thread.postMessage('analyse');
      return asked.promise;
    },
    stop: () => thread.terminate(),
  };
}

if (!isMainThread && workerData?.folder)
  parentPort?.on('message', async () => {
    const { folder, rulesFile } = workerData;
    const startCpuMs = readCpuMs();
    try {
      const { report } = await analyseRun(folder, { rulesFile, isProvisional: true });
      const edgesMs = report.timeline?.edgesMs ?? null;
      const packed = packReport(wordReport(report));
      const cpuMs = readCpuMs() - startCpuMs;
      parentPort?.postMessage({ analysed: { packed, edgesMs, cpuMs } });
    } catch (error) {
      parentPort?.postMessage({ message: /** @type {Error} */ (error).message });
    }
  });
