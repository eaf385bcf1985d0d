/** Synthetic studies of the kinds that people run, for tests of what judges and shows them. */
import { boundOfMachine, riseTo } from './throughputs.js';

/** @import { StudySpec, Truth } from './study-spec.d.ts' */

/**
 * Content from 1, 2 and 4 gunicorn workers on two cores, with the cache off or on, PostgreSQL behind
 * and the generator beside: one worker fills its core, two fill the machine.
 * @type {StudySpec}
 */
export const contentStudy = {
  factors: { workers: ['1', '2', '4'], cache: ['off', 'redis'] },
  truth: ({ workers, cache }) => {
    const demandMs = cache === 'redis' ? 1.6 : 2.6;
    return serveByWorkers(Number(workers), {
      demandMs,
      others: {
        postgres: { demandMs: cache === 'redis' ? 0.05 : 0.4, processes: 8 },
        ...(cache === 'redis'
          ? { redis: { demandMs: 0.12, most: 1, processes: 1, threads: 5 } }
          : {}),
      },
    });
  },
  study: {
    title: 'Does a Redis cache pay for content, and how many processes are worth having?',
    question: 'Does a Redis cache pay for content, and how many processes are worth having?',
    objective: {
      ratePerSec: 300,
      clients: null,
      intervalSec: null,
      p95Ms: 100,
      errors: null,
      headroom: 0.3,
    },
  },
};

/**
 * Workers behind one address that share two cores with the generator and other components.
 * @param {number} workers
 * @param {{demandMs: number, others?: Truth['components'], generatorMs?: number, cpus?: number}} options
 * @returns {Truth}
 */
export function serveByWorkers(workers, { demandMs, others = {}, generatorMs = 0.5, cpus = 2 }) {
  const all = [
    { demandMs, most: workers * 0.98 },
    ...Object.values(others).map(other => ({ demandMs: other.demandMs, most: other.most ?? cpus })),
  ];
  const mostPerSec = boundOfMachine({ cpus, components: all, generatorMs });
  const minMs = all.reduce((sum, component) => sum + component.demandMs, 1);
  return {
    throughput: riseTo({ mostPerSec, minMs }),
    minMs,
    generatorMs,
    components: {
      workers: { demandMs, processes: workers },
      master: { demandMs: 0.001, processes: 1 },
      ...others,
    },
    shares: { workers: new Array(workers).fill(1), users: [1, 1, 1, 1] },
  };
}

/**
 * No-op tasks over workers behind a single dispatcher that hands out 200 a second, however many work.
 * @type {StudySpec}
 */
export const taskStudy = {
  factors: { workers: ['1', '2', '4', '8'] },
  steps: [1, 4, 16],
  truth: ({ workers }) => {
    const most = Math.min(200, Number(workers) * 150);
    const dispatch = riseTo({ mostPerSec: 500, minMs: 4 });
    const completed = (/** @type {number} */ step) => Math.min(most, dispatch(step));
    const isDispatcher = most === 200;
    const pile = (/** @type {number} */ second, /** @type {number} */ step) =>
      Math.max(0, dispatch(step) - completed(step)) * second;
    return {
      throughput: completed,
      dispatch,
      latencyMs: step => (step / dispatch(step)) * 1000,
      generatorMs: 0.3,
      components: {
        workers: { demandMs: 1 },
        dispatcher: { demandMs: 0.4, processes: 1 },
        'task-workers': { demandMs: 1.5, processes: Number(workers) },
      },
      probes: {
        'tasks.inbox': (second, step) => (isDispatcher ? pile(second, step) : 1),
        'tasks.queued': (second, step) => (isDispatcher ? 0 : pile(second, step)),
      },
    };
  },
  study: {
    title: 'How many tasks does the queue complete, and what stops it?',
    question: 'How many workers are worth having for no-op tasks?',
    throughput: { probe: 'tasks', field: 'completed', label: 'tasks completed/s' },
    stages: [
      { name: 'dispatcher', backlog: { probe: 'tasks', field: 'inbox' }, servers: '1' },
      { name: 'workers', backlog: { probe: 'tasks', field: 'queued' }, servers: '{{ workers }}' },
    ],
  },
};

/**
 * Two backends behind HAProxy on four cores; `source` sends all users of one address to one of them.
 * @type {StudySpec}
 */
export const ingressStudy = {
  factors: { balance: ['roundrobin', 'source'] },
  cpus: 4,
  truth: ({ balance }) => {
    const isEven = balance === 'roundrobin';
    const mostPerSec = isEven ? 780 : 392;
    return {
      throughput: riseTo({ mostPerSec, minMs: 4 }),
      generatorMs: 0.4,
      components: {
        haproxy: { demandMs: 0.2, most: 1, processes: 1 },
        backends: { demandMs: 2.5, processes: 2, spread: isEven ? [1, 1] : [1, 0] },
      },
      shares: { backends: isEven ? [1, 1] : [1, 0] },
    };
  },
  study: {
    title: 'Which setting of the proxy serves most?',
    question: 'Which balance algorithm serves most?',
    scaleOver: null,
  },
};
