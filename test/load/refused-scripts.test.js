import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prepareScript } from '../../lib/load/prepare-script.js';
import { FLOW, prepare, refuses } from './prepared-scripts.js';

test('reports errors with file, line and what to change', t => {
  /** @type {[string, string, RegExp][]} */
  const cases = [
    ['config: {\nscenarios: [', 'SCRIPT_SYNTAX', /s\.yaml:\d+:\d+: cannot parse the script/],
    ['config:\n  a: {{ x }} y\n', 'SCRIPT_SYNTAX', /s\.yaml:2:/],
    ['- a\n', 'SCRIPT_SYNTAX', /s\.yaml:1:1.*a map with/],
    ['config: {}\n', 'SCRIPT_INVALID', /no scenarios/],
    ['config: []\nscenarios: []', 'SCRIPT_INVALID', /`config` is not a map/],
    [
      `config: {}\nscenarois: []\n${FLOW}`,
      'SCRIPT_INVALID',
      /s\.yaml:2:\d+.*scenarois.*\n.*`scenarios`/,
    ],
    ['config: {}\nscenarios:\n  - floww: []\n', 'SCRIPT_INVALID', /s\.yaml:3:.*floww[\s\S]*`flow`/],
    ['config: {}\nscenarios:\n  - name: x\n', 'SCRIPT_INVALID', /s\.yaml:3:.*no steps/],
    [
      'config: {}\nscenarios:\n  - flow: [{ gett: { url: / } }]\n',
      'SCRIPT_INVALID',
      /gett[\s\S]*`get`/,
    ],
    ['config: {}\nscenarios:\n  - flow: [{ get: { uri2: / } }]\n', 'SCRIPT_INVALID', /no `url`/],
    ['config: {}\nscenarios:\n  - flow: [oops]\n', 'SCRIPT_INVALID', /"oops" is not a map/],
    [
      `config: { processor: ./no.js }\n${FLOW}`,
      'SCRIPT_INVALID',
      /s\.yaml:1:.*no\.js does not exist/,
    ],
    [`config: { payload: { path: no.csv } }\n${FLOW}`, 'SCRIPT_INVALID', /no\.csv does not exist/],
    [`config: { phases: 5 }\n${FLOW}`, 'SCRIPT_INVALID', /not a list of phases/],
    [
      `config: { phases: [{ duration: 0, arrivalRate: 1 }] }\n${FLOW}`,
      'SCRIPT_INVALID',
      /longer than 0/,
    ],
    [
      'config: {}\nscenarios: [{ flow: [{ get: { url: /, capture: { xpath: //a, as: a } } }] }]',
      'SCRIPT_INVALID',
      /xpath/,
    ],
  ];
  for (const [text, code, message] of cases) refuses(() => prepare(t, text), code, message);
  const noTarget = `config:\n  target: "{{ $env.TARGET }}"\n${FLOW}`;
  refuses(
    () => prepare(t, noTarget, { target: null }),
    'SCRIPT_NO_TARGET',
    /s\.yaml:2:11[\s\S]*--target/,
  );
  refuses(() => prepare(t, '', { name: 's.txt' }), 'SCRIPT_FORMAT', /s\.txt/);
  assert.throws(() => prepareScript('127.0.0.1:8101/x', { env: {} }), {
    code: 'SCRIPT_FORMAT',
    hint: 'add http://: `loadflame test http://127.0.0.1:8101/x`',
  });
  refuses(() => prepareScript('/nowhere/x.yaml', { env: {} }), 'SCRIPT_NOT_FOUND', /ENOENT/);
});

test('refuses scripts and descriptions of other programs by name, and runs none of their advice', t => {
  /** @type {[string, string, RegExp][]} */
  const cases = [
    ['k6.js', "import http from 'k6/http';\nexport default () => http.get('http://h/');", /k6/],
    ['locustfile.py', 'from locust import HttpUser\n', /Locust/],
    ['plan.jmx', '<?xml version="1.0"?><jmeterTestPlan version="1.2"/>', /JMeter/],
    ['postman.json', '{"info": {"_postman_id": "x"}, "item": []}', /Postman/],
    ['api.yaml', 'swagger: "2.0"\npaths: {}\n', /OpenAPI.*`loadflame init --url`/],
  ];
  for (const [name, text, message] of cases)
    refuses(() => prepare(t, text, { name }), 'SCRIPT_OTHER', message);
  // a program that fails by itself
  refuses(() => prepare(t, 'import "nowhere-x";', { name: 's.js' }), 'SCRIPT_INVALID', /nowhere-x/);
});

