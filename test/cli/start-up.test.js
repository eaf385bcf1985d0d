/** A command imports what it needs when it is run; help and version need next to nothing. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { COMMANDS } from '../../lib/cli/command-table.js';
import { cloneRun } from '../helpers/recorded-runs.js';
import { callLoadflame, LOADFLAME } from '../helpers/run-loadflame.js';

/** Ours and commander's are 16; a thousand is what all commands together import. */
const MOST_MODULES = 32;

/** Prints the modules that are loaded from files, with a mark before each. */
const COUNT = `data:text/javascript,
import { registerHooks } from 'node:module';
import { writeSync } from 'node:fs';
registerHooks({ load(url, context, next) {
  if (url.startsWith('file:')) writeSync(2, 'loads ' + url + '\\n');
  return next(url, context);
} });`;

/** @param {string[]} args of Node */
function listModules(args) {
  const node = ['--import', COUNT.replaceAll('\n', ' '), ...args];
  const { status, stderr } = spawnSync(process.execPath, node, { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return [...stderr.matchAll(/^loads (.*)$/gm)].map(match => match[1]);
}

// What is counted is modules and no time: how long they take depends on what else the machine does.
for (const args of [['--version'], ['--help'], ...COMMANDS.map(({ name }) => [name, '--help'])]) {
  test(`loadflame ${args.join(' ')} imports the command line and no command`, () => {
    const modules = listModules([LOADFLAME, ...args]);
    assert.ok(modules.length > 3, 'the count works');
    assert.ok(modules.length <= MOST_MODULES, `${modules.length} modules:\n${modules.join('\n')}`);
  });
}

const LIB = new URL('../../lib/', import.meta.url).href;
/** The fetch that is in Node: `import … from 'node:http'` loads it, which takes longer than a hundred of our files. */
const FETCH = 'internal/deps/undici/undici';
/** What a load over HTTP alone is made of, and what it has no use for. */
const STARTS = [
  {
    what: 'the command `test`',
    code: `await import('${LIB}cli/commands/test.js')`,
    most: 420,
    without: ['undici', 'openid-client', 'socket.io-client', 'ajv', FETCH],
  },
  {
    what: 'a worker',
    code: `await import('${LIB}load/generator/prepare-worker.js')`,
    most: 63,
    without: [
      ...['undici', 'cheerio', 'jsonpath-plus', 'filtrex', 'tough-cookie', 'tldts'],
      ...['socket.io-client', 'ws', 'form-data', FETCH],
    ],
  },
];
const TELL_FETCH = `if (process.moduleLoadList.some(name => name.endsWith('${FETCH}')))
  console.error('loads ${FETCH}');`;
for (const { what, code, most, without } of STARTS) {
  test(`${what} loads no more than a load over HTTP needs`, () => {
    const modules = listModules(['--input-type=module', '--eval', `${code};${TELL_FETCH}`]);
    const found = without.filter(name =>
      modules.some(url => url === name || url?.includes(`/node_modules/${name}/`)),
    );
    assert.deepEqual(found, []);
    assert.ok(modules.length > 30, 'the count works');
    assert.ok(modules.length <= most, `${modules.length} modules:\n${modules.join('\n')}`);
  });
}

for (const [command, most] of /** @type {const} */ ([
  ['explain', 90],
  ['report', 140],
])) {
  test(`\`${command}\` of a report that is up to date imports no analysis, YAML or check of shapes`, async t => {
    const folder = cloneRun(t, 'users-fail');
    await callLoadflame(folder, ['report', '.']);
    const modules = listModules([LOADFLAME, command, folder]);
    const found = ['yaml', 'ajv', 'analyse-run.js', 'write-outputs.js'].filter(name =>
      modules.some(url => url?.includes(`/${name}`)),
    );
    assert.deepEqual(found, []);
    const own = modules.filter(url => url?.startsWith(LIB));
    assert.ok(own.length > 30 && own.length <= most, `${own.length} modules:\n${own.join('\n')}`);
  });
}

test('the command and programs with other flags of V8 leave each other their compiled code', () => {
  const cache = { NODE_COMPILE_CACHE: path.resolve(LOADFLAME, '../../.compiled') };
  const { NODE_COMPILE_CACHE: _, ...environment } = process.env;
  const start = (/** @type {string[]} */ args, env = {}) =>
    spawnSync(process.execPath, args, {
      env: { ...environment, ...env, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' },
      encoding: 'utf8',
    }).stderr;
  const command = [LOADFLAME, '--version'];
  const program = ['--input-type=module', '--eval', `await import('${LIB}cli/main.js')`];
  start(command);
  start(program, cache);
  for (const said of [start(command), start(program, cache), start(command, cache)]) {
    assert.ok((said.match(/ was accepted/g) ?? []).length > 20, said);
    assert.doesNotMatch(said, /rejected/);
  }
});

const oldNode = findOldNode();

test('an older Node fails with one sentence', {
  skip: oldNode ? false : 'needs a Node older than 22.18 on the PATH beside the one that runs this',
}, () => {
  const { status, stdout, stderr } = spawnSync(String(oldNode), [LOADFLAME, 'test', 'x.yaml'], {
    encoding: 'utf8',
  });
  assert.equal(status, 3);
  assert.equal(stdout, '');
  assert.match(
    stderr,
    /^error: loadflame needs Node 22\.18 or newer, and this is \d+\.\d+\.\d+\nhint: {2}.*\n$/,
  );
});

/** A Node of this machine that loadflame does not run on. */
function findOldNode() {
  return (process.env.PATH ?? '')
    .split(path.delimiter)
    .map(folder => path.join(folder, 'node'))
    .find(node => {
      if (!existsSync(node)) return false;
      const version = execFileSync(node, ['--version'], { encoding: 'utf8' });
      const [major = 0, minor = 0] = version.slice(1).split('.').map(Number);
      return major < 22 || (major === 22 && minor < 18);
    });
}
