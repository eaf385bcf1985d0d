/**
 * A reporter for Node's test runner. It writes a line `null` when a test fails, and the results as JSON in the last line.
 * A runner that is stopped does not write that last line.
 */
import path from 'node:path';

/** Tests change the working folder. */
const ROOT = path.resolve(import.meta.dirname, '../..');

/** By title the file of a test that a helper (`quiet.js`) defines: Node takes that of the helper for it. @type {Map<string, string>} */
export const FILES = new Map();

/** @typedef {Record<'tests' | 'suites' | 'pass' | 'fail' | 'cancelled' | 'skipped' | 'todo', number>} Counts */
/**
 * @typedef {{counts: Counts, failed: string[], skipped: string[], seconds: Record<string, number>}} Results
 * files that failed, reasons of skips, and seconds of each file's tests
 */

/** @param {AsyncIterable<{type: string, data: any}>} source */
export default async function* report(source) {
  const failed = new Set();
  const places = new Set();
  let isByFile = false;
  const skipped = [];
  /** @type {Record<string, number>} */
  const seconds = {};
  for await (const { type, data } of source) {
    if (type === 'test:pass' && typeof data.skip === 'string') skipped.push(data.skip);
    if (type === 'test:fail') yield 'null\n';
    if (data.nesting === 0 && (type === 'test:pass' || type === 'test:fail')) {
      const file = path.relative(ROOT, FILES.get(data.name) ?? data.file ?? data.name);
      // With one process for all files.
      if (type === 'test:fail') places.add(file);
      seconds[file] = (seconds[file] ?? 0) + data.details.duration_ms / 1000;
    }
    if (type !== 'test:summary') continue;
    if (data.file !== undefined) {
      isByFile = true;
      seconds[path.relative(ROOT, data.file)] = data.duration_ms / 1000;
      if (!data.success) failed.add(data.file);
      continue;
    }
    const { tests, suites, passed, failed: fail, cancelled, skipped: skips, todo } = data.counts;
    const counts = { tests, suites, pass: passed, fail, cancelled, skipped: skips, todo };
    yield JSON.stringify({ counts, failed: [...(isByFile ? failed : places)], skipped, seconds });
  }
}
