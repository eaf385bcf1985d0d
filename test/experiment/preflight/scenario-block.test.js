import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { readConfig } from '../../../lib/base/config/read-config.js';
import { readScripts, runChecks } from '../../../lib/experiment/preflight/checks.js';
import { checkTarget, runScenarioCheck } from '../../../lib/experiment/preflight/preflight.js';
import { readScenarioBlock } from '../../../lib/experiment/preflight/scenario-block.js';
import { startFakeTarget } from '../../helpers/fake-target.js';
import { startGunicorn } from '../../helpers/gunicorn.js';
import { callLoadflame } from '../../helpers/run-loadflame.js';
import { makeTempFolder } from '../../helpers/temp-folder.js';

/** @import { TestContext } from 'node:test' */

/** @param {TestContext} t @param {string} block below `loadflame:` */
function writeScript(t, block) {
  const file = path.join(makeTempFolder(t), 'rooms.yaml');
  const lines = block.trim().split('\n');
  const text = `config:\n  target: "{{ $env.TARGET }}"\n  loadflame:\n${lines.map(line => `    ${line}\n`).join('')}scenarios: [{ flow: [{ get: { url: / } }] }]\n`;
  writeFileSync(file, text);
  return file;
}

/** @param {TestContext} t @param {string} block @param {Record<string, string>} [env] @param {Record<string, string>} [flags] */
function read(t, block, env = {}, flags = {}) {
  const scenario = readScenarioBlock(writeScript(t, block));
  const config = readConfig({ env, flags, folder: '/nowhere' });
  return { scenario, base: config, config: config.withVariables(scenario.variables) };
}

/** @param {ReturnType<typeof read>} given @param {string} target */
async function runAll({ scenario, config }, target) {
  const texts = [];
  for (const check of scenario.checks) {
    texts.push((await runScenarioCheck(check, { config, target, token: null })).text);
  }
  return texts;
}

test('a variable comes from a flag, the environment, a file or the default of its script', t => {
  const folder = makeTempFolder(t);
  const { variables } = readScenarioBlock(
    writeScript(t, 'variables:\n  ROOM_ID: { default: 1, about: room, type: id }'),
  );
  /** @param {Record<string, string>} flags @param {Record<string, string>} env */
  const sourceOf = (flags, env) => {
    const own = { PATH: process.env.PATH, ...env };
    const { all } = readConfig({ flags, env: own, folder }).withVariables(variables);
    const { text, source } = all.find(({ name }) => name === 'ROOM_ID') ?? {};
    return [text, source];
  };
  assert.deepEqual(sourceOf({}, {}), ['1', 'default']);
  writeFileSync(path.join(folder, '.env'), 'ROOM_ID=2\n');
  assert.deepEqual(sourceOf({}, {}), ['2', '.env']);
  writeFileSync(path.join(folder, 'envs.sh'), 'ROOM_ID=3\n');
  assert.deepEqual(sourceOf({}, {}), ['3', 'envs.sh']);
  assert.deepEqual(sourceOf({}, { ROOM_ID: '4' }), ['4', 'environment']);
  assert.deepEqual(sourceOf({ ROOM_ID: '5' }, { ROOM_ID: '4' }), ['5', 'flag']);
});

test('a script may give a setting of ours another default', t => {
  const { config, base } = read(t, 'variables: { SOCKETIO_COOKIE: { default: session } }');
  assert.equal(base.get('SOCKETIO_COOKIE'), null);
  assert.equal(config.get('SOCKETIO_COOKIE'), 'session');
});

test('an empty value switches off the default that a script gives to a setting of ours', t => {
  const block =
    'variables: { SOCKETIO_COOKIE: { default: session }, ARRIVAL_RATE: { default: 4 } }';
  const { config, base } = read(t, block, { SOCKETIO_COOKIE: '', ARRIVAL_RATE: '' });
  assert.equal(config.get('SOCKETIO_COOKIE'), null);
  // Without a value there is no load: of these the script's stays.
  assert.notEqual(base.get('ARRIVAL_RATE'), 4);
  assert.equal(config.get('ARRIVAL_RATE'), 4);
});

