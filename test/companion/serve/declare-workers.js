/** Declares tests of gunicorn's kinds of workers: of one kind in the fast lane, of the others in the slow one. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { PYTHON, startGunicorn } from '../../helpers/gunicorn.js';
import { COMPANION_FILE } from '../../helpers/joined-companion.js';
import { test } from '../../helpers/quiet.js';
import { startApp, timingOf } from '../../helpers/wsgi.js';

/** @typedef {'sync' | 'gthread' | 'gevent'} Kind */

/** @param {string} url what a response reports of CPU in milliseconds and of statements, and the truth of its threads */
export async function readCosts(url) {
  const { headers } = await fetch(url);
  const timing = headers.get('server-timing') ?? '';
  const [, cpu = 'NaN'] = /cpu;dur=([\d.]+)/.exec(timing) ?? [];
  const [, ended = '0'] = /ended;dur=([\d.]+)/.exec(timing) ?? [];
  const { calls } = JSON.parse(headers.get('loadflame-calls') ?? '{"calls":[]}');
  const statements = calls
    .filter((/** @type {any[]} */ call) => call.length === 6)
    .reduce((/** @type {number} */ sum, /** @type {any[]} */ call) => sum + call[1], 0);
  const used = Number(headers.get('x-used'));
  return { cpuMs: Number(cpu), endedMs: Number(ended), statements, usedMs: used };
}

/** @param {Kind} kind */
export function declareThreads(kind) {
  test(`${kind} workers count the CPU and the statements of threads once, also on a busy machine`, async t => {
    const env = { LOADFLAME: '1', PYTHONDONTWRITEBYTECODE: '1' };
    const args = ['-c', COMPANION_FILE, '-k', kind, '--threads', kind === 'sync' ? '1' : '4'];
    const { url } = await startGunicorn(t, { workers: 1, args, env, app: 'wsgi_threads:app' });
    for (let n = 0; n < 2; n++) {
      const burning = spawn(PYTHON, ['-c', 'while True: sum(range(1000))']);
      t.after(() => burning.kill('SIGKILL'));
    }
    for (const at of ['/executor', '/lasting', '/threads']) {
      await readCosts(url + at);
      for (let times = 0; times < 3; times++) {
        const { cpuMs, endedMs, statements, usedMs } = await readCosts(url + at);
        const told = `${at}: ${cpuMs} and ${endedMs} of ${usedMs} ms, ${statements} statements`;
        t.diagnostic(told);
        assert.ok(usedMs > 59 && cpuMs > usedMs && cpuMs < usedMs * 1.2 + 5, told);
        assert.ok(endedMs < 5, told);
        assert.equal(statements, 12, told);
      }
    }
  });
}

/** CPU time of all threads of a process, as the scheduler counts it. @param {string} pid @returns {number} ms */
const readCpuMs = pid =>
  readdirSync(`/proc/${pid}/task`)
    .map(id => Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]))
    .reduce((sum, ns) => sum + ns / 1e6, 0);

const TIMES = { '/burn/0': 60, '/naps': 5, '/stream': 3 };

/** @param {Kind} kind */
export function declareAllCpu(kind) {
  test(`reports all CPU of ${kind} workers, in requests and around them`, async t => {
    const args = ['-k', kind, '--access-logfile', '/dev/null'];
    const { url } = await startApp(t, { workers: 1, args });
    /** @param {string} at @param {number} times by each of three at once */
    const ask = async (at, times) => {
      const lists = [1, 2, 3].map(async () => {
        const all = [];
        for (let n = 0; n < times; n++) all.push(await timingOf(url + at));
        return all;
      });
      return (await Promise.all(lists)).flat();
    };
    for (const [at, times] of Object.entries(TIMES)) {
      const [first] = await ask(at, 2);
      const before = readCpuMs(first?.pid ?? '');
      const answers = await ask(at, times);
      const spent = readCpuMs(first?.pid ?? '') - before;
      const own = answers.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
      const around = answers.reduce((sum, { aroundMs }) => sum + aroundMs, 0);
      const told = `${at}: ${own.toFixed(1)} and ${around.toFixed(1)} of ${spent.toFixed(1)} ms`;
      t.diagnostic(told);
      assert.ok(own > 0 && around > 0 && Math.abs((own + around) / spent - 1) < 0.1, told);
    }
  });
}

/** What is reported by the header of a response. @param {string} timing */
export const collectionsOf = timing =>
  /, gc;desc="([^"]+)"(?:, paused;dur=[\d.]+)?$/.exec(timing)?.[1] ?? '';

/** @param {Kind} kind */
export function declareCollections(kind) {
  test(`a ${kind} worker reports a full collection with its live objects`, async t => {
    const args = ['-k', kind, '-c', COMPANION_FILE];
    const env = { LOADFLAME: '1', PYTHONDONTWRITEBYTECODE: '1' };
    const { url } = await startGunicorn(t, { workers: 1, args, env, app: 'garbage_app:app' });
    const { headers } = await fetch(`${url}/collect`);
    const told = collectionsOf(headers.get('server-timing') ?? '');
    // In no request: what the worker collected as it began.
    const pattern = /r2:1:(\d+):(\d+)(?: n\d:\d+:\d+:\d+)* o(\d+)$/;
    const [, cpuUs, longestUs, objects] = pattern.exec(told) ?? [];
    assert.ok(Number(cpuUs) > 10_000 && cpuUs === longestUs, told);
    assert.ok(Number(objects) > 600_000 && Number(objects) < 800_000, told);
  });
}
