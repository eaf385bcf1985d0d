/** What a request costs a server, by the scheduler's own account. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { solveNonNegative } from '../../lib/base/math/least-squares.js';
import { createRandom } from '../../lib/base/math/random.js';
import { quantile } from '../../lib/base/math/summary.js';

/** Endpoints take turns: what another process does to the processor's speed meets all of them. */
const ROUNDS = 9;
const TIMES = 5;
/** As under the load: a processor that is asked without a pause needs less for the same. */
const PAUSE_MS = 60;
const IDLE_SECONDS = 4;

/** CPU time of all threads of processes but the companion's, as the scheduler counts it. @param {number[]} pids @returns {number} ms */
export function readCpuMs(pids) {
  const tasks = pids
    .flatMap(pid => readdirSync(`/proc/${pid}/task`).map(id => `/proc/${pid}/task/${id}`))
    .filter(task => readFileSync(`${task}/comm`, 'utf8').trim() !== 'loadflame');
  return (
    tasks.reduce((sum, task) => {
      return sum + Number(readFileSync(`${task}/schedstat`, 'utf8').split(' ')[0]);
    }, 0) / 1e6
  );
}

/** The same, once all threads have gone to sleep. @param {number[]} pids @returns {Promise<number>} ms */
export async function readSettledCpuMs(pids) {
  const isAsleep = () =>
    pids
      .flatMap(pid => readdirSync(`/proc/${pid}/task`).map(id => `/proc/${pid}/task/${id}/stat`))
      .every(file => / S [^)]*$/.test(readFileSync(file, 'utf8')));
  for (let lastMs = Number.NaN; ; ) {
    await sleep(5);
    const cpuMs = readCpuMs(pids);
    if (isAsleep() && cpuMs - lastMs < 0.02) return cpuMs;
    lastMs = cpuMs;
  }
}

/**
 * What timers take of the time when nothing is asked, which is no request's.
 * @param {number[]} pids
 * @returns {Promise<number>} cores
 */
export async function measureIdle(pids) {
  // workers that have just begun have more to do than timers: the quietest of some seconds
  let idle = Number.POSITIVE_INFINITY;
  for (let second = 0; second < IDLE_SECONDS; second++) {
    const beforeMs = readCpuMs(pids);
    await sleep(1000);
    idle = Math.min(idle, (readCpuMs(pids) - beforeMs) / 1000);
  }
  return idle;
}

/**
 * The true figure of each is between the first two, without all that timers take when nothing is asked, and
 * with it: medians of rounds.
 * @template {string} Name
 * @param {Record<Name, () => Promise<Response>>} requests by the endpoint's name
 * @param {number[]} pids of the workers
 * @returns {Promise<{name: Name, leastMs: number, mostMs: number, toldMs: number}[]>} per request; `toldMs`:
 *   what the answers tell, NaN without the companion
 */
export async function measureCpuTruth(requests, pids) {
  const all = /** @type {[Name, () => Promise<Response>][]} */ (Object.entries(requests)).map(
    ([name, send]) => ({ name, send, rounds: /** @type {Round[]} */ ([]) }),
  );
  for (const { send } of all) await measureOne(send, pids, 0);
  const idle = await measureIdle(pids);
  for (let round = 0; round < ROUNDS; round++)
    for (const { send, rounds } of all) rounds.push(await measureOne(send, pids, idle));
  return all.map(({ name, rounds }) => {
    const middle = (/** @type {(round: Round) => number} */ of) => quantile(rounds.map(of), 0.5);
    return {
      name,
      leastMs: middle(({ leastMs }) => leastMs),
      mostMs: middle(({ mostMs }) => mostMs),
      toldMs: middle(({ toldMs }) => toldMs),
    };
  });
}

const MIXES = 200;
const MOST_IN_MIX = 8;
const AT_ONCE = 2;

/**
 * The same where endpoints are requested beside each other, as under a load: what one takes alone is not what it takes
 * in a mix. Least squares divide the CPU time of random mixes.
 * @template {string} Name
 * @param {Record<Name, () => Promise<Response>>} requests by the endpoint's name
 * @param {number[]} pids of the workers
 * @returns {Promise<{name: Name, leastMs: number, mostMs: number}[]>} per request; both are the same
 */
export async function measureCpuInMix(requests, pids) {
  const all = /** @type {[Name, () => Promise<Response>][]} */ (Object.entries(requests));
  for (const [, send] of all) await (await send()).text();
  const idle = await measureIdle(pids);
  const random = createRandom(1);
  /** @type {number[]} */
  const cpuMs = [];
  const counts = all.map(() => /** @type {number[]} */ ([]));
  for (let mix = 0; mix < MIXES; mix++) {
    const own = all.map(() => Math.floor(random() * (MOST_IN_MIX + 1)));
    const queue = all
      .flatMap(([, send], index) => Array.from({ length: own[index] ?? 0 }, () => send))
      .map(send => ({ send, order: random() }))
      .sort((a, b) => a.order - b.order);
    const [startMs, beforeMs] = [performance.now(), readCpuMs(pids)];
    const client = async () => {
      for (let next = queue.pop(); next; next = queue.pop()) await (await next.send()).text();
    };
    await Promise.all(Array.from({ length: AT_ONCE }, client));
    cpuMs.push(readCpuMs(pids) - beforeMs - idle * (performance.now() - startMs));
    for (const [index, count] of own.entries()) counts[index]?.push(count);
  }
  const found = solveNonNegative(cpuMs, counts);
  return all.map(([name], index) => ({
    name,
    leastMs: found[index] ?? 0,
    mostMs: found[index] ?? 0,
  }));
}

/**
 * The same work takes more CPU time while others use the machine, and less where requests follow each other: all of
 * the workers' under the load says how much, and the truth of each endpoint how it is divided.
 * @param {{requests: number, leastMs: number, mostMs: number}[]} rows `requests`: under the load
 * @param {number} workersMs CPU time of the workers under the load
 * @returns {number} what a request took then ÷ what it took when its truth was measured
 */
export function compareWithLoad(rows, workersMs) {
  return (
    workersMs / rows.reduce((sum, row) => sum + (row.requests * (row.leastMs + row.mostMs)) / 2, 0)
  );
}

/** @typedef {Awaited<ReturnType<typeof measureOne>>} Round */

/** @param {() => Promise<Response>} send @param {number[]} pids @param {number} idle share of time that timers take */
async function measureOne(send, pids, idle) {
  const [startMs, beforeMs] = [performance.now(), readCpuMs(pids)];
  let toldMs = 0;
  for (let times = 0; times < TIMES; times++) {
    await sleep(PAUSE_MS);
    const response = await send();
    await response.text();
    const timing = response.headers.get('server-timing') ?? '';
    for (const part of [/cpu;dur=([\d.]+)/, /around;dur=([\d.]+)/])
      toldMs += Number(part.exec(timing)?.[1]);
  }
  const cpuMs = readCpuMs(pids) - beforeMs;
  const idleMs = idle * (performance.now() - startMs);
  return {
    leastMs: (cpuMs - idleMs) / TIMES,
    mostMs: cpuMs / TIMES,
    toldMs: toldMs / TIMES,
  };
}
