/**
 * `node test/cluster/lab/build.js`: builds the Kubernetes of the lab if it is missing, in 5 to 15 minutes, and starts the
 * lab once, so that a machine that cannot run it fails here, not in a test. It is a separate step because a time-out would
 * end a test that builds it, but not the build.
 */
import { existsSync, globSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Metrics } from '@kubernetes/client-node';
import { startChild } from '../../../lib/base/process/child.js';
import { listenForStop } from '../../../scripts/testing/run-tests.js';
import { describeApi } from '../describe-api.js';
import { findBuilt, findUnbuildable, KEPT } from './requirements.js';
import { startLab, waitFor } from './start-lab.js';

const BUILD = path.join(import.meta.dirname, 'kubernetes', 'build.sh');
/** What it has started has so long to end after it. */
const GROUP_GRACE_MS = 5000;
/** Ten times the start time on a quiet machine. */
const MOST_START_MS = 240_000;
/** Number of lines printed from each log when the lab does not start. */
const LAST_LINES = 3;
const LONGEST_LINE = 600;

/** @param {AbortSignal} stopped @throws {Error} why there is no lab here, and what to install */
async function prepare(stopped) {
  const obstacle = findUnbuildable();
  if (obstacle) throw new Error(obstacle);
  const file = findBuilt();
  if (!existsSync(file)) await build(file, stopped);
  await tryLab(stopped);
}

/** @param {string} file @param {AbortSignal} stopped */
async function build(file, stopped) {
  mkdirSync(KEPT, { recursive: true });
  for (const old of globSync('kubernetes-*', { cwd: KEPT })) rmSync(path.join(KEPT, old));
  console.log('building Kubernetes, once: it takes 5 to 15 minutes …');
  const child = startChild(BUILD, [file], {
    ...{ stdout: 'inherit', stderr: 'inherit', groupGraceMs: GROUP_GRACE_MS },
  });
  stopped.addEventListener('abort', () => child.stop());
  const { exitCode } = await child.ended;
  if (stopped.aborted) throw new Error('the build of Kubernetes was stopped');
  if (exitCode !== 0)
    throw new Error('Kubernetes was not built: Go needs 4 GB of disk and a proxy of Go modules');
}

/** With a pod that serves, and its metrics. @param {AbortSignal} stopped */
async function tryLab(stopped) {
  try {
    const late = sleep(MOST_START_MS, 'late', { ref: false, signal: stopped });
    if ((await Promise.race([startAndStop(), late])) === 'late')
      throw new Error(`no pod with metrics within ${MOST_START_MS / 1000} s`);
  } catch (error) {
    for (const file of globSync('run/log/*.log', { cwd: KEPT }).sort()) printEnd(file);
    throw error;
  }
}

async function startAndStop() {
  const lab = await startLab();
  try {
    await lab.apply('{apiVersion: v1, kind: Namespace, metadata: {name: shop}}');
    await lab.apply(describeApi('api', 1), 'shop');
    await waitFor('pod', async () => (await lab.listReady('api')).length === 1);
    const metrics = new Metrics(lab.config);
    await waitFor('metrics', async () => (await metrics.getPodMetrics('shop')).items.length > 0);
  } finally {
    await lab.stop();
  }
}

/** @param {string} file a log in `KEPT` */
function printEnd(file) {
  const lines = readFileSync(path.join(KEPT, file), 'utf8').trimEnd().split('\n');
  const last = lines.slice(-LAST_LINES).map(line => line.slice(0, LONGEST_LINE));
  console.error([`${path.basename(file)}:`, ...last].join('\n'));
}

if (import.meta.main) {
  try {
    await prepare(listenForStop());
  } catch (error) {
    console.error(`error: no cluster for tests here: ${/** @type {Error} */ (error).message}`);
    // A lab that is still starting ends with this process.
    process.exit(1);
  }
}
