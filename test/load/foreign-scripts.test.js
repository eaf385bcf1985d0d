/** What scripts of other people contain: it runs, or is refused before any load. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serve } from '../helpers/listen.js';
import { makeFolder, readLoad, startTestLoad } from './helpers.js';
import { FLOW, prepare, refuses } from './prepared-scripts.js';

const USERS = 3;
const script = (/** @type {string} */ flow, config = '') =>
  `config: { ${config} }\nscenarios:\n  - flow: [${flow}]\n`;
const GET = '{ get: { url: / } }';

/** @type {[what: string, text: string, expected: RegExp, files?: Record<string, string>][]} */
const REFUSED = [
  [
    'a payload without rows',
    script(GET, 'payload: { path: people.csv, fields: [name] }'),
    /s\.yaml:1:\d+: the payload people\.csv has no rows/,
    { 'people.csv': '' },
  ],
  [
    'a payload with a header alone',
    script(GET, 'payload: { path: people.csv, fields: [name], skipHeader: true }'),
    /people\.csv has no rows/,
    { 'people.csv': 'name\n' },
  ],
  [
    'a payload with a short row',
    script(GET, 'payload: { path: people.csv, fields: [a, b] }'),
    /people\.csv: Invalid Record Length: expect 2, got 1 on line 2/,
    { 'people.csv': '1,2\n3\n' },
  ],
  [
    'a payload with an open quote',
    script(GET, 'payload: { path: people.csv, fields: [a, b] }'),
    /people\.csv: Quote Not Closed/,
    { 'people.csv': '1,"2\n3,4\n' },
  ],
  [
    'a payload with semicolons',
    script(GET, 'payload: { path: people.csv, fields: [a, b, c] }'),
    /people\.csv has 1 of the 3 columns[\s\S]*write `delimiter: ";"`/,
    { 'people.csv': '1;2;3\n4;5;6\n' },
  ],
  [
    'a payload with commas and another delimiter',
    script(GET, 'payload: [{ path: people.csv, fields: [a, b], delimiter: ";" }]'),
    /has 1 of the 2 columns[\s\S]*`delimiter: ","`/,
    { 'people.csv': '1,2\n' },
  ],
  [
    'a range as a pause',
    script(`${GET}, { think: 100-200ms }`),
    /s\.yaml:3:.*`think` is not seconds.*100-200ms.*\n.*jitter/,
  ],
  [
    'a word as a pause, in a loop',
    script('{ loop: [{ think: a while }] }'),
    /`think` is not seconds.*"a while"/,
  ],
  [
    'an address without a slash',
    script('{ get: { url: item/5 } }'),
    /s\.yaml:3:.*`url` is not a path.*"item\/5"/,
  ],
  [
    'a function as a step',
    script('{ function: "async (context) => {}" }'),
    /s\.yaml:3:.*`function` is not the name of a function.*processor/,
  ],
  [
    'a function as a hook',
    script('{ get: { url: /, beforeRequest: "function (r, c, e, next) { next(); }" } }'),
    /`beforeRequest` is not the name/,
  ],
  [
    'a function as a hook of a scenario',
    `config: {}\nscenarios:\n  - afterScenario: [a, "(c) => {}"]\n    flow: [${GET}]\n`,
    /s\.yaml:3:.*`afterScenario` is not the name/,
  ],
];

const OWN = {
  'own.js': 'exports.login = c => {}; const hidden = c => {}; exports.n = 1;',
  'own.ts': 'export const login = async (c: any) => {};',
};
for (const [what, flow, expected] of /** @type {const} */ ([
  ['a function step', '{ function: logn }', /s\.yaml:3:\d+: .* no function "logn"\nwrite `login`/],
  [
    'a function that is not exported',
    `{ loop: [${GET}], whileTrue: hidden }`,
    /"hidden"\nthe processor exports: login$/,
  ],
  ['a value', '{ function: n }', /"n"/],
  ['a hook in a loop', '{ loop: [{ get: { url: /, beforeRequest: [login, logout] } }] }', /logout/],
  [
    'a hook of a parallel stream',
    '{ parallel: [{ sse: { url: /, afterResponse: fail } }] }',
    /"fail"/,
  ],
  ['the prototype', '{ function: toString }', /"toString"/],
]))
  REFUSED.push([
    `${what} that the processor does not export`,
    script(flow, 'processor: ./own.js'),
    expected,
    OWN,
  ]);
