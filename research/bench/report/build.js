/** Builds the report of a run folder as a user does, and tells what that took. */
import { spawn } from 'node:child_process';
import { readFileSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readStat } from '../../../lib/base/process/process-table.js';
import { runFiles } from '../../../lib/run/run-folder.js';
import { readUse } from '../../shares/others.js';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const POLL_MS = 20;
/** What the limits are about. */
const CORES = 2;
const MAKER_HEAP_MB = 6000;

/**
 * @typedef {object} Build
 * @property {number} wallMs
 * @property {number} cpuMs of all its threads
 * @property {number} peakBytes most that was resident
 * @property {number} otherCores that other processes of the machine used meanwhile
 */

/** @param {string} folder @param {import('./sizes.js').Size} size @returns {Promise<{samples: number}>} */
export async function makeRun(folder, size) {
  const script = path.join(import.meta.dirname, 'make-run.js');
  const words = [`--max-old-space-size=${MAKER_HEAP_MB}`, script, folder, JSON.stringify(size)];
  return JSON.parse((await run([process.execPath, ...words])).output);
}

/** Without the report of an earlier round, which would be read instead. @param {string} folder @returns {Promise<Build>} */
export async function buildReport(folder) {
  rmSync(runFiles(folder).reportJson, { force: true });
  const command = [process.execPath, path.join(ROOT, 'bin/loadflame.js'), 'report', folder];
  const pinned = os.availableParallelism() > CORES ? ['taskset', '-c', `0-${CORES - 1}`] : [];
  return (await run([...pinned, ...command])).usage;
}

/** Sizes of what it wrote, bytes. @param {string} folder */
export function measureFiles(folder) {
  const { reportHtml, reportJson, raw, speedscope } = runFiles(folder);
  const size = (/** @type {string} */ file) => statSync(file).size;
  return {
    html: size(reportHtml),
    json: size(reportJson),
    raw: size(raw),
    speedscope: size(speedscope),
  };
}

/** Windows of the grid and distinct stacks, as the report counts them. @param {string} folder */
export function readCounts(folder) {
  const report = JSON.parse(readFileSync(runFiles(folder).reportJson, 'utf8'));
  return {
    windows: report.timeline.edgesMs.length - 1,
    stacks: report.profile.table.stackCount,
    samples: report.profile.table.totalSamples,
    requests: report.load.http.requests,
  };
}

/**
 * @param {string[]} command
 * @returns {Promise<{output: string, usage: Build}>}
 * @throws {Error} with what it said, when it fails
 */
function run([file = '', ...args]) {
  return new Promise((resolve, reject) => {
    const startMs = performance.now();
    const busyBeforeMs = readUse().busyMs;
    const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let [output, complaints] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', text => {
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', text => {
      complaints += text;
    });
    let usage = { peakBytes: 0, cpuMs: 0 };
    const poll = () => {
      usage = readUsage(child.pid ?? 0) ?? usage;
    };
    const timer = setInterval(poll, POLL_MS);
    child.on('error', reject);
    child.on('close', code => {
      clearInterval(timer);
      const wallMs = performance.now() - startMs;
      const otherMs = readUse().busyMs - busyBeforeMs - usage.cpuMs;
      const otherCores = Math.max(0, otherMs / wallMs);
      if (code === 0) resolve({ output, usage: { wallMs, ...usage, otherCores } });
      else reject(new Error(`${path.basename(args[0] ?? file)} ended with ${code}: ${complaints}`));
    });
  });
}

/** The system keeps the highest mark itself, so that no peak is missed. @param {number} pid */
function readUsage(pid) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const peakKb = /^VmHWM:\s*(\d+) kB/m.exec(status)?.[1];
    const stat = readStat(pid);
    return peakKb && stat ? { peakBytes: Number(peakKb) * 1024, cpuMs: stat.cpuMs } : null;
  } catch {
    return null;
  }
}
