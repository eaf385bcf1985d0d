/**
 * A reporter of Node's test runner for other scripts: a line `null` at once for each test that fails, and JSON of what came
 * out as the last line. A runner that is stopped writes no such line.
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
    // In one process for all files. A test of a helper (`quiet.js`) is told with the helper's file.
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
