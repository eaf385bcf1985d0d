/** Which test files share a process, and in which order processes start. */

/** @import { Job } from './run-jobs.js' */

/**
 * Tests that start programs, servers or browsers, by the beginning of their path: each file has a process
 * of its own. Those that take longest are first, so that no core idles in the end.
 */
const ALONE = [
  'test/conformance/',
  'test/cli/',
  'test/study/run/',
  'test/record/',
  'test/demo/',
  'test/auth/',
  'test/bench/',
  'test/companion/',
  'test/child',
  'test/limits/',
  'test/scripts/',
  'test/studies/',
  'test/study/lists/',
  'test/study/services/',
  'test/target/',
];

/** They share one browser. */
const PAGES = 'test/report/page/';

/** @param {string[]} files @returns {Job[]} */
export function planJobs(files) {
  const rank = (/** @type {string} */ file) => ALONE.findIndex(start => file.startsWith(start));
  const pages = files.filter(file => file.startsWith(PAGES));
  const alone = files.filter(file => rank(file) >= 0);
  const pure = files.filter(file => !pages.includes(file) && !alone.includes(file));
  const jobs = [
    { name: `${PAGES} (${pages.length} files)`, files: pages },
    { name: `tests that start nothing (${pure.length} files)`, files: pure },
    ...alone.toSorted((a, b) => rank(a) - rank(b)).map(file => ({ name: file, files: [file] })),
  ];
  return jobs
    .filter(job => job.files.length > 0)
    .map(job => (job.files.length === 1 ? { ...job, name: job.files[0] ?? '' } : job));
}
