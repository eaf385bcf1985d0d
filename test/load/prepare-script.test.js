import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { serializeScript } from '../../lib/load/artillery/run-artillery.js';
import { createPick } from '../../lib/load/generator/users.js';
import { chooseWorkers, usableCpus } from '../../lib/load/prepare-script.js';
import { makeFolder } from './helpers.js';
import { FLOW, prepare, refuses } from './prepared-scripts.js';

test('lists inside a flow are flattened, wherever they are', t => {
  const { script, notes } = prepare(
    t,
    `
config: {}
login: &login
  - get: { url: /a }
  - - get: { url: /b }
scenarios:
  - flow:
      - *login
      - loop: [*login, { get: { url: /c } }]
        count: 2
before: { flow: [*login] }
`,
  );
  assert.deepEqual(script.scenarios[0]?.flow, [
    { get: { url: '/a' } },
    { get: { url: '/b' } },
    { loop: [{ get: { url: '/a' } }, { get: { url: '/b' } }, { get: { url: '/c' } }], count: 2 },
  ]);
  assert.equal(script.before?.flow.length, 2);
  assert.match(notes.join(), /flattened/);
});

test('numbers may be quoted, templated with or without quotes, or have units', t => {
  const { phases } = prepare(
    t,
    `
config:
  variables: { rate: 7, many: [3, 4] }
  phases:
    - { duration: "{{ $env.D }}", arrivalRate: "{{rate}}", maxVusers: {{ $processEnvironment.MAX }} }
    - duration: 2m
      arrivalRate: {{ many }}
      maxVusers: {{ $env.MAX }} # not a map
    - { pause: "5" }
    - { duration: 0, arrivalRate: 1 }
    - { duration: 10, arrivalRate: 0.35 }
    - { duration: 200ms, arrivalCount: 2 }
    - { duration: 4, arrivalRate: 0.5, rampTo: 2.5 }
${FLOW}`,
    { env: { D: '30', MAX: '20' } },
  );
  assert.deepEqual(phases, [
    { duration: 30, arrivalRate: 7, maxVusers: 20 },
    { duration: 120, arrivalRate: 3, maxVusers: 20 },
    { pause: 5 },
    { duration: 10, arrivalCount: 4 },
    { duration: 0.2, arrivalCount: 2 },
    { duration: 4, arrivalRate: 0.5, rampTo: 2.5 },
  ]);
});

test('a number that is none is refused with its place and the variable', t => {
  const script = `
config:
  phases:
    - duration: 10
      maxVusers: {{ $env.NOT_SET }}
${FLOW}`;
  refuses(() => prepare(t, script), 'SCRIPT_NUMBER', /s\.yaml:5:18.*NOT_SET.*not set/);
  const word = script.replace('{{ $env.NOT_SET }}', 'many');
  refuses(() => prepare(t, word), 'SCRIPT_NUMBER', /maxVusers: "many"/);
  const negative = script.replace('{{ $env.NOT_SET }}', '-1');
  refuses(() => prepare(t, negative), 'SCRIPT_NUMBER', /-1/);
});

test('environment, overrides and variables work as in Artillery, in its order', t => {
  const { script, phases, target } = prepare(
    t,
    `
config:
  target: http://one
  phases: [{ duration: 1, arrivalRate: "{{ rate }}" }, { duration: 9, arrivalRate: 9 }]
  environments:
    big:
      target: http://two
      phases: [{ duration: 5 }]
  variables: { rate: 1, other: 2 }
${FLOW}`,
    {
      target: null,
      flags: {
        environment: 'big',
        variables: { rate: 6 },
        overrides: { config: { target: 'http://three/', http: { timeout: 3 } } },
      },
    },
  );
  assert.equal(target, 'http://three');
  assert.deepEqual(phases, [
    { duration: 5, arrivalRate: 6 },
    { duration: 9, arrivalRate: 9 },
  ]);
  assert.deepEqual(script.config.variables, { rate: 6, other: 2 });
  assert.equal(script.config.http?.timeout, 3);
});

