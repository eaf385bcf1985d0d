import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  judgeQuality,
  judgeReliability,
  NOTHING_BESIDES,
} from '../../../../lib/analysis/judge/quality/index.js';
import { buildLoad } from '../../../fixtures/reports/build-load.js';
import { fullReport } from '../../../fixtures/reports/reports.js';

/** @typedef {import('../../../../lib/run/facts/report.d.ts').Report} Report */

/** A run in which all is well. */
function soundRun() {
  const { run, cpu, profile } = fullReport();
  const load = buildLoad(0);
  load.users.skipped = 0;
  load.generator = {
    workers: [
      {
        worker: 1,
        seconds: 60,
        cores: 0.3,
        utilization: 0.3,
        utilizationMax: 0.4,
        delayP99Ms: 2,
        gcMaxMs: 3,
      },
    ],
    cores: 0.3,
    rssBytesMax: 1e8,
    lag: null,
    signs: [],
  };
  // Users wait for their answers, and are enough of them.
  for (const second of load.seconds) Object.assign(second, { usersActive: 20, inFlight: 5 });
  Object.assign(load.users, { completed: 10, created: 11 });
  assert.ok(cpu && profile?.segments && run.host);
  profile.samples.active = 4000;
  Object.assign(profile.segments, { lost: 0, unsampledMs: 0, errors: 0, lateMs: 0 });
  Object.assign(cpu, { samplesToCpu: 1.1, processes: 2, pySpyCores: 0.08 });
  const host = /** @type {{cores: number, cpus: number} | null} */ ({ cores: 1, cpus: 4 });
  const resources = { components: [], host, generatorCores: 0.3, throttled: [] };
  run.reasons = [];
  return { run, load, cpu, profile, resources, logs: null, data: NOTHING_BESIDES };
}

/** @typedef {ReturnType<typeof soundRun>} Facts */

/** @param {(facts: Facts) => void} [spoil] */
function judge(spoil = () => {}) {
  const facts = { ...soundRun() };
  spoil(facts);
  const { data, ...rest } = facts;
  return judgeReliability(judgeQuality(rest, data));
}

/** @type {[string, string | null, (facts: Facts) => void][]} */
const TABLE = [
  ['nothing spoilt', null, () => {}],
  [
    'one arrival in a thousand skipped',
    null,
    ({ load }) => Object.assign(load.users, { created: 999, completed: 900, skipped: 1 }),
  ],
  [
    'a tenth of the arrivals skipped',
    'dropped-arrivals',
    ({ load }) => Object.assign(load.users, { created: 90, completed: 80, skipped: 10 }),
  ],
  [
    'a generator that was the limit',
    'generator-limit',
    ({ load }) =>
      load.generator?.signs.push({
        id: 'busy',
        isLimit: true,
        worker: 1,
        seconds: 50,
        ofSeconds: 60,
        utilization: 0.97,
        cores: 0.97,
        isCrowded: false,
        lagMaxMs: 3,
        pauseMaxMs: 3,
      }),
  ],
  [
    'a generator that stood still now and then',
    'generator-paused',
    ({ load }) =>
      load.generator?.signs.push({
        id: 'paused',
        isLimit: false,
        worker: 1,
        seconds: 5,
        ofSeconds: 60,
        utilization: 0.3,
        cores: 0.3,
        isCrowded: false,
        lagMaxMs: 3,
        pauseMaxMs: 60,
      }),
  ],
  [
    'a full machine',
    'full-machine',
    ({ resources }) => Object.assign(resources.host ?? {}, { cores: 3.9 }),
  ],
  [
    'a machine that was not recorded',
    'not-checked',
    ({ resources }) => {
      resources.host = null;
    },
  ],
  [
    'a generator that left no record',
    'not-checked',
    ({ load }) => {
      load.generator = null;
    },
  ],
  [
    '29 responses',
    'few-responses',
    ({ load }) => Object.assign(load.http.totalTime ?? {}, { count: 29 }),
  ],
  ['30 responses', null, ({ load }) => Object.assign(load.http.totalTime ?? {}, { count: 30 })],
  [
    'more requests under way than users',
    'littles-law',
    ({ load }) => load.seconds.map(second => Object.assign(second, { inFlight: 40 })),
  ],
  ['few samples', 'samples', ({ profile }) => Object.assign(profile.samples, { active: 120 })],
  [
    'a lost segment',
    'segments',
    ({ profile }) => Object.assign(profile.segments ?? {}, { lost: 1 }),
  ],
  [
    'much time not sampled',
    'segments',
    ({ profile }) => Object.assign(profile.segments ?? {}, { unsampledMs: 20_000 }),
  ],
  [
    'samples that could not be taken',
    'sampling-errors',
    ({ profile }) => {
      Object.assign(profile.segments ?? {}, { errors: 3000 });
      Object.assign(profile.samples, { failedShare: 0.18 });
    },
  ],
  [
    'pauses that take a tenth of the time of a worker',
    'pausing',
    ({ profile, cpu }) => {
      Object.assign(profile.profiler ?? {}, { pausesTarget: true });
      Object.assign(cpu, { pySpyCores: 0.2 });
    },
  ],
  [
    'pauses that take 4 % of it',
    null,
    ({ profile }) => Object.assign(profile.profiler ?? {}, { pausesTarget: true }),
  ],
  [
    'a py-spy that was behind',
    'late',
    ({ profile }) => Object.assign(profile.segments ?? {}, { lateMs: 2500 }),
  ],
  [
    'workers that waited for a core',
    'samples-to-cpu',
    ({ cpu }) => Object.assign(cpu, { samplesToCpu: 2.6 }),
  ],
  [
    "a generator's quota that ran out",
    'throttled-generator',
    facts => {
      facts.data = {
        ...NOTHING_BESIDES,
        throttling: { target: null, generator: { share: 0.2, throttledMs: 900, quotaCores: 1 } },
      };
    },
  ],
  [
    "the API's quota that ran out",
    null,
    facts => {
      facts.data = {
        ...NOTHING_BESIDES,
        throttling: { generator: null, target: { share: 0.2, throttledMs: 900, quotaCores: 1 } },
      };
    },
  ],
  [
    'counts that differ',
    'counts-agree',
    facts => {
      facts.data = { ...NOTHING_BESIDES, totalRequests: facts.load.http.requests * 2 };
    },
  ],
];

for (const [name, id, spoil] of TABLE) {
  test(`${name}: ${id ? 'doubtful' : 'valid'}`, () => {
    const { level, reasons } = judge(spoil);
    assert.deepEqual(
      reasons.map(reason => reason.id),
      id ? [id] : [],
    );
    assert.equal(level, id ? 'doubtful' : 'valid');
  });
}

test('most requests failed: invalid, whatever else is doubtful', () => {
  const { level, reasons } = judge(({ load, profile }) => {
    load.http.errorRate = 0.8;
    Object.assign(profile.samples, { active: 3 });
  });
  assert.equal(level, 'invalid');
  assert.deepEqual(
    reasons.map(({ id }) => id),
    ['invalid', 'samples'],
  );
  const { reason } = /** @type {any} */ (reasons[0]?.facts ?? {});
  assert.deepEqual([reason?.id, reason?.facts.errorRate], ['most-failed', 0.8]);
});
