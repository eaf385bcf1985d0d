import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { readStudy } from '../../../../lib/experiment/study/study-file/read-study.js';
import { SMALL, writeStudy } from './write-study.js';

const STUDIES = path.resolve(import.meta.dirname, '../../../../studies');

test('a study of six lines is one variant, with defaults for the rest', t => {
  const file = writeStudy(t, SMALL);
  const { sha256, scenario, ...study } = readStudy(file);
  assert.match(sha256, /^[0-9a-f]{64}$/);
  assert.deepEqual(scenario, { inline: { scenarios: [{ flow: [{ get: { url: '/' } }] }] } });
  assert.deepEqual(study, {
    name: 'small',
    file,
    isQuick: false,
    title: 'A study',
    question: null,
    factors: [],
    exclude: [],
    ports: [],
    services: [],
    target: { url: 'http://127.0.0.1:5000', gunicorn: [] },
    settings: {},
    load: {
      model: 'closed',
      steps: [1, 2, 4],
      untilSaturated: false,
      stop: { gain: 0.05, p95Ms: null, errors: 0.01, skipped: 0.01 },
    },
    warmUpSec: 5,
    durationSec: 20,
    settleSec: 1,
    repeats: 3,
    record: { profile: 'off', processes: [], probes: [] },
    answers: 'requests',
    throughput: null,
    stages: [],
    scaleOver: null,
    objective: null,
  });
});

test('services, what is recorded of them and the commands of a study get their defaults', t => {
  const study = readStudy(
    writeStudy(
      t,
      `${SMALL}factors: {workers: [1, 2], cache: {"off": , redis: {url: "redis://x"}}}
ports: [admin]
services:
  redis:
    when: {cache: redis}
    command: redis-server --port $STUDY_PORT
    env: {A: 1, B: true}
    ready: {url: /health, timeout: 1m}
record:
  processes: {redis: {service: redis, cores: 1}}
  probes: {tasks: {url: /stats, every: 1s}, queue: {command: wc -l x}}
setup: a
prepare: b
reset: c
cleanup: d
stages: [{name: workers, backlog: tasks.queue.length, servers: "{{ $env.STUDY_WORKERS }}"}]
throughput: {probe: tasks, field: completed}
objective: {clients: 1250, interval: 30m, p95: 2s}
`,
    ),
  );
  assert.deepEqual(study.factors, [
    { name: 'workers', values: ['1', '2'].map(label => ({ label, fields: {} })) },
    {
      name: 'cache',
      values: [
        { label: 'off', fields: {} },
        { label: 'redis', fields: { url: 'redis://x' } },
      ],
    },
  ]);
  assert.deepEqual(study.ports, ['admin']);
  assert.deepEqual(study.services, [
    {
      name: 'redis',
      when: { cache: ['redis'] },
      command: 'redis-server --port $STUDY_PORT',
      env: { A: '1', B: 'true' },
      ready: { url: 'http://127.0.0.1:{{ $env.STUDY_PORT }}/health', timeoutSec: 60 },
      stopSignal: 'SIGTERM',
    },
  ]);
  const url = 'http://127.0.0.1:5000';
  assert.deepEqual(study.record.probes, [
    { name: 'tasks', url: `${url}/stats`, intervalMs: 1000 },
    { name: 'queue', command: 'wc -l x', intervalMs: 500 },
  ]);
  assert.equal(study.record.processes[0]?.members, 'all');
  assert.equal(study.record.processes[0]?.cores, 1);
  const { setup, prepare, reset, cleanup } = study;
  assert.deepEqual([setup, prepare, reset, cleanup], ['a', 'b', 'c', 'd']);
  assert.deepEqual(study.stages[0]?.backlog, { probe: 'tasks', field: 'queue.length' });
  assert.equal(study.throughput?.label, 'completed/s');
  assert.deepEqual(study.objective, {
    ratePerSec: null,
    clients: 1250,
    intervalSec: 1800,
    p95Ms: 2000,
    errors: null,
    headroom: 0.3,
  });
});

test('what a study starts is recorded, whether or not a group names it', t => {
  const study = readStudy(
    writeStudy(
      t,
      `title: t
services:
  api: {command: gunicorn}
  redis: {command: redis-server}
  nginx: {command: nginx}
  workers: {command: celery}
target: {url: "http://127.0.0.1:1", gunicorn: {service: api}}
scenario: {scenarios: [{flow: [{get: {url: /}}]}]}
load: {steps: [1]}
record: {processes: {cache: {service: redis, cores: 1}}}
`,
    ),
  );
  assert.deepEqual(
    study.record.processes.map(({ name, service, cores }) => [name, service, cores]),
    [
      ['cache', 'redis', 1],
      ['nginx', 'nginx', undefined],
      ['workers-service', 'workers', undefined],
    ],
  );
});

test('steps that are a map go on until saturated, a list is run to its end', t => {
  const read = (/** @type {string} */ load) =>
    readStudy(writeStudy(t, SMALL.replace('{steps: [1, 2, 4]}', load))).load;
  assert.deepEqual(read('{steps: {most: 64}}').steps, { from: 1, factor: 2, most: 64 });
  assert.equal(read('{steps: {most: 64}}').untilSaturated, true);
  assert.equal(read('{steps: [1, 2]}').untilSaturated, false);
  assert.equal(read('{model: open, steps: [0.5, 1.5]}').model, 'open');
});