test('refuses an unknown key with the closest known name', t => {
  const config = (/** @type {string} */ text) => `config: { ${text} }\n${FLOW}`;
  const step = (/** @type {string} */ text) => `config: {}\nscenarios: [{ flow: [{ ${text} }] }]`;
  /** @type {[string, RegExp][]} */
  const cases = [
    [config('phases: [{ duration: 8, user: 8 }]'), /s\.yaml:1:\d+: "user".*\n.*`users`/],
    [
      config('phases: [{ duration: 8, rps: 8 }]'),
      /"rps" is not known here\nknown here: .*arrivalR/,
    ],
    [config('phases: [{ duration: 8 }]'), /the phase sends nothing\n.*`users: 8`/],
    [config('phase: [{ duration: 8, arrivalRate: 1 }]'), /"phase".*\n.*`phases`/],
    [config('vusers: 8'), /"vusers" is not known here\nknown here: target/],
    [step('get: { url: / }, sleep: 1'), /"sleep" is not known here\nknown here: .*think/],
    [step('get: { url: /, header: { a: b } }'), /"header".*\n.*`headers`/],
    [step('get: { url: / }, post: { url: / }'), /`get` and `post` at once/],
    [step('get: { url: /, headers: [a] }'), /s\.yaml:2:\d+: `headers` is not a map/],
    [step('get: { url: /, gzip: maybe }'), /`gzip` is not `true` or `false`/],
    [step('get: { url: /, capture: { json: $.a } }'), /a capture has no name/],
    [step('sse: { url: /, until: soon }'), /`until: soon` is no end\nwrite `10`, `30s` or `end`/],
    [step('sse: { url: /, untill: 3 }'), /"untill".*\n.*`until`/],
    [step('sse: { until: 3 }'), /no `url`/],
    [step('sse: { url: /, match: done }'), /`match` is not a map/],
    [step('think: [1]'), /`think` is not a number or a text/],
    [config('http: { timeout: [] }'), /`timeout` is not a number or a text/],
  ];
  for (const [text, message] of cases) refuses(() => prepare(t, text), 'SCRIPT_INVALID', message);
  prepare(t, step('sse: { url: /, until: 30s, match: { event: a }, reconnect: false }'));
  prepare(t, step('get: { url: /, followRedirect: "{{ $env.FOLLOW }}" }'));
  prepare(t, config('x-common: { a: 1 }, own: { a: 1 }, plugins: { own: {} }'));
});

test('refuses checks that would not run, and a weight that is none', t => {
  const get = (/** @type {string} */ text) =>
    `config: {}\nscenarios: [{ flow: [{ get: { url: /, expect: ${text} } }] }]`;
  const weight = (/** @type {string} */ text) =>
    `config: {}\nscenarios: [{ weight: ${text}, flow: [{ get: { url: / } }] }]`;
  /** @type {[string, RegExp][]} */
  const cases = [
    [get('[{ statuscode: 200 }]'), /"statuscode".*\n.*`statusCode`/],
    [get('{ status: 200 }'), /"status".*\nknown here: statusCode/],
    [get('[{ statusCode: 200, contentType: json }]'), /several checks.*\nbegin each check with/],
    [`config: { ensure: { maxErorRate: 1 } }\n${FLOW}`, /"maxErorRate".*\n.*`maxErrorRate`/],
    [weight('high'), /s\.yaml:2:\d+: `weight` is not a whole number/],
    [weight('0.7'), /`weight` is not a whole number/],
  ];
  for (const [text, message] of cases) refuses(() => prepare(t, text), 'SCRIPT_INVALID', message);
  for (const text of ['0', '"70%"', '"{{ $env.WEIGHT }}"']) prepare(t, weight(text));
  prepare(t, get('{ statusCode: 200, contentType: json }'));
});