test('paths are those of the script, wherever Artillery reads it', t => {
  const { folder, script } = prepare(
    t,
    `
config:
  processor: ./code/hooks
  payload: [{ path: "{{ $dirname }}/users.csv", fields: [name] }]
scenarios:
  - flow:
      - post: { url: /, formData: { file: { fromFile: ./users.csv } } }
`,
    { files: { 'users.csv': 'a\n', 'code/hooks.cjs': 'module.exports = {};' } },
  );
  assert.equal(script.config.processor, path.join(folder, 'code/hooks.cjs'));
  assert.equal([script.config.payload].flat()[0]?.path, path.join(folder, 'users.csv'));
  assert.equal(
    script.scenarios[0]?.flow[0]?.post.formData.file.fromFile,
    path.join(folder, 'users.csv'),
  );
});

test('nothing else of a script is changed, and JSON scripts work', t => {
  const given = {
    config: {
      target: 'http://a/',
      defaults: { headers: { 'X-Ü': '\u2028 \u0085' } },
      plugins: { ensure: {} },
    },
    scenarios: [{ name: 'x', weight: 2, engine: 'ws', flow: [{ send: '{{ $uuid }}' }] }],
  };
  const { script } = prepare(t, JSON.stringify(given), { name: 's.json', target: null });
  assert.deepEqual(script.scenarios, given.scenarios);
  const { target, http, plugins, ...rest } = script.config;
  assert.deepEqual([target, http], ['http://a', undefined]);
  assert.deepEqual(rest, { defaults: given.config.defaults });
  assert.deepEqual(plugins, { ensure: {} });
  const text = serializeScript(script);
  assert.ok(/^[ -~]*$/.test(text));
  assert.deepEqual(JSON.parse(text), script);
});

test('workers are so few that each may hold ten users, and as many as the load needs', () => {
  const phase = (/** @type {number} */ maxVusers) => ({ arrivalRate: 5, duration: 1, maxVusers });
  const artillery = /** @type {const} */ ('artillery');
  assert.equal(chooseWorkers([phase(5)], { engine: artillery, cpus: 8 }), 1);
  assert.equal(chooseWorkers([phase(25), phase(100)], { engine: artillery, cpus: 8 }), 2);
  assert.equal(chooseWorkers([phase(1000)], { engine: artillery, cpus: 8 }), 7);
  assert.equal(chooseWorkers([{ arrivalRate: 5 }], { engine: artillery, cpus: 8 }), 7);
  assert.equal(chooseWorkers([{ arrivalRate: 5 }], { engine: artillery, cpus: 1 }), 1);
  assert.equal(
    chooseWorkers([{ arrivalCount: 5, maxVusers: 1 }], { engine: artillery, cpus: 4 }),
    3,
  );

  assert.equal(chooseWorkers([phase(1000)], { cpus: 8 }), 1);
  assert.equal(chooseWorkers([{ arrivalRate: 5 }, { arrivalRate: 4200 }], { cpus: 8 }), 3);
  assert.equal(chooseWorkers([{ arrivalRate: 1, rampTo: 9000, duration: 9 }], { cpus: 3.7 }), 3);
  assert.equal(chooseWorkers([{ arrivalCount: 27_000, duration: 9 }], { cpus: 8 }), 2);
  assert.equal(chooseWorkers([{ arrivalRate: 5000, maxVusers: 30 }], { cpus: 8 }), 3);
  assert.equal(chooseWorkers([{ users: 25, duration: 9 }], { cpus: 8 }), 2);
  assert.equal(chooseWorkers([{ users: 1, rampTo: 500, duration: 9 }], { cpus: 0.5 }), 1);
  assert.equal(chooseWorkers([], { cpus: 4 }), 1);
});

