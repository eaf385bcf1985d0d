/**
 * A reporter for Node's test runner. It writes a line `null` when a test fails, and the results as JSON in the last line.
 * A runner that is stopped does not write that last line.
 */

/** @typedef {Record<'tests' | 'suites' | 'pass' | 'fail' | 'cancelled' | 'skipped' | 'todo', number>} Counts */
/** @typedef {{counts: Counts, failed: string[], skipped: string[]}} Results files that failed, and reasons of skips */

/** @param {AsyncIterable<{type: string, data: any}>} source */
export default async function* report(source) {
  const failed = new Set();
  const places = new Set();
  let isByFile = false;
  const skipped = [];
  for await (const { type, data } of source) {
    // With one process for all files. Node reports the helper's file for a test that a helper (`quiet.js`) defines.
    if (type === 'test:fail' && data.nesting === 0) places.add(data.file ?? data.name);
    if (type === 'test:pass' && typeof data.skip === 'string') skipped.push(data.skip);
    if (type === 'test:fail') yield 'null\n';
    if (type !== 'test:summary') continue;
    if (data.file !== undefined) {
      isByFile = true;
      if (!data.success) failed.add(data.file);
      continue;
    }
    const { tests, suites, passed, failed: fail, cancelled, skipped: skips, todo } = data.counts;
    const counts = { tests, suites, pass: passed, fail, cancelled, skipped: skips, todo };
    yield JSON.stringify({ counts, failed: [...(isByFile ? failed : places)], skipped });
  }
}