test('refuses a key in a wrong place with its right one', t => {
  const top = (/** @type {string} */ text) => `${text}\nconfig: {}\n${FLOW}`;
  const flow = (/** @type {string} */ text) => `config: {}\nscenarios: [{ ${text} }]`;
  const get = (/** @type {string} */ text) => flow(`flow: [{ get: { url: /, ${text} } }]`);
  const emit = (/** @type {string} */ text) =>
    flow(`engine: socketio, flow: [{ emit: { channel: a, ${text} } }]`);
  /** @type {[string, RegExp][]} */
  const cases = [
    [
      top('environments: {}'),
      /s\.yaml:1:\d+: "environments".*\nwrite `environments` below `config`/,
    ],
    [top('ensure: {}'), /"ensure".*\nwrite `ensure` below `config`/],
    [top('plugins: {}'), /"plugins".*\nwrite `plugins` below `config`/],
    [top('phases: []'), /"phases".*\nwrite `phases` below `config`/],
    [top('functions: ./f.js'), /"functions".*\nwrite `processor` below `config`/],
    [top('reporting: {}'), /"reporting".*\nwrite `plugins` below `config`/],
    [top('expectations: {}'), /"expectations".*\nwrite `expect` below a request/],
    [top('flow: []'), /"flow".*\nwrite `flow` in an item of `scenarios`/],
    [top('rubbish: 1'), /"rubbish".*\nknown here: config, scenarios, before, after/],
    ['config: { scenarios: [] }', /"scenarios".*\nwrite `scenarios` at the top of the file/],
    ['config: { arrivalRate: 5 }', /"arrivalRate".*\nwrite `arrivalRate` in a phase/],
    ['config: { http: { headers: {} } }', /"headers".*\nwrite `headers` below a request/],
    ['config: { payload: { path: a.csv, feilds: [a] } }', /"feilds".*\nwrite `fields`/],
    ['config: { environments: { dev: { targt: "http://a" } } }', /"targt".*\nwrite `target`/],
    ['config: { plugins: [expect] }', /`plugins` is not a map/],
    [flow('think: 1, flow: [{ think: 1 }]'), /"think".*\nwrite `think` in a step/],
    [get('think: 1'), /"think".*\nwrite `think` in a step/],
    [get('nonsense: 1'), /"nonsense".*\nknown here: url, /],
    [get('capture: { json: $.a, as: a, transform: upper }'), /"transform".*\nknown here: json/],
    [emit('acknowledg: {}'), /"acknowledg".*\nwrite `acknowledge`/],
    [emit('timeout: 3'), /"timeout".*\nwrite `timeout` below `config`/],
    [emit('acknowledge: { dta: 1 }'), /"dta".*\nwrite `data`/],
  ];
  for (const [text, message] of cases)
    refuses(
      () => prepare(t, text.includes('scenarios: [{') ? text : `${text}\n${FLOW}`),
      'SCRIPT_INVALID',
      message,
    );
});

test('keys of others stay: anchors, descriptions, plugins, hooks, engines of packages', t => {
  const kept = [
    `.login: &login\n  - get: { url: /login }\nshared:\n  headers: &headers { a: b }\nx-own: 1\nname: A test`,
    'description: what it is for',
  ];
  for (const text of kept) prepare(t, `${text}\nconfig: {}\n${FLOW}`);
  prepare(
    t,
    `config: { plugins: { own: {} } }\nscenarios: [{ own: 1, flow: [{ get: { url: /, own: 1 } }] }]`,
  );
  prepare(t, `config: { plugins: { own: {} }, own: { a: 1 } }\n${FLOW}`);
});