test('a value is held against its type or its pattern', t => {
  const block = 'variables:\n  A: { type: id }\n  B: { pattern: "\\\\d+" }';
  for (const [name, value, allowed] of /** @type {[string, string, RegExp][]} */ ([
    ['A', '../../etc', /letters, digits/],
    ['B', '12a', /matches \\d\+/],
  ])) {
    assert.throws(
      () => read(t, block, { [name]: value }),
      (/** @type {any} */ error) => error.code === 'SETTING_INVALID' && allowed.test(error.hint),
    );
  }
});

test('a variable without a default is required, before any load', async t => {
  const { config, scenario } = read(t, 'variables: { ROOM_ID: { about: room that is booked } }');
  await assert.rejects(checkTarget(config, scenario), {
    code: 'SETTING_MISSING',
    message: 'ROOM_ID is not set: room that is booked',
  });
});

test('the text of a script about a missing variable is not a secret, whatever its name', async t => {
  const folder = makeTempFolder(t);
  const variables = '{ SHOP_TOKEN: { secret: true, about: from the page of Ann } }';
  const script = `config: { target: "http://127.0.0.1:9", loadflame: { variables: ${variables} } }\nscenarios: [{ flow: [{ get: { url: / } }] }]\n`;
  writeFileSync(path.join(folder, 'a.yaml'), script);
  const { stderr } = await callLoadflame(folder, ['test', 'a.yaml']);
  assert.match(stderr, /^error: SHOP_TOKEN is not set: from the page of Ann$/m);
});

test('a secret is masked, and refused on the command line', t => {
  const block = 'variables: { API_KEY: { secret: true } }';
  assert.deepEqual(read(t, block, { API_KEY: 'sesame' }).config.secrets, ['sesame']);
  assert.throws(() => read(t, block, {}, { API_KEY: 'sesame' }), { code: 'SETTING_SECRET' });
});

test('a flag for a variable that the script does not declare names the one that was meant', t => {
  assert.throws(() => read(t, 'variables: { ROOM_ID: { default: 1 } }', {}, { ROM_ID: '2' }), {
    code: 'SETTING_UNKNOWN',
    hint: 'did you mean ROOM_ID?',
  });
});

/** What is wrong with a block → place, problem, change. @type {[string, string, RegExp, RegExp][]} */
const MISTAKES = [
  ['variabels: {}', '4:5', /variabels is not a key/, /did you mean variables\?/],
  ['variables: { A: { abuot: x } }', '4:23', /A\.abuot is not a key/, /did you mean about\?/],
  ['variables: { a-b: {} }', '4:18', /a-b is "a-b"/, /capital letters/],
  ['variables: { OIDC_X: {} }', '4:18', /OIDC_X/, /prefix/],
  ['variables: { A: { pattern: "[" } }', '4:32', /pattern is "\["/, /regular expression/],
  ['checks:\n  - { gets: / }', '5:11', /\[1\]\.gets is not a key/, /did you mean get\?/],
  ['checks:\n  - { get: "//x" }', '5:16', /get is "\/\/x"/, /a path of the target/],
  [
    'checks:\n  - { get: /, expect: { json: $.a } }',
    '5:19',
    /has json, and lacks value/,
    /add value/,
  ],
  ['checks:\n  - { get: /, expect: { json: a, value: 1 } }', '5:35', /json is "a"/, /\$\.status/],
];
for (const [block, place, problem, change] of MISTAKES) {
  test(`${JSON.stringify(block)} is refused with its place and what to write`, t => {
    assert.throws(
      () => readScenarioBlock(writeScript(t, block)),
      (/** @type {any} */ { code, message, hint }) => {
        assert.equal(code, 'SCRIPT_INVALID');
        assert.ok(message.includes(`rooms.yaml:${place}: `), message);
        assert.match(message, problem);
        assert.match(hint, change);
        return true;
      },
    );
  });
}

const ROOM_CHECK = `
variables: { ROOM_ID: { default: 1 } }
checks:
  - name: room {{ $env.ROOM_ID }}
    get: /rooms/
    expect: { json: "$.rooms[*].id", value: "{{ $env.ROOM_ID }}" }`;

