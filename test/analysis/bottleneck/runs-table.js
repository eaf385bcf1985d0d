/** What limits a run: facts of small runs, and the bottleneck that they have. */
import { makeWaits } from '../facts.js';

/** Users that wait for answers nearly all of the time. */
export const PRESSED = { model: /** @type {const} */ ('closed'), users: 8, inFlight: () => 7.8 };
const DATABASE = makeWaits({ database: 0.9, cpu: 0.1 });

/** @type {[what: string, id: string, facts: any][]} */
export const TABLE = [
  ['too short to tell', 'unknown', { load: { lengthSec: 3 }, profile: { waits: DATABASE } }],
  ['light open load', 'none', {}],
  ['light open load on a full machine', 'none', { profile: { hostCores: 4 } }],
  ['light open load without a profile', 'none', { profile: null }],
  ['pressed without a profile', 'unknown', { load: PRESSED, profile: null }],
  ['pressed, nothing known of waits', 'unknown', { load: PRESSED }],
  [
    'workers at full CPU, one thread each',
    'workers',
    {
      profile: {
        cores: [0.95, 0.9],
        waits: makeWaits({ cpu: 1 }, { slots: 2, busy: 2, fullest: 1 }),
      },
    },
  ],
  [
    'workers at full CPU, threads, idle cores',
    'gil',
    { profile: { cores: [0.95, 0.9], hostCores: 2.2, waits: makeWaits({ cpu: 1 }) } },
  ],
  [
    'workers at full CPU, threads, no idle core',
    'workers',
    { profile: { cores: [0.95, 0.9], hostCores: 3.9, waits: makeWaits({ cpu: 1 }) } },
  ],
  [
    'workers at full CPU that wait for the GIL in the driver',
    'gil',
    { load: PRESSED, profile: { cores: [0.95, 0.9], waits: DATABASE } },
  ],
  ['workers at full CPU, threads not known', 'workers', { profile: { cores: [0.95, 0.9] } }],
  [
    'workers at full CPU, restarted over and over',
    'workers',
    { profile: { cores: Array(15).fill(0.95), livedShares: Array(15).fill(0.2), hostCores: 3.1 } },
  ],
  [
    'workers at full CPU, one of them restarted, and its successor has just come',
    'workers',
    { profile: { cores: [0.95, 0.95, 0.1], livedShares: [1, 0.9, 0.1], hostCores: 2.1 } },
  ],
  ...[2.2, 3.9].map(
    hostCores =>
      /** @type {any} */ ([
        `greenlets that wait for the turn of their full worker, as for the database, ${hostCores} cores of 4 in use`,
        'workers',
        {
          load: PRESSED,
          profile: {
            cores: [0.95],
            wanting: { queuedShare: 0.05, wantedShare: 1 },
            hostCores,
            waits: makeWaits({ database: 0.9, cpu: 0.1 }, { slots: null, busy: 12 }),
          },
        },
      ]),
  ),
  [
    'a worker that has a core 69 % of the time, and waits for one 25 %',
    'workers',
    {
      load: PRESSED,
      profile: {
        cores: [0.69],
        wanting: { queuedShare: 0.25, wantedShare: 0.94 },
        hostCores: 3.4,
        waits: makeWaits({ cpu: 0.9 }, { slots: null }),
      },
    },
  ],
  [
    'a worker that has a core 69 % of the time, and waits for one hardly ever',
    'none',
    {
      load: PRESSED,
      profile: {
        cores: [0.69],
        wanting: { queuedShare: 0.02, wantedShare: 0.71 },
        hostCores: 3.4,
        waits: makeWaits({ cpu: 0.9 }, { slots: null, busy: 0.8 }),
      },
    },
  ],
  [
    'the generator was the limit, workers busy',
    'generator',
    { load: { isGeneratorLimit: true }, profile: { cores: [0.95, 0.9] } },
  ],
  [
    'the generator was the limit, too short',
    'generator',
    { load: { isGeneratorLimit: true, lengthSec: 3 } },
  ],
  ['waits for the database, pressed', 'database', { load: PRESSED, profile: { waits: DATABASE } }],
  [
    'waits for the database, pressed, on a machine that others fill',
    'database',
    { load: PRESSED, profile: { hostCores: 4, waits: DATABASE, cpuMs: 20, queuedMs: 10 } },
  ],
  [
    'waits for the database, pressed, on a machine that others fill, and the kernel does not say',
    'machine',
    { load: PRESSED, profile: { hostCores: 4, waits: DATABASE } },
  ],
  [
    'waits for the database and for a core, pressed, full machine',
    'machine',
    {
      load: PRESSED,
      profile: { hostCores: 4, waits: makeWaits({ database: 0.7, cpu: 0.3 }) },
    },
  ],
  [
    'waits for the database while workers wait for a core, pressed, full machine',
    'machine',
    {
      load: PRESSED,
      profile: {
        cores: [0.3],
        wanting: { queuedShare: 0.4, wantedShare: 0.7 },
        hostCores: 4,
        waits: DATABASE,
      },
    },
  ],
  ['waits for the database, light load', 'none', { profile: { waits: DATABASE } }],
  [
    'waits for the database, all slots taken',
    'slots',
    { profile: { waits: makeWaits({ database: 0.9, cpu: 0.1 }, { slots: 4, busy: 3.9 }) } },
  ],
  [
    'waits for another service',
    'external-call',
    {
      load: PRESSED,
      profile: { waits: makeWaits({ 'external-call': 0.7, database: 0.2, cpu: 0.1 }) },
    },
  ],
  [
    'waits for a free connection',
    'pool',
    { load: PRESSED, profile: { waits: makeWaits({ pool: 0.6, database: 0.4 }) } },
  ],
  [
    'waits for a lock',
    'lock',
    { load: PRESSED, profile: { waits: makeWaits({ lock: 0.8, cpu: 0.2 }) } },
  ],
  [
    'waits for a lock, and who has it calculates all the time',
    'lock',
    {
      load: PRESSED,
      profile: { cores: [0.95], waits: makeWaits({ lock: 0.86, cpu: 0.14 }, { busy: 7 }) },
    },
  ],
  [
    'waits for a lock, and more than one wants the core',
    'gil',
    {
      load: PRESSED,
      profile: { cores: [0.95], waits: makeWaits({ lock: 0.6, cpu: 0.4 }, { busy: 7 }) },
    },
  ],
  [
    'waits for a lock, all threads taken',
    'lock',
    {
      load: PRESSED,
      profile: { waits: makeWaits({ lock: 0.75, sleep: 0.25 }, { slots: 8, busy: 8 }) },
    },
  ],
  [
    'waits for a lock, on a machine that others fill',
    'lock',
    {
      load: PRESSED,
      profile: {
        hostCores: 4,
        waits: makeWaits({ lock: 0.75, sleep: 0.25 }, { slots: 8, busy: 8 }),
      },
    },
  ],
  [
    'waits for the work of other threads, all threads taken',
    'consumer',
    {
      load: PRESSED,
      profile: { waits: makeWaits({ lock: 0.99, sleep: 0.01 }, { slots: 8, busy: 8 }) },
    },
  ],
  [
    'waits for a free connection, all threads taken',
    'pool',
    {
      load: PRESSED,
      profile: { waits: makeWaits({ pool: 0.8, database: 0.2 }, { slots: 8, busy: 8 }) },
    },
  ],
  [
    'as many users as threads, which wait for the database',
    'database',
    {
      load: PRESSED,
      profile: {
        waits: makeWaits({ database: 0.9, cpu: 0.1 }, { slots: 8, busy: 7.16, fullest: 3.64 }),
      },
    },
  ],
  [
    'threads of both workers nearly all taken, and more users',
    'slots',
    {
      load: { ...PRESSED, users: 16, inFlight: () => 15 },
      profile: {
        waits: makeWaits({ database: 0.9, cpu: 0.1 }, { slots: 8, busy: 7.16, fullest: 3.64 }),
      },
    },
  ],
  [
    'a call without await, all day long',
    'loop',
    {
      load: PRESSED,
      profile: {
        cores: [0.05],
        waits: makeWaits({ sleep: 1 }, { slots: null, busy: 1 }),
        loopWaits: {
          share: { value: 0.93, low: 0.9, high: 0.96 },
          where: [{ function: 'show', file: 'app.py', kind: 'sleep', share: 0.93 }],
        },
      },
    },
  ],
  [
    'a call without await, now and then',
    'unknown',
    {
      load: PRESSED,
      profile: {
        cores: [0.05],
        waits: makeWaits({ sleep: 1 }, { slots: null, busy: 1 }),
        loopWaits: { share: { value: 0.2, low: 0.1, high: 0.3 }, where: [] },
      },
    },
  ],
  [
    'threads of one worker all taken, others free',
    'imbalance',
    {
      load: PRESSED,
      profile: { waits: makeWaits({ database: 0.9, cpu: 0.1 }, { slots: 4, busy: 2, fullest: 2 }) },
    },
  ],
  [
    'one busy worker among idle ones',
    'imbalance',
    { load: PRESSED, profile: { cores: [0.95, 0.1] } },
  ],
  ['two somewhat busy workers', 'unknown', { load: PRESSED, profile: { cores: [0.6, 0.3] } }],
  [
    'all to one of two instances, pressed',
    'imbalance',
    { load: PRESSED, balance: [3953, 0], profile: { cores: [0.01], waits: makeWaits({ cpu: 1 }) } },
  ],
  [
    'all to one of two instances, which is full',
    'imbalance',
    { balance: [3953, 0], profile: { cores: [0.97] } },
  ],
  ['all to one of two instances, light load', 'none', { balance: [3953, 0] }],
  [
    'even over two instances, pressed',
    'database',
    { load: PRESSED, balance: [2000, 1953], profile: { waits: DATABASE } },
  ],
  [
    'held back by the quota',
    'quota',
    { load: PRESSED, throttled: 0.6, profile: { cores: [0.5, 0.5], waits: makeWaits({ cpu: 1 }) } },
  ],
  [
    'hardly held back by the quota',
    'database',
    { load: PRESSED, throttled: 0.02, profile: { waits: DATABASE } },
  ],
  [
    'CPU of requests, few users, idle machine',
    'none',
    {
      load: { ...PRESSED, users: 2, inFlight: () => 1.8 },
      profile: {
        cores: [0.5, 0.5],
        waits: makeWaits({ cpu: 0.8, database: 0.2 }, { slots: 8, busy: 1.2 }),
      },
    },
  ],
  [
    'CPU of requests, dropped arrivals',
    'none',
    { load: { skipped: 5 }, profile: { waits: makeWaits({ cpu: 0.8, database: 0.2 }) } },
  ],
  [
    'CPU of requests that time out',
    'unknown',
    {
      load: { errors: [{ name: 'ETIMEDOUT', count: 20 }] },
      profile: { waits: makeWaits({ cpu: 0.8, database: 0.2 }) },
    },
  ],
  [
    'CPU of requests that get slower',
    'unknown',
    {
      load: { lengthSec: 40, p50Ms: (/** @type {number} */ second) => 20 + 5 * second },
      profile: { waits: makeWaits({ cpu: 0.8, database: 0.2 }) },
    },
  ],
  [
    'the only thread always at work on CPU, which the profiler stops now and then',
    'workers',
    {
      load: PRESSED,
      profile: {
        cores: [0.69],
        waits: makeWaits({ cpu: 0.96, database: 0.04 }, { slots: 1, busy: 0.98, fullest: 0.98 }),
      },
    },
  ],
  [
    'several threads that want CPU, and one core of it used',
    'gil',
    {
      load: PRESSED,
      profile: { cores: [0.7], waits: makeWaits({ cpu: 0.9, database: 0.1 }) },
    },
  ],
  [
    'CPU of requests, full machine',
    'machine',
    {
      load: PRESSED,
      profile: { cores: [0.5, 0.5], hostCores: 3.9, waits: makeWaits({ cpu: 0.8, database: 0.2 }) },
    },
  ],
  [
    'a bit of everything',
    'unknown',
    {
      load: PRESSED,
      profile: { waits: makeWaits({ cpu: 0.4, database: 0.3, 'external-call': 0.3 }) },
    },
  ],
  ['CPU time not known, light load', 'none', { profile: { cores: [null] } }],
  ['CPU time not known, pressed', 'unknown', { load: PRESSED, profile: { cores: [null] } }],
];