REFUSED.push(
  ['a function without a processor', script('{ function: a }'), /"a"\nname its file: `processor`/],
  [
    'a hook of a scenario that a TypeScript processor lacks',
    `config: { processor: ./own.ts }\nscenarios:\n  - afterScenario: lgoin\n    flow: [${GET}]\n`,
    /s\.yaml:3:.*"lgoin"\nwrite `login`/,
    OWN,
  ],
  [
    'a package that the processor misses',
    script('{ function: a }', 'processor: ./own.js'),
    /s\.yaml:1:\d+: [\s\S]*npm install not-installed/,
    { 'own.js': "require('not-installed');" },
  ],
);

for (const [what, text, expected, files] of REFUSED)
  test(`refuses ${what} before any load`, t => {
    refuses(() => prepare(t, text, { files }), 'SCRIPT_INVALID', expected);
  });

test('accepts pauses and addresses that Artillery accepts', t => {
  const flow = ['{ think: 1 }', '{ think: "0.5" }', '{ think: 200ms }', '{ think: "{{ pause }}" }'];
  const urls = ['/a', 'http://127.0.0.1:1/', '{{ url }}', '{{ target }}/b'];
  const requests = urls.map(url => `{ get: { url: "${url}" } }`);
  prepare(t, script([...flow, ...requests].join(', '), 'variables: { pause: 1, url: /c }'));
});

test('accepts functions that only a load can know', t => {
  const flow =
    '{ function: own }, { get: { url: /, json: { function: free }, afterResponse: "{{ hook }}" } }';
  const text = (/** @type {string} */ config) =>
    script(flow, `processor: ./own.js, variables: { hook: own }${config}`);
  const own = 'exports.own = () => {};';
  prepare(t, text(''), { files: { 'own.js': own } });
  const needsSecret = "if (!process.env.TOKEN) throw new Error('no TOKEN');";
  prepare(t, text(''), { files: { 'own.js': needsSecret } });
  prepare(t, text(', plugins: { adds-functions: {} }'), { files: { 'own.js': '' } });
});

test('a WebSocket as the target is for scenarios of sockets', t => {
  const target = 'ws://127.0.0.1:9';
  const ws = 'config: {}\nscenarios: [{ engine: ws, flow: [{ send: hello }] }]\n';
  assert.equal(prepare(t, ws, { target }).target, target);
  const mixed = `config: {}\nscenarios:\n  - { engine: ws, flow: [{ send: a }] }\n  - flow: [${GET}]\n`;
  refuses(
    () => prepare(t, mixed, { target }),
    'SCRIPT_INVALID',
    /s\.yaml:4:.*WebSocket.*\n.*http:/,
  );
});

test('the engine socketio-v3 is socketio, with its configuration', t => {
  const flow = 'flow: [{ emit: { channel: hello, data: { n: 1 } } }]';
  const { script: prepared, notes } = prepare(
    t,
    `config: { engines: { socketio-v3: {} }, socketio-v3: { path: /ws } }
scenarios: [{ engine: socketio-v3, ${flow} }, { engine: socketio, ${flow} }]`,
  );
  assert.deepEqual(
    prepared.scenarios.map(({ engine }) => engine),
    ['socketio', 'socketio'],
  );
  assert.deepEqual(prepared.config.socketio, { path: '/ws' });
  assert.match(notes.join(), /`engine: socketio-v3` runs as/);
});

test('a scenario of weight 0 is not expected to run', t => {
  const text = `config: {}\nscenarios: [{ name: off, weight: 0, flow: [${GET}] }, { name: on, flow: [${GET}] }]`;
  assert.deepEqual(prepare(t, text).scenarios, ['on']);
});

// -- Programs: scripts and processors in JavaScript and TypeScript.

const BODY = `{ config: { phases: [{ duration: 1, arrivalCount: ${USERS} }] }, scenarios: [{ name: 'x', flow: [{ get: { url: '/item' } }] }] }`;
const COMMON = `const { arch } = require('node:os');\nmodule.exports = ${BODY};\n`;
const MODULE = `const { config, scenarios } = ${BODY};\nexport { config, scenarios };\n`;
const TYPED = (/** @type {string} */ text) =>
  `type Own = { a: number };\nlet none: Own | null = null;\n${text}`;

