/** The set-ups of the demo in which something known limits it (or nothing does). */
import assert from 'node:assert/strict';
import { needs } from '../helpers/needs.js';
import {
  crowdGenerator,
  describeBottleneck,
  isCrowded,
  measure,
  startBalancer,
  startDemoFor,
} from './measure.js';

/** @typedef {import('../../lib/run/facts/report.d.ts').Report} Report */
/** @import { BottleneckId } from '../../lib/run/facts/bottleneck.d.ts' */

/**
 * @typedef {object} SetUp
 * @property {string} title
 * @property {BottleneckId} bottleneck that the report has to name
 * @property {string} finding that has to be among the others
 * @property {string | false} [skip] why it can't be made here
 * @property {(t: import('node:test').TestContext) => Promise<Report>} run
 */

/**
 * @param {import('node:test').TestContext} t
 * @param {SetUp} setUp
 */
export async function checkSetUp(t, { bottleneck, finding, run }) {
  const report = await run(t);
  t.diagnostic(describeBottleneck(report));
  if (['machine', 'unknown'].includes(report.bottleneck?.id ?? '') && isCrowded(report))
    return t.skip('other processes took the CPU of this machine');
  assert.equal(report.bottleneck?.id, bottleneck, describeBottleneck(report));
  const ids = report.findings.map(({ id, of }) => (of === null ? id : `${id}.${of}`));
  assert.ok(ids.includes(finding), ids.join(', '));
}

/** @type {Record<string, SetUp>} */
const ALL = {
  workers: {
    title: 'requests that cost CPU, on a worker that has one thread',
    bottleneck: 'workers',
    finding: 'bottleneck.workers',
    run: async t =>
      measure(t, await startDemoFor(t, { workers: 1, threads: 1 }), {
        phase: { duration: 8, users: 4 },
        path: '/api/v1/citizens/',
      }),
  },
  database: {
    title: 'a query of 100 ms, and more threads than users',
    bottleneck: 'database',
    finding: 'bottleneck.database',
    run: async t =>
      measure(t, await startDemoFor(t, { threads: 16, slowQueryMs: 100 }), {
        phase: { duration: 6, users: 8 },
        path: '/api/v1/categories/',
      }),
  },
  threads: {
    title: 'the same query, and fewer threads than users',
    bottleneck: 'slots',
    finding: 'bottleneck.slots',
    run: async t =>
      measure(t, await startDemoFor(t, { workers: 1, threads: 4, slowQueryMs: 100 }), {
        phase: { duration: 6, users: 12 },
        path: '/api/v1/categories/',
      }),
  },
  imbalance: {
    title: 'two instances behind HAProxy, of which `balance source` uses one',
    bottleneck: 'imbalance',
    finding: 'imbalance.backends',
    skip: needs('haproxy'),
    run: async t => {
      const demos = await Promise.all(
        [1, 2].map(() => startDemoFor(t, { workers: 1, threads: 8, companion: true })),
      );
      const [first] = demos;
      if (!first) throw new Error('no demo was started');
      return measure(t, first, {
        phase: { duration: 6, users: 4 },
        path: '/api/v1/echo',
        token: false,
        env: { TARGET: await startBalancer(t, demos), BACKENDS: '2' },
      });
    },
  },
  generator: {
    title: 'a load generator that has to share its core with eight others',
    bottleneck: 'generator',
    finding: 'generator-limit',
    run: async t =>
      measure(t, await startDemoFor(t, { workers: 1 }), {
        phase: { duration: 10, arrivalRate: 800, maxVusers: 200 },
        path: '/api/v1/echo',
        token: false,
        meanwhile: folder => crowdGenerator(t, folder),
      }),
  },
  none: {
    title: 'three requests a second',
    bottleneck: 'none',
    finding: 'bottleneck.none',
    run: async t =>
      measure(t, await startDemoFor(t, {}), {
        phase: { duration: 14, arrivalRate: 3 },
        path: '/api/v1/categories/',
      }),
  },
};

export const SET_UPS = new Map(Object.entries(ALL));
