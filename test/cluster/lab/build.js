/**
 * `node test/cluster/lab/build.js`: builds the Kubernetes of the lab where it is not there yet, in 5 to 15 minutes. A step of
 * its own: a test that built it would end at its time-out, and the build would not.
 */
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { startChild } from '../../../lib/process/child.js';
import { listenForStop } from '../../../scripts/testing/run-tests.js';
import { findProgram } from '../../helpers/find-program.js';

const HERE = import.meta.dirname;
export const KEPT = path.resolve(HERE, '../../../.tools/cluster');

/** Where Kubernetes is kept: another name when what it is built of is another. */
export function findBuilt() {
  const hash = createHash('sha256');
  for (const file of globSync('kubernetes/*', { cwd: HERE }).sort())
    hash.update(readFileSync(path.join(HERE, file)));
  return path.join(KEPT, `kubernetes-${hash.digest('hex').slice(0, 12)}`);
}

/** What it has started has so long to end after it. */
const GROUP_GRACE_MS = 5000;

/** @returns {Promise<number>} exit code */
async function build() {
  const file = findBuilt();
  if (existsSync(file)) return 0;
  if (findProgram('go') === null) {
    console.error('error: no `go` on the PATH: install Go 1.24 or newer, which builds Kubernetes');
    return 1;
  }
  mkdirSync(KEPT, { recursive: true });
  for (const old of globSync('kubernetes-*', { cwd: KEPT })) rmSync(path.join(KEPT, old));
  console.log('building Kubernetes, once: it takes 5 to 15 minutes …');
  const child = startChild(path.join(HERE, 'kubernetes', 'build.sh'), [file], {
    ...{ stdout: 'inherit', stderr: 'inherit', groupGraceMs: GROUP_GRACE_MS },
  });
  listenForStop().addEventListener('abort', () => child.stop({ graceMs: GROUP_GRACE_MS }));
  return (await child.ended).exitCode ?? 1;
}

if (import.meta.main) process.exitCode = await build();