/** @type {[name: string, text: string, type: string][]} */
const PROGRAMS = [
  ['s.js', COMMON, 'commonjs'],
  ['s.js', MODULE, 'module'],
  ['s.cjs', COMMON, 'module'],
  ['s.mjs', MODULE, 'commonjs'],
  ...['commonjs', 'module'].flatMap(type => [
    /** @type {[string, string, string]} */ (['s.ts', TYPED(MODULE), type]),
    /** @type {[string, string, string]} */ (['s.ts', TYPED(COMMON), type]),
  ]),
];
for (const [name, text, type] of PROGRAMS)
  test(`reads ${name} with ${text === COMMON || text === TYPED(COMMON) ? 'module.exports' : 'export'} in a package of type ${type}`, t => {
    const files = { 'package.json': JSON.stringify({ type }) };
    const { script: read, phases } = prepare(t, text, { files, name });
    assert.equal(read.scenarios[0]?.name, 'x');
    assert.equal(phases[0]?.arrivalCount, USERS);
  });

test('functions that a script in TypeScript exports are its processor', t => {
  const text = `
    export const config = {};
    export async function mark(context: any) {}
    export const scenarios = [{ flow: [{ function: mark }, { get: { url: '/' } }] }];`;
  const { script: read, folder } = prepare(t, text, { name: 's.ts' });
  assert.deepEqual(read.scenarios[0]?.flow?.[0], { function: 'mark' });
  assert.equal(read.config.processor, `${folder}/s.ts`);
});

test('a program that is no script is refused with the reason and its change', t => {
  /** @type {[string, RegExp][]} */
  const cases = [
    [
      'throw new Error("\\u001b[31mown");',
      /s\.mjs: the script cannot be run: Error: \ufffd\[31mown/,
    ],
    ['import "not-installed-here";', /npm install not-installed-here/],
    ['export const scenarios = [{ flow: [{ function: () => {} }] }];', /`function` is a function/],
    ['export const config = {};', /no scenarios/],
    ['process.exit(3);', /cannot be run/],
    ['export const config = {', /cannot be run: .*Unexpected/],
  ];
  for (const [text, expected] of cases)
    refuses(() => prepare(t, text, { name: 's.mjs' }), 'SCRIPT_INVALID', expected);
});

for (const type of ['module', 'commonjs'])
  for (const [kind, code] of /** @type {const} */ ([
    [
      'export',
      "import { name } from './names';\nexport const own: () => void = () => console.log(name);",
    ],
    [
      'module.exports',
      "const { name } = require('./names');\nmodule.exports = { own: (c: any) => console.log(name) };",
    ],
  ]))
    test(`runs a TypeScript processor with ${kind} in a package of type ${type}`, async t => {
      const target = await serve(t, (_, response) => response.end());
      const { running, files } = await startTestLoad(makeFolder(t), {
        script: `config: { target: "${target}", processor: ./own.ts, phases: [{ duration: 1, arrivalCount: 1 }] }
scenarios: [{ flow: [{ function: own }, ${GET}] }]`,
        files: {
          'own.ts': code,
          'names.ts': "export const name: string = 'x';",
          'package.json': JSON.stringify({ type }),
        },
        settings: {},
      });
      await running.ended;
      const { counters } = await readLoad(files);
      assert.equal(counters['vusers.completed'], 1);
      assert.equal(counters['http.codes.200'], 1);
    });

test('names a package that a processor misses, and the command that installs it', async t => {
  const target = await serve(t, (_, response) => response.end());
  for (const [name, code] of [
    ['own.js', "const x = require('@own/not-installed/deep');"],
    ['own.mjs', "import 'not-installed';"],
  ])
    await assert.rejects(
      startTestLoad(makeFolder(t), {
        script: `config: { target: "${target}", processor: ./${name} }\n${FLOW}`,
        files: { [String(name)]: String(code) },
        settings: {},
      }),
      /npm install (?:@own\/not-installed|not-installed)(?![\w/])/,
    );
});