test('an environment that is not there is refused, with those that are', t => {
  const flags = { environment: 'staging' };
  const script = (/** @type {string} */ text) => `config: { ${text} }\n${FLOW}`;
  const known = script('environments: { dev: { target: "http://127.0.0.1:9" }, empty: }');
  const missing = /s\.yaml:1:\d+: there is no environment "staging"\n/;
  refuses(() => prepare(t, known, { flags }), 'SCRIPT_INVALID', /known there: dev, empty/);
  refuses(() => prepare(t, script(''), { flags }), 'SCRIPT_INVALID', missing);
  const above = `environments: { staging: {} }\n${script('')}`;
  refuses(() => prepare(t, above, { flags }), 'SCRIPT_INVALID', /below `environments` of `config`/);
  prepare(t, known, { flags: { environment: 'empty' } });
});

test('refuses a template that means nothing, with its line and what is known', t => {
  const config = 'config:\n  variables: { token: 1, colours: [red, blue] }\n';
  const script = (/** @type {string} */ url, more = config) =>
    `${more}scenarios:\n  - flow:\n      - get: { url: ${JSON.stringify(url)}, capture: { json: $.a, as: user.id } }\n`;
  /** @type {[string, RegExp][]} */
  const cases = [
    ['/{{ tokn }}', /s\.yaml:5:\d+: \{\{ tokn }} has no value here\nwrite `token`/],
    [
      '/{{ zzzzzz }}',
      /\{\{ zzzzzz }} has no value here\nknown here: token, colours, user.id, .*\$timestamp/,
    ],
    [
      '/{{ $randomItem(colours) }}',
      /\$randomItem\(colours\) }} has no value here\nknown here: token, .*\$randomNumber/,
    ],
    ['/{{ $timestmp }}', /write `\$timestamp`/],
    ['/{{ $pick(colours) }}', /has nothing to choose from\nwrite e.g. `\$pick\(red, blue\)`/],
    ['/{{ $randomInt(low, 9) }}', /has arguments that are not numbers/],
    [
      '/{{ colours[Math.floor(Math.random() * 2)] }}',
      /Math\.floor.* is neither a variable nor a call/,
    ],
    ['/{{ token || 1 }}', /is neither a variable nor a call\nknown here: token/],
    ['/{{ token', /\{\{ token … is neither[\s\S]*for a brace \{\{ brace }}/],
    ['/{{ $env }}', /is the whole environment\nwrite \{\{ \$env\.NAME }}/],
    ['/{{ $processEnvironment }}', /is the whole environment/],
  ];
  for (const [url, message] of cases)
    refuses(() => prepare(t, script(url)), 'SCRIPT_INVALID', message);
  const early = 'config: { variables: { a: 1, b: "{{ a }}x" } }\n';
  refuses(
    () => prepare(t, script('/', early)),
    'SCRIPT_INVALID',
    /it is filled before there are users/,
  );
  const long = script(`/{{ (${'a'.repeat(100_000)}`);
  assert.throws(
    () => prepare(t, long),
    ({ message }) => message.length < 300,
  );
});

test('templates that something may define are kept', t => {
  const known = [
    '{{ token }}{{token}}{{{ token }}}{{ user.id }}{{ user.name }}{{ row }}{{ first name }}{{ $loopElement.id }}{{ i }}',
    '{{ $env.ANY }}{{ $processEnvironment.ANY }}{{ $uuid }}{{ $timestamp }}{{ $isoTimestamp }}{{ $testId }}{{ target }}',
    '{{ $uuid() }}{{ $pick(red, "dark blue") }}{{ $randomInt(-1, 2.5) }}{{ $randomNumber(1, 9) }}{{ $randomString() }}',
  ];
  const script = (/** @type {string} */ text, more = '') => `
config:
  variables: { token: 1 }
  payload: { path: a.csv, fields: [row, first name] }
  http: { defaults: { headers: { authorization: "Bearer {{ token }}" } } }
  ${more}
scenarios:
  - name: "any {{ text }}"
    flow:
      - loop: [{ post: { url: /, json: { "{{ token }}": [${JSON.stringify(text)}] }, capture: { json: $.a, as: user.id } } }]
        loopValue: i
`;
  const files = { 'a.csv': '1,2\n', 'hooks.js': 'exports.f = c => { c.vars.$own = 1 }' };
  const one = (/** @type {string} */ text, more = '') => prepare(t, script(text, more), { files });
  for (const text of known) one(text);
  // A processor may define any variable, but functions and names with a dollar are in its text.
  one('{{ any }}{{ $own }}', 'processor: hooks.js');
  assert.throws(() => one('{{ $other() }}', 'processor: hooks.js'), /no value here/);
  one('{{ $faker(name) }}{{ any }}', 'plugins: { faker: {} }');
  const flags = { engine: /** @type {const} */ ('artillery') };
  assert.throws(() => prepare(t, script('{{ $pick(a, b) }}'), { files, flags }), /no value here/);
});

