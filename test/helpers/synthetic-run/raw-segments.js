/** The files of `profile/`: what py-spy would have sampled of what happened. */
import { sum, workOf } from './simulate.js';
import { buildWaits } from './waits.js';
import { MASTER_PID, pidAt } from './worker-lives.js';
import { buildStack, IDLE_STACK } from './works.js';

/** @import { RawRecord } from '../../../lib/run/ndjson.js' */

/** @typedef {import('./defaults.js').CompleteSpec} CompleteSpec */
/** @typedef {import('./simulate.js').Second} Second */

const COMMAND = '/opt/api/.venv/bin/python -m gunicorn --config gunicorn.conf.py wsgi:app';
const HALF_SECOND_MS = 500;
/** py-spy catches a waiting worker at its poll that often. */
const IDLE_PER_SEC = 3;

/**
 * @param {CompleteSpec} spec
 * @param {Second[]} seconds
 * @param {import('./worker-lives.js').Life[]} lives
 * @param {(file: string, text: string) => void} write takes each file as it is made
 */
export function buildRawSegments(spec, seconds, lives, write) {
  const { random } = spec;
  const stacks = createStackCache(spec);
  const prefixes = createPrefixes(spec);
  /** @type {RawRecord[]} */
  const segments = [
    {
      t: spec.startMs,
      kind: 'recording-start',
      masterPid: MASTER_PID,
      rateHz: spec.rateHz,
      sudo: false,
      workerClass: 'gthread',
      threads: spec.threads,
      recorder: { name: 'py-spy', version: '0.4.3', pausesTarget: false },
    },
  ];
  const endMs = spec.startMs + seconds.length * 1000;
  for (const { pid, fromMs } of lives)
    segments.push({ t: Math.max(spec.startMs, fromMs), kind: 'worker-start', pid });
  for (const { pid, toMs } of lives)
    if (toMs < endMs) segments.push({ t: toMs, kind: 'worker-end', pid });
  let samples = 0;
  const perSegment = Math.max(1, Math.round(spec.segmentMs / 1000));
  for (let first = 0; first < seconds.length; first += perSegment) {
    /** @type {Map<string, number>} */
    const lines = new Map();
    const add = (/** @type {string} */ line, /** @type {number} */ n) => {
      if (n > 0) lines.set(line, (lines.get(line) ?? 0) + n);
    };
    const part = seconds.slice(first, first + perSegment);
    for (const second of part) sampleSecond(second, add);
    const n = sum([...lines.values()]);
    samples += n;
    const number = first / perSegment + 1;
    const file = `segment-${String(number).padStart(5, '0')}.raw`;
    write(file, [...lines].map(([line, count]) => `${line} ${count}\n`).join(''));
    const startMs = spec.startMs + first * 1000;
    const end = startMs + part.length * 1000;
    segments.push({
      t: end + 40,
      kind: 'segment',
      file,
      startMs,
      endMs: end,
      samples: n,
      errors: 0,
      lateMs: 0,
    });
  }
  if (spec.waits) segments.push(...buildWaits(spec, seconds, lives, prefixes, write));
  segments.sort((a, b) => a.t - b.t);
  segments.push({ t: endMs + 60, kind: 'recording-end', reason: 'stopped' });
  return { segments, samples };

  /** @param {Second} second @param {(line: string, n: number) => void} add */
  function sampleSecond(second, add) {
    const perMs = (spec.rateHz / 1000) * spec.samplesPerCpu;
    for (let worker = 0; worker < spec.workers; worker++) {
      const pid = pidAt(lives, worker, second.fromMs);
      for (const [e, endpoint] of spec.endpoints.entries()) {
        for (const [k, { work }] of endpoint.works.entries()) {
          const n = random.poisson(
            (second.cpuMs[worker]?.[e]?.[k] ?? 0) * perMs * (endpoint.samplesPerCpu ?? 1),
          );
          for (let i = 0; i < n; i++) {
            const stack = stacks(e, work, pickVariant(spec));
            const half = second.fromMs / HALF_SECOND_MS + random.below(2);
            add(
              prefixes(pid, 1 + random.below(spec.threads)) +
                stack.head +
                markHalf(spec, stack, half),
              1,
            );
          }
        }
      }
      for (const [work, ms] of spec.background) {
        const n = random.poisson(ms * perMs);
        for (let i = 0; i < n; i++) {
          const stack = stacks(-1, work, random.below(2));
          add(prefixes(pid, spec.threads + 1) + stack.head + stack.tail, 1);
        }
      }
      add(`${prefixes(pid, 0)}${IDLE_STACK.join(';')}`, random.poisson(IDLE_PER_SEC));
    }
  }
}

/** Few stacks take most of the samples, many take one or two. @param {CompleteSpec} spec */
function pickVariant({ random, variants }) {
  return variants <= 4 ? random.below(variants) : Math.floor(variants * random.uniform() ** 2);
}

/** @param {CompleteSpec} spec @param {{marked: boolean, tail: string}} stack @param {number} half */
function markHalf({ companion }, { marked, tail }, half) {
  return companion && marked ? `;${half} (<loadflame time>)${tail}` : tail;
}

/**
 * Texts of stacks, made once each: `head`, then (with the companion) the half-second, then `tail`.
 * @param {CompleteSpec} spec
 */
function createStackCache(spec) {
  /** @type {Map<string, {head: string, tail: string, marked: boolean}>} */
  const cache = new Map();
  return (/** @type {number} */ e, /** @type {string} */ work, /** @type {number} */ variant) => {
    const key = `${e} ${work} ${variant}`;
    let known = cache.get(key);
    if (!known) {
      const endpoint = spec.endpoints[e] ?? { name: '', view: '', file: '' };
      const route = `${endpoint.name} (<loadflame route>)`;
      const frames = buildStack(workOf(work), endpoint, variant, spec.companion ? [route] : []);
      const at = frames.indexOf(route);
      const marked = at >= 0;
      known = {
        head: marked ? frames.slice(0, at + 1).join(';') : '',
        tail: marked ? `;${frames.slice(at + 1).join(';')}` : frames.join(';'),
        marked,
      };
      cache.set(key, known);
    }
    return known;
  };
}

/** Frames of processes and thread. @param {CompleteSpec} spec */
function createPrefixes({ threads }) {
  /** @type {Map<number, string>} */
  const cache = new Map();
  return (/** @type {number} */ pid, /** @type {number} thread */ thread) => {
    const key = pid * (threads + 2) + thread;
    let known = cache.get(key);
    if (known === undefined) {
      const name = thread === 0 ? 'MainThread' : `ThreadPoolExecutor-0_${thread - 1}`;
      known = `process ${MASTER_PID}:"${COMMAND}";process ${pid}:"${COMMAND}";thread (${pid + 10_000 * thread}): ${name};`;
      cache.set(key, known);
    }
    return known;
  };
}