test('an id that the target does not have is an error with those that it has', async t => {
  const target = await startFakeTarget(t, {
    '/rooms/': { json: { rooms: [{ id: 3 }, { id: 7 }] } },
  });
  await assert.rejects(runAll(read(t, ROOM_CHECK), target), {
    code: 'CHECK_VALUE_MISSING',
    message: 'room 1 does not exist on this target; it has 3, 7',
    hint: 'set ROOM_ID to one of them',
  });
  const texts = await runAll(read(t, ROOM_CHECK, { ROOM_ID: '7' }), target);
  assert.deepEqual(texts, ['room 7 exists on the target']);
  const empty = await startFakeTarget(t, { '/rooms/': { json: { rooms: [] } } });
  await assert.rejects(runAll(read(t, ROOM_CHECK), empty), { message: /it has none$/ });
});

test('a target without the list fails a check, unless the check is optional', async t => {
  for (const json of [undefined, { other: [] }]) {
    const target = await startFakeTarget(t, json ? { '/rooms/': { json } } : {});
    await assert.rejects(runAll(read(t, ROOM_CHECK), target), { code: 'CHECK_FAILED' });
    const [text] = await runAll(read(t, `${ROOM_CHECK}\n    optional: true`), target);
    assert.match(text ?? '', /^room 1: not checked/);
  }
});

test('compares a status with the expected one, and keeps secrets out of the error', async t => {
  const block = `
variables: { API_KEY: { secret: true } }
checks:
  - get: /health?key={{ $env.API_KEY }}
    expect: { status: 204 }`;
  const target = await startFakeTarget(t, {});
  const [text] = await runAll(
    read(t, `${block}\n    optional: true`, { API_KEY: 'sesame' }),
    target,
  );
  assert.match(text ?? '', /the target has no \/health\?key=\[redacted\]$/);
  await assert.rejects(
    runAll(read(t, block, { API_KEY: 'sesame' }), target),
    (/** @type {any} */ { code, message, hint }) => {
      assert.equal(code, 'CHECK_FAILED');
      assert.match(message, /health\?key=\[redacted\] returned status 404; expected 204/);
      assert.doesNotMatch(message + hint, /sesame/);
      return true;
    },
  );
});

test('a name that nothing declares is an error with its place', async t => {
  const given = read(t, 'checks:\n  - { get: "/{{ $env.NO_SUCH_ROOM }}" }');
  await assert.rejects(runAll(given, 'http://127.0.0.1:1'), {
    code: 'SCRIPT_INVALID',
    message: /rooms\.yaml:5:9: unknown name \{\{ \$env\.NO_SUCH_ROOM \}\}/,
  });
});

test('doctor blames a missing py-spy, not the Python of the server', async t => {
  const { masterPid, url } = await startGunicorn(t, { workers: 1 });
  const env = { TARGET: url, SERVER_PID: String(masterPid), PYSPY: '/none' };
  const results = await runChecks(readConfig({ env, folder: '/nowhere' }), []);
  const textOf = (/** @type {string} */ id) => results.find(one => one.id === id)?.text ?? '';
  assert.match(textOf('py-spy'), /\/none/);
  assert.match(textOf('permission'), /\/none/);
});

test('doctor leaves out what relies on a check that failed', async t => {
  const target = await startFakeTarget(t, { '/': {}, '/rooms/': { json: { rooms: [{ id: 3 }] } } });
  const config = readConfig({ env: { TARGET: target, PYSPY: '/none' }, folder: '/nowhere' });
  const file = writeScript(t, `${ROOM_CHECK}\n  - get: /rooms/{{ $env.ROOM_ID }}/beds`);
  const results = await runChecks(config, readScripts([file], config));
  assert.deepEqual(
    results.filter(({ id }) => id === 'scenario').map(({ level }) => level),
    ['bad', 'skip'],
  );
});

test('doctor runs a check of two scripts once, and says which script is broken', async t => {
  const target = await startFakeTarget(t, { '/': {}, '/rooms/': { json: { rooms: [{ id: 1 }] } } });
  const config = readConfig({ env: { TARGET: target, PYSPY: '/none' }, folder: '/nowhere' });
  const broken = writeScript(t, 'chekcs: []');
  const files = [writeScript(t, ROOM_CHECK), writeScript(t, ROOM_CHECK), broken];
  const results = await runChecks(config, readScripts(files, config));
  assert.deepEqual(
    results.filter(({ id }) => id === 'scenario').map(({ level, title }) => [level, title]),
    [
      ['ok', 'scenario, GET /rooms/'],
      ['bad', broken],
    ],
  );
});