test('counts the cores of a load that the machine has', () => {
  const count = (/** @type {string} */ listed) =>
    usableCpus({ root: '/no/such/root', processors: 4, listed });
  assert.deepEqual(['0-1023', '1-1023', '0,2-1023', '2', '0-1,3'].map(count), [4, 3, 3, 1, 3]);
});

test('phases with users are ours: whole numbers, a duration, no arrivals beside them', t => {
  const script = (/** @type {string} */ phase) =>
    `
config: { phases: [{ PHASE }] }
${FLOW}`.replace('PHASE', phase);
  const { phases } = prepare(t, script('duration: 1m, users: {{ $env.N }}, rampTo: 20'), {
    env: { N: '10' },
  });
  assert.deepEqual(phases, [{ duration: 60, users: 10, rampTo: 20 }]);
  /** @type {[string, RegExp][]} */
  const wrong = [
    ['users: 1.5, duration: 1', /s\.yaml:2:\d+: `users: 1.5` is not a whole number/],
    ['users: 5', /needs a duration/],
    ['users: 5, duration: 1, arrivalRate: 2', /`users` and `arrivalRate` are in one phase/],
    ['users: 5, duration: 1, maxVusers: 2', /leave out `maxVusers`/],
  ];
  for (const [phase, text] of wrong)
    refuses(() => prepare(t, script(phase)), 'SCRIPT_INVALID', text);
  refuses(
    () => prepare(t, script('users: 5, duration: 1'), { flags: { engine: 'artillery' } }),
    'SCRIPT_USERS_ARTILLERY',
    /omit `--engine artillery`/,
  );
});

test('a phase may have more of one scenario: its rate is that of all, and the name is one of the script', t => {
  const script = (/** @type {string} */ phase) =>
    `
config: { phases: [{ PHASE }] }
scenarios: [{ name: a, flow: [{ get: { url: / } }] }, { name: b, flow: [{ get: { url: / } }] }]
`.replace('PHASE', phase);
  const { phases } = prepare(
    t,
    script('duration: 1m, arrivalRate: 10, more: { b: "{{ $env.N }}" }'),
    {
      env: { N: '30' },
    },
  );
  assert.deepEqual(phases, [{ duration: 60, arrivalRate: 40, more: { b: 30 } }]);
  /** @type {[string, RegExp][]} */
  const wrong = [
    ['duration: 1, arrivalRate: 1, more: { bb: 1 }', /s\.yaml:2:\d+: "bb" is not known here/],
    ['duration: 1, arrivalRate: 1, rampTo: 2, more: { b: 1 }', /how many come beside/],
    ['duration: 1, users: 1, more: { b: 1 }', /how many come beside/],
    ['duration: 1, arrivalRate: 1, more: 5', /how many come beside/],
  ];
  for (const [phase, text] of wrong)
    refuses(() => prepare(t, script(phase)), 'SCRIPT_INVALID', text);
  refuses(
    () => prepare(t, script('duration: 1, arrivalRate: 1, more: { b: x }')),
    'SCRIPT_NUMBER',
    /"x"/,
  );
  refuses(
    () =>
      prepare(t, script('duration: 1, arrivalRate: 1, more: { b: 1 }'), {
        flags: { engine: 'artillery' },
      }),
    'SCRIPT_USERS_ARTILLERY',
    /phases with `more` are loadflame's own/,
  );
  refuses(
    () =>
      prepare(t, script('duration: 1, arrivalRate: 1, more: { b: 1 }'), {
        flags: { scenarioName: 'a' },
      }),
    'SCRIPT_INVALID',
    /--scenario-name/,
  );
});