test("steps that are ours are refused where Artillery's engine is to run them", t => {
  const script = `config: {}
scenarios:
  - engine: socketio
    flow:
      - connect: { namespace: /a }
      - loop: [{ on: news }]
        count: 1
`;
  prepare(t, script);
  const flags = { engine: /** @type {const} */ ('artillery') };
  refuses(() => prepare(t, script, { flags }), 'SCRIPT_INVALID', /s\.yaml:5:9: the step `connect`/);
});

test('an engine of a package is refused without Artillery', t => {
  const script =
    'config: { engines: { own: {} } }\nscenarios: [{ engine: own, flow: [{ any: 1 }] }]\n';
  refuses(() => prepare(t, script), 'SCRIPT_INVALID', /`own`[\s\S]*--engine artillery/);
});

test('parts of Artillery whose packages were left out are refused before the load', t => {
  const parts = {
    'plugins: { publish-metrics: [{ type: datadog }] }': 'datadog-metrics',
    'plugins: { publish-metrics: [{ type: open-telemetry }] }':
      '@opentelemetry/exporter-trace-otlp-proto',
    'engine: playwright': 'playwright',
  };
  for (const [line, name] of Object.entries(parts))
    refuses(
      () => prepare(t, `config:\n  ${line}\n${FLOW}`, { flags: { engine: 'artillery' } }),
      'ARTILLERY_PART_MISSING',
      new RegExp(`package ${name},[\\s\\S]*npm install`),
    );
  const statsd = 'config: { plugins: { publish-metrics: [{ type: statsd }] } }\n';
  assert.doesNotThrow(() => prepare(t, statsd + FLOW, { flags: { engine: 'artillery' } }));
});

test('refuses braces of recorded text for Artillery, which would fill in what follows them', t => {
  const script = `config:\n  variables: { brace: "{" }\n${FLOW}`;
  assert.doesNotThrow(() => prepare(t, script));
  const flags = { engine: /** @type {const} */ ('artillery') };
  assert.throws(() => prepare(t, script, { flags }), /recorded braces are templates for Artillery/);
});

test('refuses conditions, lists and regular expressions that can mean nothing', t => {
  /** @param {string} steps */
  const script = steps =>
    `config: { variables: { ids: [[1, 2]], n: 1 } }\nscenarios:\n  - flow: [${steps}]\n`;
  /** @type {[string, RegExp][]} */
  const cases = [
    ['{ get: { url: /, ifTrue: "m > 1 and n > 1" } }', /\{\{ m }} has no value here/],
    [
      '{ get: { url: /, ifTrue: "n = = 1" } }',
      /“n = = 1” is no condition: .*error on line 1[\s\S]*count > 3/,
    ],
    ['{ loop: [{ log: a }], over: idz }', /\{\{ idz }} has no value here\nwrite `ids`/],
    ['{ loop: [{ log: a }], over: "{{ ids }}" }', /is a template\nwrite: `ids`/],
    ['{ get: { url: /, capture: { regexp: "([a", as: x } } }', /Unterminated character class/],
    ['{ get: { url: /, capture: { regexp: a, flags: q, as: x } } }', /Invalid flags/],
  ];
  for (const [steps, message] of cases)
    refuses(() => prepare(t, script(steps)), 'SCRIPT_INVALID', message);
  prepare(
    t,
    script(
      '{ get: { url: /, ifTrue: "n > 1 and not (ids == 2)" } }, { loop: [{ log: a }], over: ids }',
    ),
  );
  prepare(t, script('{ get: { url: /, capture: { regexp: "{{ n }}(", as: x } } }'));
});
