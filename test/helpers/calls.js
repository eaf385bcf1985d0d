/** What the companion says of the calls of a request, made by hand, and runs with it. */
import { writeFileSync } from 'node:fs';
import { createSecondRecorder } from '../../lib/load/metrics/second-recorder.js';
import { runFiles } from '../../lib/run/run-folder.js';
import { makeRun, writeRun } from './synthetic-run/index.js';

export const WORKER = '0a1b2c3d.42';
export const TIMING = `total;dur=20, cpu;dur=4, worker;desc="${WORKER}"`;

/** Statements by id. */
export const NAMES = {
  '00000001': {
    ...{ kind: 'sql', system: 'postgresql', text: 'SELECT * FROM orders WHERE id = ?' },
    ...{ file: 'app/views.py', line: 12, function: 'orders', relation: null },
  },
  '00000002': {
    ...{ kind: 'sql', system: 'postgresql', text: 'SELECT * FROM items WHERE order_id = ?' },
    ...{ file: 'app/views.py', line: 14, function: 'orders', relation: 'Order.items' },
  },
  '00000003': {
    ...{ kind: 'redis', system: 'redis', text: 'GET' },
    ...{ file: 'app/cache.py', line: 3, function: 'cached', relation: null },
  },
};

/** The bin of executions that took so long. @param {number} us */
export const binOf = us => Math.round(Math.log(us) / Math.log(1.1));

/**
 * Two orders with an N+1 of items, and a cache that is asked while a transaction is open.
 * @param {number} items
 */
export function ordersHeader(items) {
  return {
    calls: [
      ['00000001', 1, 2000, 1, 0, [[binOf(2000), 1]]],
      ['00000002', items, items * 500, items * 3, 0, [[binOf(500), items]]],
      ['00000003', 1, 300, null, 300, [[binOf(300), 1]], 'redis'],
    ],
    pool: [1, 700],
    named: NAMES,
  };
}

const START_MS = 1_700_000_000_000;

/**
 * A run of so many seconds, each with two requests of orders (with 4 and 8 items) and two of health, from two
 * workers; the very first of health comes before the header is known.
 * @param {string} folder
 * @param {{seconds?: number, header?: (second: number, request: number) => object | string, health?: object}} [options]
 */
export function writeCallsRun(
  folder,
  { seconds = 10, header = (_, at) => ordersHeader(at ? 8 : 4), health } = {},
) {
  const run = makeRun({ durationSec: seconds, profile: false, startMs: START_MS });
  /** @type {any[]} */
  const metrics = [{ t: START_MS, kind: 'load-start', engine: 'loadflame' }];
  /** @type {any[]} */
  const loadCalls = [];
  let nowMs = START_MS;
  const recorder = createSecondRecorder(
    second => metrics.push({ t: nowMs, kind: 'second', ...second }),
    {
      now: () => nowMs,
      writeCalls: (kind, fields) => loadCalls.push({ t: nowMs, kind, ...fields }),
    },
  );
  const respond = (
    /** @type {string} */ name,
    /** @type {number} */ worker,
    /** @type {object | string | null} */ calls,
  ) => {
    const handle = recorder.endpoint(name);
    recorder.countRequest(handle);
    recorder.countAnswer(handle, 200, 20, 21, undefined, 100);
    recorder.noteServer(handle, {
      ...{ setCookies: null, readCookie: () => '', status: 200, readRoute: null },
      timing: TIMING.replace('42', String(worker)),
      readCalls: () => (typeof calls === 'string' ? calls : calls && JSON.stringify(calls)),
    });
  };
  for (let second = 0; second < seconds; second++) {
    nowMs = START_MS + second * 1000 + 500;
    respond('GET /health', 42, health ?? null);
    for (const request of [0, 1]) respond('GET /orders/', 42 + request, header(second, request));
    respond('GET /health', 43, health ?? null);
  }
  nowMs += 500;
  recorder.flush({ all: true });
  metrics.push({ t: nowMs, kind: 'load-end', reason: 'complete' });
  writeRun(folder, { ...run, metrics, errors: [], processes: [] });
  writeFileSync(
    runFiles(folder).loadCalls,
    loadCalls.map(record => `${JSON.stringify(record)}\n`).join(''),
  );
  return folder;
}
