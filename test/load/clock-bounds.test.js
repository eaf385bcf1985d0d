import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { describe } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { followClock } from '../../lib/analysis/load/clock-skew.js';
import { RawHeaders } from '../../lib/load/engine/http/raw-headers.js';
import { createClockBounds } from '../../lib/load/metrics/clock-bounds.js';
import { startAsgi } from '../helpers/asgi.js';
import { listen } from '../helpers/listen.js';
import { needsModules } from '../helpers/needs.js';
import { test } from '../helpers/quiet.js';
import { recordsOf } from '../helpers/records.js';

/** @param {import('node:test').TestContext} t @param {() => number} clock of the server */
async function startServer(t, clock) {
  const server = http.createServer((_, response) => {
    response.sendDate = false;
    response.setHeader('Date', new Date(clock()).toUTCString());
    response.end('ok');
  });
  const { port } = new URL(await listen(t, server));
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  return () => exchange(`http://127.0.0.1:${port}`, agent);
}

/** What the engine knows of a request and its response. @param {string} url @param {http.Agent} agent */
async function exchange(url, agent) {
  const request = http.get(url, { agent });
  const sentMs = performance.now();
  const [response] = await once(request, 'response');
  const headersMs = performance.now();
  response.resume();
  await once(response, 'end');
  const rawHeaders = response.rawHeaders
    .map((/** @type {string} */ text, /** @type {number} */ at) =>
      at % 2 === 0 ? `${text}: ` : `${text}\r\n`,
    )
    .join('');
  return { rawHeaders: new RawHeaders(rawHeaders), sentMs, headersMs, connectedMs: sentMs };
}

/** @param {import('node:test').TestContext} t @param {() => number} clock */
async function measure(t, clock) {
  const ask = await startServer(t, clock);
  /** @type {Record<string, any>[]} */
  const records = [];
  const bounds = createClockBounds(record => records.push({ kind: 'clock', ...record }));
  for (const end = Date.now() + 1300; Date.now() < end; await sleep(5)) bounds.note(await ask());
  bounds.flush();
  assert.equal(records.length, 0, 'one record per ten seconds, and at the end');
  bounds.flush({ all: true });
  return rangeOf(records);
}

/** @param {Record<string, any>[]} records @returns {[lowMs: number, highMs: number] | null} of the offset at the start */
function rangeOf(records) {
  const clock = followClock(recordsOf('metrics', records));
  if (!clock) return null;
  const offsetMs = clock.offsetAt(records[0]?.t ?? 0);
  return [offsetMs - clock.uncertaintyMs, offsetMs + clock.uncertaintyMs];
}

describe('clocks of servers', { concurrency: true }, () => {
  for (const offsetMs of [-90_000, 0, 3210]) {
    test(`a clock that is ${offsetMs} ms from ours is found, to far less than the second of a Date header`, async t => {
      const [lowMs, highMs] = (await measure(t, () => Date.now() + offsetMs)) ?? [1, 0];
      assert.ok(lowMs <= offsetMs && offsetMs <= highMs, `${lowMs} to ${highMs}`);
      assert.ok(highMs - lowMs < 400, `${lowMs} to ${highMs}`);
    });
  }

  test('two clocks behind one address give no offset', async t => {
    let n = 0;
    assert.equal(await measure(t, () => Date.now() + (n++ % 2) * 5000), null);
  });
});

test('uvicorn sends old Dates while its event loop is blocked, and none of them contradicts its clock', {
  skip: needsModules('uvicorn'),
}, async t => {
  const { url } = await startAsgi(t, { app: 'asgi_app:app', modules: [], env: {} });
  /** @type {Record<string, any>[]} */
  const records = [];
  const bounds = createClockBounds(record => records.push({ kind: 'clock', ...record }));
  const agents = [1, 2, 3].map(() => new http.Agent({ keepAlive: true, maxSockets: 1 }));
  const endMs = Date.now() + 5000;
  await Promise.all(
    agents.map(async agent => {
      t.after(() => agent.destroy());
      while (Date.now() < endMs) bounds.note(await exchange(`${url}/sleep/300`, agent));
    }),
  );
  bounds.flush({ all: true });
  const [record] = records;
  assert.ok(record && record.lowMs > record.highMs + 1000, 'Dates were more than a second old');
  const [lowMs, highMs] = rangeOf(records) ?? [1, 0];
  assert.ok(lowMs <= 0 && highMs >= 0, `${lowMs} to ${highMs}`);
});

for (const at of /** @type {const} */ (['before', 'behind']))
  test(`a pause of 20 ms ${at} a reading of the clock contradicts no response`, () => {
    const pause = () => {
      for (const endMs = performance.now() + 20; performance.now() < endMs; );
    };
    const now = () => {
      if (at === 'before') pause();
      const wallMs = Date.now();
      if (at === 'behind') pause();
      return wallMs;
    };
    /** @type {Record<string, any>[]} */
    const records = [];
    const bounds = createClockBounds(record => records.push(record), { now });
    const sentMs = performance.now();
    const reported = /** @type {any} */ ({ nowMs: Date.now(), totalMs: 0 });
    const times = { sentMs, headersMs: performance.now(), connectedMs: 0 };
    bounds.note({ rawHeaders: new RawHeaders(''), ...times }, reported);
    bounds.flush({ all: true });
    const [{ lowMs, highMs } = { lowMs: 1, highMs: 0 }] = records;
    assert.ok(lowMs <= 0 && highMs >= 0, `${lowMs} to ${highMs}`);
  });

test('a server that makes its Date once a second has one clock', () => {
  const records = [
    { kind: 'clock', lowMs: 280, highMs: -420, answers: 50 },
    { kind: 'clock', lowMs: 100, highMs: -500, answers: 50 },
  ];
  assert.deepEqual(rangeOf(records), [280, 500]);
});

test('a clock that drifts is followed from one ten seconds to the next', () => {
  const records = [
    { t: 0, kind: 'clock', lowMs: -10, highMs: 10, answers: 50 },
    { t: 10_000, kind: 'clock', lowMs: 1900, highMs: 2000, answers: 50 },
  ];
  const clock = followClock(recordsOf('metrics', records));
  assert.deepEqual(
    [0, 10_000].map(t => clock?.offsetAt(t)),
    [0, 1950],
  );
  assert.deepEqual([clock?.uncertaintyMs, clock?.from, clock?.answers], [50, 'date', 100]);
  assert.equal(followClock([]), null);
});

test('ignores responses without a valid Date', () => {
  /** @type {unknown[]} */
  const records = [];
  const bounds = createClockBounds(record => records.push(record));
  for (const text of ['', 'yesterday', '</script>']) {
    const rawHeaders = new RawHeaders(text === '' ? '' : `date: ${text}\r\n`);
    bounds.note({ rawHeaders, sentMs: 1, headersMs: 2, connectedMs: 0 });
  }
  bounds.flush({ all: true });
  assert.deepEqual(records, []);
});
