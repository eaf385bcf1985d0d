/** What a cluster said of some pods during a load, and its analysis. */
import assert from 'node:assert/strict';
import { analyseCluster } from '../../../lib/analysis/load/analyse-cluster.js';
import { recordsOf } from '../../helpers/records.js';

export const RANGE = { startMs: 100_000, endMs: 160_000 };
export const START = { kind: 'cluster-start', t: 90_000, namespace: 'shop', selector: 'app=api' };

/** @param {number} t @param {Record<string, any>} [changes] @param {Record<string, any>} [container] */
export function pod(t, changes = {}, container = {}) {
  const web = { name: 'web', isReady: true, restarts: 0, waiting: null, last: null, ...container };
  return { kind: 'pod', t, name: 'api-1', isReady: true, containers: [web], ...changes };
}
/** @param {Record<string, any>[]} records */
export function analyse(...records) {
  const report = analyseCluster(recordsOf('cluster', [START, ...records]), RANGE);
  assert.ok(report);
  return report;
}

/** Each of so many pods restarts once during the load. @param {number} count */
export function restartAll(count) {
  const names = Array.from({ length: count }, (_, index) => `api-${index}`);
  return [
    ...names.map(name => pod(90_000, { name })),
    ...names.map(name => pod(110_000, { name }, { restarts: 1 })),
  ];
}
