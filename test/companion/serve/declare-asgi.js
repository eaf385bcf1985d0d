/** Declares tests of the CPU time that ASGI servers report: what is rare is in the slow lane. */
import assert from 'node:assert/strict';
import { startAsgi, TIMING, timingOf } from '../../helpers/asgi.js';
import { readCpuMs } from '../../helpers/cpu-truth.js';
import { needsModules } from '../../helpers/needs.js';
import { test } from '../../helpers/quiet.js';

const skip = needsModules('uvicorn', 'fastapi');

/** @param {string} where @param {(t: import('node:test').TestContext) => ReturnType<typeof startAsgi>} start */
export function declareTasks(where, start) {
  test(`reports all CPU time of an endpoint ${where}`, { skip }, async t => {
    const { url, pid } = await start(t);
    for (const name of ['awaits', 'plain', 'tasks', 'threads']) {
      // the first request of a kind loads modules
      await timingOf(`${url}/${name}/0`);
      for (let times = 0; times < 5; times++) {
        const beforeMs = readCpuMs([pid]);
        const { timing, cpuMs, totalMs } = await timingOf(`${url}/${name}/40`);
        const trueMs = readCpuMs([pid]) - beforeMs;
        assert.match(timing, TIMING);
        // less than all that the server used for the response, and all that the endpoint did
        const told = `${name}: ${cpuMs} of ${trueMs} ms`;
        assert.ok(Number(cpuMs) >= 40 && Number(cpuMs) < trueMs + 0.5, told);
        assert.ok(Number(totalMs) >= Number(cpuMs) - 0.5, `${name}: ${totalMs} ms`);
      }
    }
    const { cpuMs } = await timingOf(`${url}/unfinished`);
    assert.ok(Number(cpuMs) < 10, `a thread still works for it: ${cpuMs} ms`);
  });
}

/** @param {string} mount @param {string[]} modules of Python, beside FastAPI */
export function declareMounted(mount, modules) {
  test(`reports the CPU of a WSGI app mounted in FastAPI ${['with', ...modules].join(' ')}`, {
    skip: needsModules('uvicorn', 'fastapi', ...modules),
  }, async t => {
    const { url, pid } = await startAsgi(t, {
      app: 'wsgi_in_asgi:app',
      modules: ['fastapi', ...modules],
    });
    for (const [name, burntMs] of Object.entries({ quick: 5, slow: 30 })) {
      const at = `${url}${mount}/${name}`;
      await timingOf(`${url}${mount}/`);
      const first = await timingOf(at);
      // its thread goes on after the headers
      assert.ok(Number(first.cpuMs) >= Math.min(15, burntMs) - 1, `${name}: ${first.cpuMs} ms`);
      let toldMs = 0;
      const beforeMs = readCpuMs([pid]);
      for (let times = 0; times < 10; times++) {
        const { cpuMs, aroundMs } = await timingOf(at);
        toldMs += Number(cpuMs) + Number(aroundMs);
      }
      const trueMs = readCpuMs([pid]) - beforeMs;
      const told = `${name}: ${toldMs.toFixed(1)} of ${trueMs.toFixed(1)} ms`;
      t.diagnostic(told);
      assert.ok(toldMs >= burntMs * 9.5 && Math.abs(toldMs / trueMs - 1) < 0.15, told);
    }
  });
}
