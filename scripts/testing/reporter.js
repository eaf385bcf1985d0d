/**
 * A reporter for Node's test runner. It writes a line `null` when a test fails, and the results as JSON in the last line.
 * A runner that is stopped does not write that last line.
 */

/** @typedef {Record<'tests' | 'suites' | 'pass' | 'fail' | 'cancelled' | 'skipped' | 'todo', number>} Counts */
/**
 * @typedef {{counts: Counts, failed: string[], skipped: string[], seconds: Record<string, number>}} Results
 * files that failed, reasons of skips, and seconds of each file's tests
 */

/** @param {AsyncIterable<{type: string, data: any}>} source of share.js: what is at the top are files */
export default async function* report(source) {
  const failed = [];
  const skipped = [];
  /** @type {Record<string, number>} */
  const seconds = {};
  for await (const { type, data } of source) {
    if (type === 'test:pass' && typeof data.skip === 'string') skipped.push(data.skip);
    if (type === 'test:fail') yield 'null\n';
    if (data.nesting === 0 && (type === 'test:pass' || type === 'test:fail')) {
      if (type === 'test:fail') failed.push(data.name);
      seconds[data.name] = data.details.duration_ms / 1000;
    }
    if (type !== 'test:summary') continue;
    const { tests, suites, passed, failed: fail, cancelled, skipped: skips, todo } = data.counts;
    const counts = { tests, suites, pass: passed, fail, cancelled, skipped: skips, todo };
    yield JSON.stringify({ counts, failed, skipped, seconds });
  }
}
