/**
 * `node test/cluster/lab/build.js`: builds the Kubernetes of the lab where it is not there yet, in 5 to 15 minutes. A step of
 * its own: a test that built it would end at its time-out, and the build would not.
 */
import { existsSync, globSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { startChild } from '../../../lib/process/child.js';
import { listenForStop } from '../../../scripts/testing/run-tests.js';
import { findBuilt, findUnbuildable, KEPT } from './requirements.js';

const BUILD = path.join(import.meta.dirname, 'kubernetes', 'build.sh');
/** What it has started has so long to end after it. */
const GROUP_GRACE_MS = 5000;

/** @returns {Promise<number>} exit code */
async function build() {
  const file = findBuilt();
  if (existsSync(file)) return 0;
  const obstacle = findUnbuildable();
  if (obstacle) {
    console.error(`error: Kubernetes is not built: ${obstacle}`);
    return 1;
  }
  mkdirSync(KEPT, { recursive: true });
  for (const old of globSync('kubernetes-*', { cwd: KEPT })) rmSync(path.join(KEPT, old));
  console.log('building Kubernetes, once: it takes 5 to 15 minutes …');
  const child = startChild(BUILD, [file], {
    ...{ stdout: 'inherit', stderr: 'inherit', groupGraceMs: GROUP_GRACE_MS },
  });
  listenForStop().addEventListener('abort', () => child.stop({ graceMs: GROUP_GRACE_MS }));
  return (await child.ended).exitCode ?? 1;
}

if (import.meta.main) process.exitCode = await build();
