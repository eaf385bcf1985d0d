/** A thread that analyses a run folder on request, so that the main thread can keep sending new load data. */
import { analyseRun } from '../../analysis/analyse-run.js';
import { answerJobs, startReadingThread } from '../../base/process/reading-thread.js';
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
  const { run, stop } = startReadingThread(import.meta.url);
  return { analyse: () => run(about), stop };
}

answerJobs(import.meta.url, async ({ folder, rulesFile }) => {
  const startCpuMs = readCpuMs();
  const { report } = await analyseRun(folder, { rulesFile, isProvisional: true });
  const edgesMs = report.timeline?.edgesMs ?? null;
  const packed = packReport(wordReport(report));
  return { packed, edgesMs, cpuMs: readCpuMs() - startCpuMs };
});
