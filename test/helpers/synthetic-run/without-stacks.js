/** @import { SyntheticRun } from './synthetic-run.d.ts' */

/** Of stacks, of what took them, and of what waits. */
const OF_STACKS = /^(?:segment|segment-lost|waits|waits-start|waits-lost|process)$/;

/** The same run, recorded with PROFILER=none. @param {SyntheticRun} run @returns {SyntheticRun} */
export function withoutStacks(run) {
  return {
    ...run,
    raw: [],
    processes: run.processes.filter(({ role }) => role !== 'py-spy'),
    segments: run.segments.flatMap(record => {
      const { rateHz: _, recorder: __, ...start } = record;
      if (record.kind === 'recording-start') return start;
      return OF_STACKS.test(record.kind) ? [] : record;
    }),
  };
}