test('the quick form is merged over the rest: maps merge, lists replace, nothing takes out', t => {
  const file = writeStudy(
    t,
    `${SMALL}duration: 30s
factors: {workers: [1, 2, 4], size: {64 B: {bytes: 64}, 1 KiB: {bytes: 1024}, 16 KiB: {bytes: 16384}}}
exclude: [{workers: 4}]
scaleOver: workers
objective: {rate: 100/s}
quick:
  duration: 2s
  factors: {workers: [1, 2], size: [64 B, 16 KiB]}
  load: {steps: [1, 8]}
  objective:
`,
  );
  const full = readStudy(file);
  const quick = readStudy(file, { quick: true });
  assert.deepEqual([full.isQuick, full.durationSec, full.load.steps], [false, 30, [1, 2, 4]]);
  assert.deepEqual([quick.isQuick, quick.durationSec, quick.load.steps], [true, 2, [1, 8]]);
  assert.equal(full.objective?.ratePerSec, 100);
  assert.equal(quick.objective, null);
  assert.equal(quick.scaleOver, 'workers');
  assert.deepEqual(quick.exclude, [{ workers: ['4'] }], 'a value that only the full form has');
  assert.deepEqual(quick.factors[1]?.values, [
    { label: '64 B', fields: { bytes: 64 } },
    { label: '16 KiB', fields: { bytes: 16_384 } },
  ]);
  assert.notEqual(full.sha256, quick.sha256);
  assert.equal(full.sha256, readStudy(file).sha256);
});

test('a factor that is a map in the quick form, too, has only the values it names there', t => {
  const text = `${SMALL}factors: {size: {a: {n: 1}, b: {n: 2}}}\nquick: {factors: {size: {b: {n: 3}}}}\n`;
  const quick = readStudy(writeStudy(t, text), { quick: true });
  assert.deepEqual(quick.factors[0]?.values, [{ label: 'b', fields: { n: 3 } }]);
});

test('anchors, aliases, merge keys and templates without quotes are read', t => {
  const text = `${SMALL}factors: {workers: [1]}
services:
  one: &one
    command: sleep 8
  two:
    <<: *one
    env: {WORKERS: {{ $env.STUDY_WORKERS }}}
`;
  const { services } = readStudy(writeStudy(t, text));
  assert.equal(services[0]?.command, 'sleep 8');
  assert.equal(services[1]?.command, 'sleep 8');
  assert.deepEqual(services[1]?.env, { WORKERS: '{{ $env.STUDY_WORKERS }}' });
});

test('searches for a script beside the study, for each variant', t => {
  const scenario = `scenario: "${STUDIES}/pingpong/{{ $env.STUDY_PROTOCOL }}.yaml"`;
  const text = SMALL.replace(/scenario:\n.*/, scenario);
  const read = (/** @type {string} */ protocols) =>
    readStudy(writeStudy(t, `${text}factors: {protocol: [${protocols}]}\n`));
  assert.deepEqual(read('http, websocket').scenario, {
    script: `${STUDIES}/pingpong/{{ $env.STUDY_PROTOCOL }}.yaml`,
  });
  assert.throws(() => read('http, gopher'), {
    code: 'STUDY_INVALID',
    message: /4:11: invalid study: scenario is ".*gopher\.yaml" in the variant protocol=gopher/,
  });
});

test('settings may name a variable that the scenario declares, in the study or in a file', t => {
  const inline = SMALL.replace(
    'scenario:\n',
    'scenario:\n  config: {loadflame: {variables: {ROOM_ID: {default: 1}}}}\n',
  );
  const study = readStudy(writeStudy(t, `${inline}settings: {ROOM_ID: 7}\n`));
  assert.deepEqual(study.settings, { ROOM_ID: '7' });
  const script = path.resolve('scenarios/csr-http.yaml');
  const byFile = SMALL.replace(/scenario:\n.*/, `scenario: ${script}`);
  assert.equal(
    readStudy(writeStudy(t, `${byFile}settings: {OFFICE_ID: 7}\n`)).settings.OFFICE_ID,
    '7',
  );
  for (const [settings, message] of /** @type {[string, RegExp][]} */ ([
    ['{OFFICE_IDD: 7}', /OFFICE_IDD is not a setting/],
    ['{OFFICE_ID: a b}', /OFFICE_ID is "a b", which is not allowed/],
  ])) {
    const file = writeStudy(t, `${byFile}settings: ${settings}\n`);
    assert.throws(() => readStudy(file), { code: 'STUDY_INVALID', message });
  }
});

for (const file of readdirSync(STUDIES).filter(name => name.endsWith('.yaml'))) {
  test(`studies/${file} is right in both forms`, () => {
    for (const quick of [false, true]) {
      assert.equal(readStudy(path.join(STUDIES, file), { quick }).isQuick, quick);
    }
  });
}

test('a file that is not there is said to be missing', () => {
  assert.throws(() => readStudy('no/such.yaml'), {
    code: 'STUDY_UNREADABLE',
    message: 'cannot read the study no/such.yaml (ENOENT)',
  });
});