test('users of a phase with more of one scenario are of it as often as that, and else by weight', () => {
  const scenarios = ['a', 'b'].map((name, index) => ({ spec: { weight: 1 - index }, name }));
  const pick = createPick(/** @type {any} */ (scenarios), {
    readWeight: Number,
  });
  const phase = { arrivalRate: 40, more: { b: 30 } };
  const count = (/** @type {import('../../lib/load/pacing/schedule.js').Phase} */ own) =>
    Array.from({ length: 4000 }, () => pick(own)).filter(({ name }) => name === 'b').length;
  assert.ok(Math.abs(count(phase) - 3000) < 250, `${count(phase)}`);
  const counted = { arrivalCount: 5, duration: 2, more: { b: 1.25 } };
  assert.ok(Math.abs(count(counted) - 2000) < 250, 'a fraction of a rate is made a count');
  assert.equal(count({ arrivalRate: 40 }), 0);
});

test('merges a file of --config over the script, with its own paths', t => {
  const folder = makeFolder(t);
  mkdirSync(path.join(folder, 'sub'));
  const config = path.join(folder, 'sub', 'config.yaml');
  writeFileSync(path.join(folder, 'sub', 'hooks.js'), 'export const a = () => {};');
  writeFileSync(
    config,
    'config:\n  processor: ./hooks.js\n  phases: [{ duration: 5, arrivalRate: 2 }]\n',
  );
  const script = `config: { phases: [{ duration: 1, arrivalRate: 1 }], variables: { kept: 1 } }\n${FLOW}`;
  const prepared = prepare(t, script, { flags: { config } });
  assert.deepEqual(prepared.phases, [{ duration: 5, arrivalRate: 2 }]);
  assert.equal(prepared.script.config.processor, path.join(folder, 'sub', 'hooks.js'));
  assert.equal(prepared.script.config.variables?.kept, 1);
  writeFileSync(config, 'config:\n  phases:\n    - { duration: many, arrivalRate: 2 }\n');
  refuses(() => prepare(t, script, { flags: { config } }), 'SCRIPT_NUMBER', /config\.yaml:3:19/);
});

test('it is known whether certificates are checked, in whichever of the ways that is switched off', t => {
  const flow = 'scenarios: [{ flow: [{ get: { url: / } }] }]';
  /** @param {string} config @param {object} [options] */
  const trusts = (config, options = {}) =>
    prepare(t, `config: { target: x, ${config} }\n${flow}`, {
      target: 'https://api.test',
      ...options,
    }).trustsAnyone;
  assert.equal(trusts(''), false);
  assert.equal(trusts('tls: { rejectUnauthorized: true }'), false);
  assert.equal(trusts('tls: { rejectUnauthorized: false }'), true);
  assert.equal(trusts('socketio: { rejectUnauthorized: false }'), true);
  assert.equal(trusts('', { flags: { insecure: true } }), true);
  assert.equal(trusts('', { env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } }), true);
  assert.equal(trusts('', { flags: { insecure: true }, target: 'http://api.test' }), false);
  const other = 'environments: { dev: { tls: { rejectUnauthorized: false } } }';
  assert.equal(trusts(other), false);
  assert.equal(trusts(other, { flags: { environment: 'dev' } }), true);
});

test('an emit may say inside what it waits for', t => {
  const { script } = prepare(
    t,
    `config: {}
scenarios:
  - engine: socketio
    flow:
      - emit: { channel: a, data: 1, namespace: /x, acknowledge: { data: 2 }, response: { on: b } }
      - emit: { channel: c }
`,
  );
  assert.deepEqual(script.scenarios[0]?.flow, [
    {
      ...{ namespace: '/x', acknowledge: { data: 2 }, response: { on: 'b' } },
      emit: { channel: 'a', data: 1 },
    },
    { emit: { channel: 'c' } },
  ]);
});

test('a scenario of weight 0 is not expected to run', t => {
  const flow = 'flow: [{ get: { url: / } }]';
  const text = `config: {}\nscenarios: [{ name: off, weight: 0, ${flow} }, { name: on, ${flow} }]`;
  assert.deepEqual(prepare(t, text).scenarios, ['on']);
});
