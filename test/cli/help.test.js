import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { serve } from '../helpers/listen.js';
import { callLoadflame } from '../helpers/run-loadflame.js';
import { makeTempFolder } from '../helpers/temp-folder.js';

test('the help of every command has examples that call it', async t => {
  const folder = makeTempFolder(t);
  const { exit, stdout } = await callLoadflame(folder, ['--help']);
  assert.equal(exit, 0);
  assert.match(stdout, /^Examples:/m);
  const list = stdout.slice(stdout.indexOf('Commands:'), stdout.indexOf('Examples:'));
  const commands = [...list.matchAll(/^ {2}(\w+) /gm)].map(match => match[1] ?? '');
  assert.ok(commands.length >= 9);
  for (const command of commands.filter(name => name !== 'help')) {
    const help = await callLoadflame(folder, [command, '--help']);
    assert.equal(help.exit, 0, command);
    assert.equal(help.stderr, '', command);
    const examples = help.stdout.split(/Examples?:\n/)[1] ?? '';
    assert.match(examples, new RegExp(`loadflame ${command}\\b`), command);
  }
});

test('without a command the help goes to standard error, with exit code 2', async t => {
  const { exit, stdout, stderr } = await callLoadflame(makeTempFolder(t), []);
  assert.equal(exit, 2);
  assert.equal(stdout, '');
  assert.match(stderr, /^Usage: loadflame[\s\S]*^Examples:/m);
});

test('the version is that of the package', async t => {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const { exit, stdout } = await callLoadflame(makeTempFolder(t), ['--version']);
  assert.deepEqual([exit, stdout], [0, manifest.version]);
});

test('`profile --set` sets a setting, and a wrong one is refused by its name', async t => {
  const args = ['profile', '--set', 'PROFILE_RATE=often'];
  const { exit, stderr } = await callLoadflame(makeTempFolder(t), args);
  assert.equal(exit, 2);
  assert.match(stderr, /PROFILE_RATE/);
});

test('the hint of an error names the command as npm ran it', async t => {
  const folder = makeTempFolder(t);
  /** @param {Record<string, string>} env */
  const hintOf = async env => (await callLoadflame(folder, ['report'], env)).stderr;
  assert.match(await hintOf({}), /`loadflame test <script> --profile`/);
  const clone = { npm_lifecycle_event: 'report', npm_package_name: 'loadflame' };
  assert.match(await hintOf(clone), /`npm run loadflame -- test <script> --profile`/);
  const other = { npm_lifecycle_event: 'report', npm_package_name: 'shop' };
  assert.match(await hintOf(other), /`npx loadflame test <script> --profile`/);
});

test('doctor checks example scripts only if there are no others', async t => {
  const folder = makeTempFolder(t);
  mkdirSync(path.join(folder, 'scenarios'));
  /** @param {string} name @param {string} variable @param {string} [more] */
  const write = (name, variable, more = '') =>
    writeFileSync(
      path.join(folder, 'scenarios', name),
      `config: { target: http://127.0.0.1:9, loadflame: { ${more}variables: { ${variable}: { default: 1 } } } }\nscenarios: [{ flow: [{ get: { url: / } }] }]\n`,
    );
  const declared = async () => (await callLoadflame(folder, ['doctor', '--print-config'])).stdout;
  write('demo.yaml', 'OFFICE_ID', 'example: true, ');
  write('my-api.yaml', 'MINE');
  assert.match(await declared(), /^OFFICE_ID/m);
  write('shop.yaml', 'SHOP');
  assert.doesNotMatch(await declared(), /^OFFICE_ID/m);
  assert.match(await declared(), /^SHOP/m);
});

test('doctor has no warning about scripts for another API beside one that fits', async t => {
  const folder = makeTempFolder(t);
  mkdirSync(path.join(folder, 'scenarios'));
  const target = await serve(t, (request, response) => {
    response.statusCode = request.url === '/mine' ? 200 : 404;
    response.end();
  });
  /** @param {string} name @param {string} url @param {string} [of] */
  const write = (name, url, of = target) =>
    writeFileSync(
      path.join(folder, 'scenarios', name),
      `config: { target: ${of}, loadflame: { example: ${name !== 'my-api.yaml'} } }\nscenarios: [{ flow: [{ get: { url: "${url}" } }] }]\n`,
    );
  const check = async () => {
    const { stdout } = await callLoadflame(folder, ['doctor', '--json'], { TARGET: target });
    const scripts = JSON.parse(stdout).filter((/** @type {any} */ one) => one.id === 'script');
    return scripts.map((/** @type {any} */ one) => [one.level, one.title, one.text]);
  };
  write('a.yaml', '/a');
  write('b.yaml', '/b');
  write('my-api.yaml', '/');
  const [[level, title, text], ...more] = await check();
  assert.deepEqual(
    [level, title, more],
    ['bad', 'scenarios/a.yaml, scenarios/b.yaml, scenarios/my-api.yaml', []],
  );
  assert.match(text, /has nothing that scenarios\/a\.yaml requests first: status 404/);
  write('my-api.yaml', '/mine');
  assert.deepEqual(await check(), [
    ['skip', 'scenarios/a.yaml, scenarios/b.yaml', 'for another API'],
    ['ok', 'scenarios/my-api.yaml', `${target}/mine: status 200`],
  ]);
});

test('doctor says once that the target does not respond', async t => {
  const folder = makeTempFolder(t);
  const script = 'scenarios: [{ flow: [{ get: { url: / } }] }]\n';
  writeFileSync(path.join(folder, 'a.yaml'), `config: { target: http://127.0.0.1:9 }\n${script}`);
  const args = ['doctor', 'a.yaml', '--json'];
  const { exit, stdout } = await callLoadflame(folder, args, { TARGET: 'http://127.0.0.1:9' });
  assert.equal(exit, 3);
  const told = JSON.parse(stdout).filter((/** @type {any} */ one) => /ECONNREFUSED/.test(one.text));
  assert.deepEqual(
    told.map((/** @type {any} */ one) => [one.level, one.id, Boolean(one.hint)]),
    [
      ['bad', 'target', true],
      ['skip', 'script', false],
      ['skip', 'companion', false],
    ],
  );
});

/** @type {[string[], RegExp][]} */
const MISTAKES = [
  [['tset'], /unknown command 'tset'\n\(Did you mean test\?\)/],
  [['doctor', '--jsn'], /unknown option '--jsn'\n\(Did you mean --json\?\)/],
  [['test'], /missing required argument 'script'/],
  [['report', '--profiles'], /'--profiles <folder>' argument missing/],
  [['init', 'more'], /too many arguments for 'init'/],
  [['demo', '--workers', '0'], /argument '0' is invalid.*from 1 to 64/],
];

for (const [args, message] of MISTAKES) {
  test(`\`loadflame ${args.join(' ')}\` is wrong use: exit code 2 and what to type instead`, async t => {
    const { exit, stdout, stderr } = await callLoadflame(makeTempFolder(t), args);
    assert.equal(exit, 2);
    assert.equal(stdout, '');
    assert.match(stderr, message);
    assert.match(stderr, /add --help/);
  });
}
