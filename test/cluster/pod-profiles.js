/** `loadflame profile` on pods of the lab, beside a load on them, and the report of both. */
import assert from 'node:assert/strict';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { startChild } from '../../lib/base/process/child.js';
import { runLoadflame } from '../helpers/run-loadflame.js';
import { waitFor } from './lab/start-lab.js';

const LOADFLAME = path.resolve(import.meta.dirname, '../../bin/loadflame.js');

/**
 * Starts `loadflame profile` and waits for its first segment.
 * @param {string} folder that it runs in
 * @param {string[]} args
 * @param {Record<string, string>} env
 */
export async function startProfile(folder, args, env) {
  const child = startChild(process.execPath, [LOADFLAME, 'profile', ...args], {
    ...{ cwd: folder, env, stdout: 'pipe', stderr: 'pipe' },
  });
  let said = '';
  for (const stream of [child.process.stdout, child.process.stderr])
    stream?.on('data', text => {
      said += text;
    });
  const read = () => readIndex(folder);
  await waitFor(
    'profile',
    async () => read().some(({ kind }) => kind === 'segment'),
    () => (child.isAlive() ? null : 1),
  ).catch(error => assert.fail(`${error.message}: ${said}`));
  const stop = async () => {
    child.signal('SIGINT');
    const { exitCode } = await child.ended;
    return { exitCode, said };
  };
  return { stop, read };
}

/** @param {string} folder @returns {any[]} what the recording's index lists so far */
function readIndex(folder) {
  const [file] = globSync('profiles/*/profile/segments.ndjson', { cwd: folder });
  const text = file ? readFileSync(path.join(folder, file), 'utf8').trim() : '';
  return text.split('\n').flatMap(line => (line ? JSON.parse(line) : []));
}

/** A load of its own folder of runs. @param {string} folder @param {string} target @param {number} seconds */
export async function sendLoad(folder, target, seconds) {
  writeFileSync(path.join(folder, 'load.yaml'), describeLoad(seconds));
  const args = ['test', 'load.yaml', '--profiles', 'sent'];
  const { exit, stderr } = await runLoadflame(folder, args, { TARGET: target });
  assert.equal(exit, 0, stderr);
}

/** @param {string} folder @returns {Promise<any>} the report of the load and the recording, merged */
export async function mergeRuns(folder) {
  const folders = ['sent', 'profiles'].map(
    root => globSync(`${root}/*/`, { cwd: folder })[0] ?? '',
  );
  const args = ['report', ...folders, '--same-target'];
  const { exit, stderr } = await runLoadflame(folder, args, {});
  assert.equal(exit, 0, stderr);
  const [file = ''] = globSync('profiles/*-merged-*/report.json', { cwd: folder });
  return JSON.parse(readFileSync(path.join(folder, file), 'utf8'));
}

/** @param {any} report @returns {number} share of the CPU; 0 where the report does not name the function */
export function shareOfBurn({ profile }) {
  const { hotPaths } = profile;
  return (
    hotPaths.find((/** @type {any} */ path) => /burn/.test(JSON.stringify(path)))?.share.value ?? 0
  );
}

/** @param {number} seconds @param {{perSec?: number, burnMs?: number}} [options] */
export function describeLoad(seconds, { perSec = 10, burnMs = 40 } = {}) {
  return `
config:
  target: '{{ $env.TARGET }}'
  phases: [{duration: ${seconds}, arrivalRate: ${perSec}}]
scenarios: [{flow: [{get: {url: /burn/${burnMs}}}]}]
`;
}

/** @param {{ip: string} | undefined} pod */
export function addressOf(pod) {
  return `http://${pod?.ip}:8080`;
}
