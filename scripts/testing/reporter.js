/**
 * A reporter for Node's test runner: its own spec form without the totals, which are summed over all
 * processes and printed once, and beside it what came out as JSON in the file TEST_RESULTS.
 */
import { writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { spec } from 'node:test/reporters';

/** @import { Counts, Results } from './run-jobs.js' */

/** @param {AsyncIterable<{type: string, data: any}>} source */
export default async function* report(source) {
  /** @type {Results} */
  const results = { counts: null, skipped: [] };
  async function* withoutTotals() {
    for await (const event of source) {
      const { type, data } = event;
      if (type === 'test:summary' && data.file === undefined)
        results.counts = pickCounts(data.counts);
      if (type === 'test:pass' && typeof data.skip === 'string') results.skipped.push(data.skip);
      const isTotal = type === 'test:diagnostic' && data.nesting === 0 && TOTAL.test(data.message);
      if (!isTotal) yield event;
    }
  }
  yield* Readable.from(withoutTotals()).compose(new spec());
  if (process.env.TEST_RESULTS)
    writeFileSync(process.env.TEST_RESULTS, `${JSON.stringify(results)}\n`);
}

const TOTAL = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/;

/** @param {any} counts of Node @returns {Counts} by the names that Node prints */
function pickCounts({ tests, suites, passed, failed, cancelled, skipped, todo }) {
  return { tests, suites, pass: passed, fail: failed, cancelled, skipped, todo };
}
